import { git } from './git.ts';
import { type Bytes, shown, toBuffer } from './names.ts';
import { locationOf, type Repo } from './repo.ts';
import { logDirIn } from './tree.ts';

/**
 * Fewer paths that leave out the same: a whole folder where nothing of `kept` is inside it. Thousands of files that lay there before
 * the first round are mostly one folder, and git compares each name with each pattern.
 */
export function compact(excluded: readonly Bytes[], kept: readonly Bytes[]): Bytes[] {
  const busy = new Set(kept.flatMap(foldersOf));
  const taken = new Set(kept);
  return [...new Set(excluded.map((path) => foldersOf(path).find((folder) => !busy.has(folder) && !taken.has(folder)) ?? path))];
}

/** `a`, `a/b` for `a/b/c`: from the top down. */
function foldersOf(path: Bytes): Bytes[] {
  return [...path.matchAll(/\//g)]
    .map(({ index }) => path.slice(0, index))
    .filter((folder) => folder !== '' && folder.length + 1 < path.length);
}

/** Everything in the work tree except these, for `--pathspec-from-file=- --pathspec-file-nul`: names of any bytes and any number. */
export function allExcept(excluded: readonly Bytes[]): Buffer {
  return toBuffer([':/', ...excluded.map((path) => `:(top,exclude,literal)${path}`), ''].join('\0'));
}

export const PATHSPEC_FROM_INPUT = ['--pathspec-from-file=-', '--pathspec-file-nul'] as const;

/** log_dir, when it lies in the work tree and git does not ignore it anyway: an ignored path in a pathspec makes a stash fail. */
export async function logDirToExclude(repo: Repo): Promise<Bytes[]> {
  const location = locationOf(repo);
  const logs = location === null ? null : logDirIn(repo, location.top);
  if (logs === null) return [];
  const { code } = await git(repo, ['check-ignore', '--quiet', '--no-index', '--', shown(logs)], { read: true });
  return code === 0 ? [] : [logs];
}

/** Those of the paths whose `filter` attribute names one of these filters. */
export async function pathsWithFilter(repo: Repo, paths: readonly Bytes[], filters: ReadonlySet<string>): Promise<Set<Bytes>> {
  if (filters.size === 0 || paths.length === 0) return new Set();
  const input = toBuffer(`${paths.join('\0')}\0`);
  const { stdout } = await git(repo, ['check-attr', '-z', '--stdin', 'filter'], { read: true, input, maxBytes: 64 * 1024 * 1024 });
  const words = stdout.split('\0');
  return new Set(words.filter((_, i) => i % 3 === 0 && filters.has(words[i + 2] ?? '')));
}
