import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../util/clock.ts';
import { lstatOrNull } from '../../util/stat.ts';

const MB = 1024 * 1024;
/** Every CLI leaves something small; only what fills a disk within some nights is news. */
const NEWS_BYTES = 64 * MB;
const NEWS_FILES = 1_000;
/** It is only a report: no round waits for it longer. */
const MOST_MS = 50;
const MOST_FILES = 5_000;

export interface LeftBehind {
  /** Names in the folder itself. */
  entries: number;
  files: number;
  mb: number;
  /** False: there is more than was counted. */
  whole: boolean;
}

/** What is in a folder now; null when it cannot be listed. */
export function namesIn(folder: string): ReadonlySet<string> | null {
  try {
    return new Set(readdirSync(folder));
  } catch {
    return null;
  }
}

/**
 * What appeared in `folder` since `before`, was made after `since` (epoch ms) and belongs to this user; null when that is not worth a
 * word. In a folder that others use too, /tmp above all, some of it may be theirs. Removes nothing, follows no link, never throws: the
 * agent decides what lies there.
 */
export function leftBehind(folder: string, before: ReadonlySet<string>, since: number, clock: Clock): LeftBehind | null {
  const left: LeftBehind = { entries: 0, files: 0, mb: 0, whole: true };
  const end = clock.monotonic() + MOST_MS;
  let bytes = 0;
  const count = (path: string) => {
    if (left.files >= MOST_FILES || clock.monotonic() > end) {
      left.whole = false;
      return;
    }
    const stat = lstatOrNull(path);
    // Gone meanwhile, or folders in folders have made its path too long.
    if (stat === null) left.whole = false;
    if (stat === null || stat.ctimeMs < since) return;
    left.files += 1;
    bytes += stat.blocks * 512;
    if (stat.isDirectory()) for (const entry of entriesOf(path)) count(join(path, entry.name));
  };
  for (const name of namesIn(folder) ?? []) {
    const stat = before.has(name) ? null : lstatOrNull(join(folder, name));
    if (stat === null || stat.uid !== process.getuid?.() || stat.ctimeMs < since) continue;
    left.entries += 1;
    count(join(folder, name));
  }
  left.mb = Math.round(bytes / MB);
  return bytes >= NEWS_BYTES || left.files >= NEWS_FILES ? left : null;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
