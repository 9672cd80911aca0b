import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { gitlinks, nestedRepos } from './gitlinks.ts';
import { localConfig } from './local-config.ts';
import { locationOf, type Repo } from './repo.ts';

/** A hook is a script; what is bigger counts by size and time instead of content. */
const MAX_HASHED_BYTES = 1024 * 1024;

/**
 * Everything in the repository and its submodules that makes git run programs: configuration (of branches, remotes and users nothing
 * counts), hooks, info/attributes. One line `<digest> <path>` for each file, so two of them compare as text and
 * `changedExecutables` can say what differs. Rejects like `git`.
 */
export async function executableFingerprint(repo: Repo): Promise<string> {
  const parts = await executableParts(repo, '');
  return [...parts]
    .map(([path, digest]) => `${digest} ${path}`)
    .sort()
    .join('\n');
}

/** Paths that are in one of two fingerprints only, or differ. */
export function changedExecutables(before: string, after: string): string[] {
  const [old, now] = [before, after].map((text) => new Set(text.split('\n')));
  const lines = [...before.split('\n').filter((line) => !now?.has(line)), ...after.split('\n').filter((line) => !old?.has(line))];
  return [...new Set(lines.filter((line) => line !== '').map((line) => line.slice(line.indexOf(' ') + 1)))].sort();
}

async function executableParts(repo: Repo, prefix: string): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  const location = locationOf(repo);
  if (location === null) return parts;
  const { top, commonDir } = location;
  const add = (path: string, digest: string | null) => {
    if (digest !== null) parts.set(join(prefix, relative(top, path)), digest);
  };
  const { digests, hooksPath } = await localConfig(repo, location);
  for (const [path, digest] of digests) add(join(top, path), digest);
  const attributes = join(commonDir, 'info', 'attributes');
  add(attributes, digestOf(attributes));
  for (const path of hookFiles(hooksPath === null ? join(commonDir, 'hooks') : resolve(top, hooksPath.replace(/^~(?=\/)/, homedir())))) {
    add(path, digestOf(path));
  }
  for (const { path, nested } of nestedRepos(repo, location, await gitlinks(repo, location))) {
    for (const [inner, digest] of await executableParts(nested, join(prefix, path))) parts.set(inner, digest);
  }
  return parts;
}

function hookFiles(folder: string): string[] {
  // husky points hooksPath at `.husky/_`, whose files only call the ones of the same name beside that folder.
  const folders = basename(folder) === '_' ? [folder, dirname(folder)] : [folder];
  return folders.flatMap((path) =>
    namesIn(path)
      .filter((name) => !name.endsWith('.sample'))
      .map((name) => join(path, name)),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Content and the executable bits, through a symbolic link; null for anything but a file (a pipe would never end). */
function digestOf(path: string): string | null {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return null;
    const hash = createHash('sha256').update(`${stat.mode & 0o111} `);
    return hash.update(stat.size > MAX_HASHED_BYTES ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}
