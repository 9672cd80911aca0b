import { messageOf, RunnerError } from '../util/errors.ts';
import { type CallOptions, complaint } from './call.ts';
import { git } from './git.ts';
import { headOf } from './head.ts';
import { copyIndex } from './index-copy.ts';
import type { Bytes } from './names.ts';
import { allExcept, PATHSPEC_FROM_INPUT } from './pathspec.ts';
import { locationOf, type Repo } from './repo.ts';

export type CommitResult = { kind: 'committed'; ref: string } | { kind: 'nothing' } | { kind: 'failed'; reason: string };

export interface CommitRequest {
  message: string;
  /** HEAD before; null = there is none yet, this will be the first commit. */
  head: string | null;
  excluded: readonly Bytes[];
  /** Something of `excluded` is staged already, so the index as a whole must not be committed. */
  only: boolean;
  /** Whether hooks and filters of the repository are run. gpg never is: it may ask for a passphrase. */
  trusted: boolean;
}

/**
 * Commits everything except `excluded`; nothing is pushed. When it fails (a hook refuses or hangs, no identity) files and index are as
 * they were, apart from what hooks did to files themselves.
 */
export async function commitAll(repo: Repo, request: CommitRequest): Promise<CommitResult> {
  const { head } = request;
  const location = locationOf(repo);
  if (location === null) return { kind: 'failed', reason: 'not a git repository' };
  const before = copyIndex(location);
  try {
    const reason = await stageAndCommit(repo, request);
    // HEAD decides, not the exit code: a post-commit hook that hangs does not undo the commit.
    const now = await headOf(repo);
    if (now !== null && now !== head) return { kind: 'committed', ref: now };
    const restored = before.restore();
    if (reason === 'nothing') return { kind: 'nothing' };
    return { kind: 'failed', reason: restored ? reason : `${reason} (what was staged stays staged: the index is locked)` };
  } finally {
    before.discard();
  }
}

/** Why there is no commit, or `nothing`; after a commit the answer does not matter. */
async function stageAndCommit(repo: Repo, { message, head, excluded, only, trusted }: CommitRequest): Promise<string> {
  const options: CallOptions = { trusted, timeoutMs: repo.timeouts.commit };
  const paths: CallOptions = { ...options, input: allExcept(excluded) };
  try {
    const added = await git(repo, ['add', '--all', ...PATHSPEC_FROM_INPUT], paths);
    if (added.code !== 0) return complaint(added);
    if (head !== null) {
      const staged = await git(repo, ['diff-index', '--cached', '--quiet', head, '--'], { read: true });
      if (staged.code === 0) return 'nothing';
    }
    const commit = ['commit', '--quiet', '-m', message];
    return complaint(only ? await git(repo, [...commit, '--only', ...PATHSPEC_FROM_INPUT], paths) : await git(repo, commit, options));
  } catch (error) {
    if (error instanceof RunnerError) return messageOf(error);
    throw error;
  }
}
