import { messageOf } from '../util/errors.ts';
import { commitDirt } from './dirty-commit.ts';
import type { DirtyOptions, DirtyResult } from './dirty-options.ts';
import { stashDirt } from './dirty-stash.ts';
import { clearStaleIndexLock } from './index-lock.ts';
import type { Repo } from './repo.ts';

/**
 * Deals with what a round left in the tree, as `vcs.dirty_action` says, and tells of it by events. Never rejects: git's failures are
 * `failed`, with the tree as it was. A look that met a problem is the caller's to tell.
 */
export async function resolveDirty(repo: Repo, options: DirtyOptions): Promise<DirtyResult> {
  const { action, tree, roundNum, phase, emit, preexisting } = options;
  if (tree.problem !== null) return { kind: 'failed', ref: null, files: [] };
  if (tree.entries.every(({ path }) => preexisting.has(path))) return { kind: 'clean', ref: null, files: [] };
  if (action === 'ignore') return { kind: 'ignored', ref: null, files: tree.dirty };
  const failed = (reason: string): DirtyResult => {
    emit(action === 'stash' ? 'orphan_stash_failed' : 'dirty_commit_failed', { round_num: roundNum, phase, reason });
    return { kind: 'failed', ref: null, files: tree.dirty };
  };
  try {
    const lock = await clearStaleIndexLock(repo, emit, roundNum);
    if (lock === 'held') return failed('index.lock of the repository is held by another process');
    return action === 'stash' ? await stashDirt(repo, options) : await commitDirt(repo, options);
  } catch (error) {
    const result = failed(messageOf(error));
    // A git that was ended for taking too long leaves its lock behind, and the agent's next one would stumble over it.
    await clearStaleIndexLock(repo, emit, roundNum);
    return result;
  }
}
