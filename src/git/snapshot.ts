import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, RunnerError } from '../util/errors.ts';
import { type CallOptions, type CallResult, complaint } from './call.ts';
import { git } from './git.ts';
import { copyIfThere } from './index-copy.ts';
import { allExcept, logDirToExclude, PATHSPEC_FROM_INPUT } from './pathspec.ts';
import { locationOf, type Repo } from './repo.ts';
import { treeState } from './tree.ts';

export type SnapshotResult =
  | { kind: 'saved'; ref: string; refName: string; files: string[] }
  /** Nothing to keep. */
  | { kind: 'clean' }
  | { kind: 'failed'; reason: string };

/** Who made the commit, when the machine has no git identity. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'agent-runner',
  GIT_AUTHOR_EMAIL: 'agent-runner@localhost',
  GIT_COMMITTER_NAME: 'agent-runner',
  GIT_COMMITTER_EMAIL: 'agent-runner@localhost',
};
/** Other work trees of the repository may take a snapshot under the same name at the same moment. */
const MAX_NAMES = 20;

/**
 * Keeps the work tree as it is now, untracked files included, in a commit object under `refs/agent-runner/<name>` (`-2`, `-3` ... when
 * the name is taken). Neither files nor index nor the list of stashes change; works before the first commit. What is ignored, our
 * log_dir and changes inside nested repositories are not in it. Never rejects.
 */
export async function takeSnapshot(repo: Repo, name: string, message: string): Promise<SnapshotResult> {
  const tree = await treeState(repo);
  if (tree.problem !== null) return { kind: 'failed', reason: tree.problem.message };
  if (tree.entries.length === 0) return { kind: 'clean' };
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-index-'));
  try {
    const nested = tree.entries.filter(({ kind }) => kind === 'nested').map(({ path }) => path);
    const input = allExcept([...(await logDirToExclude(repo)), ...nested]);
    const ref = await commitOf(repo, join(folder, 'index'), input, tree.head, message);
    const refName = await nameIt(repo, ref, `refs/agent-runner/${name}`);
    // Only what git reads back is kept: the objects of every file, not the commit alone.
    await must(repo, ['cat-file', '-e', `${ref}^{tree}`], { read: true });
    await must(repo, ['rev-list', '--objects', '--quiet', ref, ...(tree.head === null ? [] : [`^${tree.head}`]), '--'], { read: true });
    return { kind: 'saved', ref, refName, files: tree.dirty };
  } catch (error) {
    if (error instanceof RunnerError) return { kind: 'failed', reason: messageOf(error) };
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function commitOf(repo: Repo, indexFile: string, input: Buffer, head: string | null, message: string): Promise<string> {
  const location = locationOf(repo);
  // The copy carries git's knowledge of unchanged files: without it every file would be read.
  if (location !== null) copyIfThere(join(location.gitDir, 'index'), indexFile);
  const slow = { indexFile, timeoutMs: repo.timeouts.commit };
  await must(repo, ['-c', 'core.safecrlf=false', 'add', '--all', ...PATHSPEC_FROM_INPUT], { ...slow, input });
  const tree = (await must(repo, ['write-tree'], slow)).stdout.trim();
  const parent = head === null ? [] : ['-p', head];
  return (await must(repo, ['commit-tree', tree, ...parent, '-m', message], { env: IDENTITY })).stdout.trim();
}

async function nameIt(repo: Repo, ref: string, wanted: string): Promise<string> {
  for (let i = 1; ; i += 1) {
    const name = i === 1 ? wanted : `${wanted}-${i}`;
    // The empty old value: only if there is none of this name, so that no earlier snapshot is lost.
    const result = await git(repo, ['update-ref', name, ref, '']);
    if (result.code === 0) return name;
    if (i === MAX_NAMES || !/already exists/.test(result.stderr)) throw snapshotFailed(result);
  }
}

async function must(repo: Repo, args: readonly string[], options: CallOptions): Promise<CallResult> {
  const result = await git(repo, args, options);
  if (result.code !== 0) throw snapshotFailed(result);
  return result;
}

function snapshotFailed(result: CallResult): RunnerError {
  return new RunnerError({
    code: 'AR-GIT-004',
    message: `the work tree could not be kept in a commit object: ${complaint(result)}`,
    remedy: 'commit or stash the changes yourself, or mend what git complains of',
    exit: 'environment',
  });
}
