import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { callGit } from './call.ts';
import { fileStamp } from './local-config.ts';
import type { Location } from './locate.ts';
import { type Bytes, toBuffer } from './names.ts';
import { openNested, type Repo } from './repo.ts';

/** The mode of a gitlink, as it stands in an index of any version. */
const GITLINK_MODE = Buffer.from([0, 0, 0xe0, 0]);
/** Extension of a split index, whose entries are mostly in another file. */
const SPLIT_INDEX = Buffer.from('link');
const MAX_BYTES = 256 * 1024 * 1024;
/** Repositories inside repositories are followed so deep and so many of them; a tree beyond that is one of repositories, not of work. */
const MAX_DEPTH = 4;
const MAX_NESTED = 64;

/**
 * Paths of commits in the index: submodules, and repositories that were added by accident. Nearly every repository has none, which the
 * bytes of the index tell without a git call.
 */
export async function gitlinks(repo: Repo, location: Location): Promise<Bytes[]> {
  const index = join(location.gitDir, 'index');
  const stamp = fileStamp(index);
  if (repo.memory.gitlinks?.stamp === stamp) return repo.memory.gitlinks.paths;
  const paths = mayHaveGitlinks(index) ? await listGitlinks(repo, location) : [];
  if (paths !== null) repo.memory.gitlinks = { stamp, paths };
  return paths ?? [];
}

function mayHaveGitlinks(index: string): boolean {
  try {
    // A FIFO would never end; git itself is given up on after its time.
    if (!statSync(index).isFile()) return false;
    const bytes = readFileSync(index);
    return bytes.includes(GITLINK_MODE) || bytes.includes(SPLIT_INDEX);
  } catch {
    return false; // No index yet: nothing was ever added.
  }
}

async function listGitlinks(repo: Repo, location: Location): Promise<Bytes[] | null> {
  const { code, stdout } = await callGit(repo, location, ['ls-files', '--stage', '-z'], [], { read: true, maxBytes: MAX_BYTES });
  if (code !== 0) return null;
  return stdout.split('\0').flatMap((line) => /^160000 [0-9a-f]+ \d\t(.*)$/s.exec(line)?.[1] ?? []);
}

/** The repositories checked out at these paths of the work tree. Names that are not UTF-8 are left out: git could not be started there. */
export function nestedRepos(repo: Repo, { top }: Location, paths: readonly Bytes[]): { path: Bytes; nested: Repo }[] {
  if (repo.memory.depth >= MAX_DEPTH) return [];
  return paths.slice(0, MAX_NESTED).flatMap((path) => {
    const workDir = join(top, toBuffer(path).toString('utf8'));
    return existsSync(join(workDir, '.git')) ? [{ path, nested: openNested(repo, path, workDir) }] : [];
  });
}
