import { executableFingerprint } from '../git/harden.ts';
import type { Repo } from '../git/repo.ts';
import { treeState } from '../git/tree.ts';
import type { Layout } from '../state/layout.ts';
import { readStatus } from './status.ts';
import type { RoundWorld } from './types.ts';

/**
 * What must be known of the work tree before any agent runs. Dirt that our own last round left behind is not somebody's work, so it is
 * not among `preexisting`. `recovered`: a dead supervisor's round was ended just now, so the dirt is its agent's.
 */
export async function lookBefore(repo: Repo, paths: Layout, recovered: boolean): Promise<Pick<RoundWorld, 'gitTrust' | 'preexisting'>> {
  const tree = await treeState(repo);
  const ours = recovered || readStatus(paths).status?.last_dirty === true;
  return {
    gitTrust: { fingerprint: tree.problem === null ? await executableFingerprint(repo) : '', tampered: false },
    preexisting: new Set(ours ? [] : tree.entries.map(({ path }) => path)),
  };
}
