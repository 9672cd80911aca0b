import { git } from './git.ts';
import type { Repo } from './repo.ts';

/** So many different states of the tree are kept under one prefix: a serve that is restarted for ever must not fill `git for-each-ref`. */
const KEPT_SNAPSHOTS = 20;

/**
 * Of the snapshots `refs/agent-runner/<prefix>*`, whose names sort by time, the newest of each content stays, and of those the newest
 * twenty. The commits of the others live on until git's own collection, two weeks by default. Resolves with the names that are gone.
 */
export async function pruneSnapshots(repo: Repo, prefix: string): Promise<string[]> {
  const listed = await git(repo, ['for-each-ref', '--format=%(refname) %(objectname) %(tree)', 'refs/agent-runner/'], { read: true });
  const found = listed.stdout
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([name]) => name?.startsWith(`refs/agent-runner/${prefix}`))
    .reverse();
  const trees = new Set<string>();
  const gone: string[] = [];
  for (const [name = '', sha = '', tree = ''] of found) {
    const isKept = !trees.has(tree) && trees.size < KEPT_SNAPSHOTS;
    if (isKept) trees.add(tree);
    // With the value that was seen: another work tree of the repository may take a snapshot at this moment.
    else if ((await git(repo, ['update-ref', '-d', name, sha])).code === 0) gone.push(name);
  }
  return gone;
}
