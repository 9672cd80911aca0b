import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';

export interface Change {
  path: string;
  /** Wall-clock milliseconds. */
  atMs: number;
}

/** After so many entries the search ends with what it found: on a bigger tree a change may go unseen. */
const MAX_ENTRIES = 200_000;
const ENTRIES_PER_TURN = 1_000;
/**
 * Not entered, but looked at themselves. Git writes an object together with a ref, the index or a log outside; a package manager adds
 * and removes folders right inside node_modules. Both hold most of the files of a usual project.
 */
const NOT_ENTERED = /(^|\/)(\.git\/objects|node_modules)$/;

/**
 * The first file or folder found under `root` that changed after `sinceMs` (wall clock), nearest to the root first, else null. By
 * ctime, which no program can set and which every write, rename and chmod moves. Symbolic links are not followed; `exclude` holds
 * absolute paths that do not count, with all below them.
 */
export async function findChange(root: string, sinceMs: number, exclude: readonly string[], signal?: AbortSignal): Promise<Change | null> {
  const folders = [''];
  let looked = 0;
  for (let folder = folders.shift(); folder !== undefined && !signal?.aborted; folder = folders.shift()) {
    for (const entry of entriesOf(join(root, folder))) {
      const path = join(folder, entry.name);
      const absolute = join(root, path);
      if (exclude.includes(absolute)) continue;
      const atMs = changedAt(absolute);
      if (atMs > sinceMs) return { path: absolute, atMs };
      if (entry.isDirectory() && !NOT_ENTERED.test(path)) folders.push(path);
      if (++looked % ENTRIES_PER_TURN === 0) await breathe();
      if (looked >= MAX_ENTRIES) return null;
    }
  }
  return null;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Gone meanwhile, or not ours to read.
  }
}

function changedAt(path: string): number {
  try {
    return lstatSync(path).ctimeMs;
  } catch {
    return 0;
  }
}
