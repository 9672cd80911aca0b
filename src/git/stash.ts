import { complaint } from './call.ts';
import { git } from './git.ts';
import type { Bytes } from './names.ts';
import { allExcept, PATHSPEC_FROM_INPUT } from './pathspec.ts';
import type { Repo } from './repo.ts';

export interface Stash {
  /** Full commit SHA: positions in the list change whenever anybody stashes. */
  ref: string;
  /** First line of the message, with git's `On <branch>: ` in front. */
  subject: string;
}

export type StashResult = { kind: 'saved'; ref: string } | { kind: 'nothing' } | { kind: 'failed'; reason: string };

/** Stashes of other work trees that may have come on top of ours between our push and our look. */
const LOOK_BACK = 20;

/**
 * Stashes everything (untracked files too) except `excluded`. `nothing` = git ended well but saved nothing, as it does with changes
 * inside submodules. The work tree is clean afterwards when it says `saved`.
 */
export async function stashAll(repo: Repo, message: string, excluded: readonly Bytes[]): Promise<StashResult> {
  const before = await topStash(repo);
  const push = ['-c', 'core.safecrlf=false', 'stash', 'push', '--include-untracked', '--quiet', '-m', message];
  // With a pathspec git goes another, slower way (add, diff, apply in reverse), so only where something is left out.
  const result =
    excluded.length === 0
      ? await git(repo, push, { timeoutMs: repo.timeouts.stash })
      : await git(repo, [...push, ...PATHSPEC_FROM_INPUT], { timeoutMs: repo.timeouts.stash, input: allExcept(excluded) });
  const ref = await findStash(repo, message, before?.ref ?? null);
  if (result.code !== 0) {
    const reason = complaint(result);
    return { kind: 'failed', reason: ref === null ? reason : `${reason} (a stash was made all the same: ${ref})` };
  }
  return ref === null ? { kind: 'nothing' } : { kind: 'saved', ref };
}

/** The newest stash, whoever made it. By `cat-file`, because `git stash list` is a `git log` and obeys its configuration. */
export async function topStash(repo: Repo): Promise<Stash | null> {
  const { stdout } = await git(repo, ['cat-file', '--batch'], { read: true, input: Buffer.from('refs/stash\n') });
  const [header = '', ...commit] = stdout.split('\n');
  const ref = /^([0-9a-f]{40,64}) commit \d+$/.exec(header)?.[1];
  if (ref === undefined) return null;
  return { ref, subject: utf8(commit[commit.indexOf('') + 1] ?? '') };
}

/** The stash that the push has just made: it is ours only when the message says so, never merely because it is on top. */
async function findStash(repo: Repo, message: string, before: string | null): Promise<string | null> {
  const top = await topStash(repo);
  if (top === null || top.ref === before) return null;
  if (isOurs(top.subject, message)) return top.ref;
  const walk = ['rev-list', '--walk-reflogs', `--max-count=${LOOK_BACK}`, '--format=%s', 'refs/stash', '--'];
  const { stdout } = await git(repo, walk, { read: true });
  const lines = stdout.split('\n');
  const at = lines.findIndex((line, i) => line.startsWith('commit ') && isOurs(utf8(lines[i + 1] ?? ''), message));
  return at < 0 ? null : (lines[at]?.slice('commit '.length) ?? null);
}

function isOurs(subject: string, message: string): boolean {
  return subject === message || subject.endsWith(`: ${message}`);
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
