import { git } from './git.ts';
import type { Repo } from './repo.ts';

const SHA = /^[0-9a-f]{40,64}$/;

/** The commit that HEAD names, or null: none yet, no repository, no answer within 5 s. Never rejects. */
export async function headOf(repo: Repo): Promise<string | null> {
  try {
    const { stdout } = await git(repo, ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], {
      read: true,
      timeoutMs: repo.timeouts.head,
    });
    return SHA.test(stdout.trim()) ? stdout.trim() : null;
  } catch {
    return null;
  }
}

/** How many commits `to` has that `from` (null = there was none yet) does not have; null when git cannot tell. Never rejects. */
export async function countCommits(repo: Repo, from: string | null, to: string | null): Promise<number | null> {
  if (to === null || from === to) return 0;
  if (!SHA.test(to) || (from !== null && !SHA.test(from))) return null;
  try {
    const range = from === null ? to : `${from}..${to}`;
    const { code, stdout } = await git(repo, ['rev-list', '--count', range, '--'], { read: true });
    return code === 0 ? Number(stdout) : null;
  } catch {
    return null;
  }
}
