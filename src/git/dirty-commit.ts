import { commitAll } from './commit.ts';
import type { DirtyOptions, DirtyResult } from './dirty-options.ts';
import { shown } from './names.ts';
import type { Repo } from './repo.ts';
import { exclusions, sortOut } from './sort-out.ts';
import { tellLeft } from './unstashable.ts';

/** `dirty_auto_committed` names so many files and no more. */
const FILES_IN_EVENT = 20;

export async function commitDirt(repo: Repo, options: DirtyOptions): Promise<DirtyResult> {
  const { tree, emit, roundNum, phase, hooksTrusted: trusted } = options;
  const failed = (reason: string): DirtyResult => {
    emit('dirty_commit_failed', { round_num: roundNum, phase, reason });
    return { kind: 'failed', ref: null, files: tree.dirty };
  };
  if (tree.entries.some(({ kind }) => kind === 'unmerged')) return failed('a merge is unfinished: its conflict markers would be committed');

  const sorted = await sortOut(repo, options, ({ kind }) => kind === 'nested', !trusted);
  const files = sorted.rest.map(({ path }) => shown(path));
  const tellAll = () => {
    tellLeft(repo, 'nested_repository', sorted.nested, options);
    tellLeft(repo, 'repository_filter', sorted.filtered, options);
  };
  if (files.length === 0) {
    tellAll();
    return { kind: 'unstashable', ref: null, files: tree.dirty };
  }

  const excluded = await exclusions(repo, sorted);
  const message = `agent-runner auto-commit: R${roundNum}${phase === null ? '' : ` ${phase}`}`;
  const result = await commitAll(repo, { message, head: tree.head, excluded, only: sorted.left.some(({ staged }) => staged), trusted });
  if (result.kind === 'failed') return failed(result.reason);
  tellAll();
  if (result.kind === 'nothing') return { kind: 'ignored', ref: null, files: tree.dirty };
  emit('dirty_auto_committed', { round_num: roundNum, files: files.slice(0, FILES_IN_EVENT), ref: result.ref });
  return { kind: 'committed', ref: result.ref, files };
}
