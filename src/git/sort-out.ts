import type { DirtyOptions } from './dirty-options.ts';
import type { Bytes } from './names.ts';
import { compact, logDirToExclude } from './pathspec.ts';
import type { Repo } from './repo.ts';
import type { DirtyEntry } from './tree.ts';
import { filteredEntries } from './unstashable.ts';

export interface Sorted {
  /** What can be taken up. */
  rest: DirtyEntry[];
  /** Repositories inside, which cannot. */
  nested: DirtyEntry[];
  /** Files under a filter that our calls switch off, which must not be. */
  filtered: DirtyEntry[];
  /** Everything that is not `rest`, somebody's earlier work included. */
  left: DirtyEntry[];
}

export async function sortOut(
  repo: Repo,
  { tree, preexisting }: Pick<DirtyOptions, 'tree' | 'preexisting'>,
  isNested: (entry: DirtyEntry) => boolean,
  filtersOff: boolean,
): Promise<Sorted> {
  const ours = tree.entries.filter(({ path }) => !preexisting.has(path));
  const nested = ours.filter(isNested);
  const filtered = filtersOff ? await filteredEntries(repo, ours) : [];
  const aside = new Set([...nested, ...filtered]);
  const rest = ours.filter((entry) => !aside.has(entry));
  const taken = new Set(rest);
  return { rest, nested, filtered, left: tree.entries.filter((entry) => !taken.has(entry)) };
}

/** What a pathspec must leave out: log_dir, and what was sorted out, both names of a rename. */
export async function exclusions(repo: Repo, { rest, left }: Sorted): Promise<Bytes[]> {
  return [...(await logDirToExclude(repo)), ...compact(left.flatMap(namesOf), rest.flatMap(namesOf))];
}

function namesOf({ path, from }: DirtyEntry): Bytes[] {
  return from === null ? [path] : [path, from];
}
