import { basename } from 'node:path';
import { isoTime } from '../util/clock.ts';
import type { DirtyOptions, DirtyResult } from './dirty-options.ts';
import { clearStaleIndexLock } from './index-lock.ts';
import { shown } from './names.ts';
import { isSameOrphan, type OrphanMessage, orphanMessage } from './orphan-message.ts';
import { writeOrphanState } from './orphan-state.ts';
import { logDirToExclude } from './pathspec.ts';
import { locationOf, type Repo } from './repo.ts';
import { exclusions, type Sorted, sortOut } from './sort-out.ts';
import { type Stash, type StashResult, stashAll, topStash } from './stash.ts';
import { type DirtyEntry, treeState } from './tree.ts';
import { tellLeft } from './unstashable.ts';

/** `reason` of the predecessor's events. */
const REASON = 'clean_exit_with_dirty_tree';

export async function stashDirt(repo: Repo, options: DirtyOptions): Promise<DirtyResult> {
  const { tree, emit, roundNum, phase } = options;
  const sorted = await sortOut(repo, options, isRepository, true);
  tellLeft(repo, 'nested_repository', sorted.nested, options);
  tellLeft(repo, 'repository_filter', sorted.filtered, options);
  const { rest } = sorted;
  const again = repo.memory.stillDirty;
  if (rest.every(({ path, state }) => again.get(path) === state)) return { kind: 'unstashable', ref: null, files: tree.dirty };
  if (tree.head === null) {
    tellLeft(repo, 'no_commit_yet', rest, options);
    return { kind: 'unstashable', ref: null, files: tree.dirty };
  }

  const orphan: OrphanMessage = { roundNum, phase, at: options.clock.now(), worktree: worktreeName(repo) };
  const files = rest.map(({ path }) => shown(path));
  const recent = await topStash(repo);
  if (recent !== null && isSameOrphan(recent.subject, orphan, options.idempotencyS * 1000)) {
    emit('orphan_idempotent_skip', { round_num: roundNum, ref: recent.ref, reason: REASON });
    return { kind: 'stashed', ref: recent.ref, files };
  }

  const message = orphanMessage(orphan);
  const result = await push(repo, message, sorted, options);
  switch (result.kind) {
    case 'failed':
      emit('orphan_stash_failed', { round_num: roundNum, phase, reason: result.reason });
      return { kind: 'failed', ref: null, files: tree.dirty };
    case 'nothing':
      tellLeft(repo, 'nothing_saved', rest, options);
      return { kind: 'unstashable', ref: null, files: tree.dirty };
    case 'saved':
      emit('orphan_stashed', { round_num: roundNum, ref: result.ref, reason: REASON });
      record({ ref: result.ref, subject: message }, orphan, files, options);
      await rememberDirtyAgain(repo, rest, options);
      return { kind: 'stashed', ref: result.ref, files };
  }
}

function isRepository({ kind }: DirtyEntry): boolean {
  return kind === 'nested' || kind === 'gitlink';
}

async function push(repo: Repo, message: string, sorted: Sorted, { emit, roundNum }: DirtyOptions): Promise<StashResult> {
  const logs = await logDirToExclude(repo);
  // Without a pathspec git leaves repositories inside alone by itself.
  const excluded = logs.length === 0 && sorted.left.every(isRepository) ? [] : await exclusions(repo, sorted);
  const result = await stashAll(repo, message, excluded);
  // Another git came in between. It says so, or, when it is the refresh of the index that is refused, nothing at all.
  if (result.kind !== 'failed' || !/index\.lock|^git ended with/.test(result.reason)) return result;
  return (await clearStaleIndexLock(repo, emit, roundNum)) === 'held' ? result : stashAll(repo, message, excluded);
}

function record({ ref, subject }: Stash, { at }: OrphanMessage, files: string[], { paths, roundNum, phase }: DirtyOptions): void {
  try {
    writeOrphanState(paths.orphanState, {
      round_num: roundNum,
      phase,
      files,
      stashed_ref: ref,
      stash_message: subject,
      timestamp: isoTime(at),
    });
  } catch {
    // The stash is real and its event names it; a disk that refuses this file refuses status.json next, and that stops the round.
  }
}

/** What git makes dirty again by itself would be stashed round after round. */
async function rememberDirtyAgain(repo: Repo, stashed: readonly DirtyEntry[], options: DirtyOptions): Promise<void> {
  const { entries } = await treeState(repo);
  const before = new Set(stashed.map(({ path }) => path));
  const again = entries.filter(({ path, kind }) => kind === 'tracked' && before.has(path));
  tellLeft(repo, 'dirty_again', again, options);
  repo.memory.stillDirty = new Map(again.map(({ path, state }) => [path, state]));
}

/** Null for the main work tree, which is all there is mostly. */
function worktreeName(repo: Repo): string | null {
  const location = locationOf(repo);
  return location === null || location.gitDir === location.commonDir ? null : basename(location.gitDir);
}
