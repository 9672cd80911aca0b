import type { DirtyOptions } from './dirty-options.ts';
import { localConfig } from './local-config.ts';
import { shown } from './names.ts';
import { pathsWithFilter } from './pathspec.ts';
import { locationOf, type Repo } from './repo.ts';
import type { DirtyEntry } from './tree.ts';

/** Why dirt is left where it is: the `reason` of `dirty_unstashable`. */
export type LeftBecause =
  /** git stashes nothing of a repository inside the work tree. */
  | 'nested_repository'
  /** git refuses to stash before the first commit. */
  | 'no_commit_yet'
  /**
   * A filter that only the repository's own configuration defines is off in our calls, so these files would be saved unfiltered (in
   * clear text, with git-crypt) and come back from HEAD as raw blobs. Defined in the user's configuration it is not in the way.
   */
  | 'repository_filter'
  /** git said that there was nothing to save. */
  | 'nothing_saved'
  /** Changed again right after a stash, by git itself: line endings, a file system that ignores case. */
  | 'dirty_again';

/** Tells of paths that stay dirty: once for each set, since they are there round after round. */
export function tellLeft(repo: Repo, reason: LeftBecause, entries: readonly DirtyEntry[], { emit, roundNum }: DirtyOptions): void {
  if (entries.length === 0) return;
  const paths = entries.map(({ path }) => shown(path)).sort();
  const set = paths.join('\0');
  if (repo.memory.told.get(reason) === set) return;
  repo.memory.told.set(reason, set);
  emit('dirty_unstashable', { round_num: roundNum, paths: paths.slice(0, MAX_PATHS), reason });
}

const MAX_PATHS = 100;

/** Files under a filter that our calls switch off. */
export async function filteredEntries(repo: Repo, entries: readonly DirtyEntry[]): Promise<DirtyEntry[]> {
  const location = locationOf(repo);
  if (location === null) return [];
  const { filters } = await localConfig(repo, location);
  const files = entries.filter(({ kind }) => kind !== 'nested' && kind !== 'gitlink');
  const found = await pathsWithFilter(
    repo,
    files.map(({ path }) => path),
    filters,
  );
  return files.filter(({ path }) => found.has(path));
}
