import { lstatSync, type Stats, statSync } from 'node:fs';

/**
 * What is at `path`; null when nothing is, and when it cannot be looked at: a circle of links, a path through a plain file, a folder that
 * is closed to us. Agents can make any of these in the place of ours, and `throwIfNoEntry: false` keeps quiet about ENOENT alone.
 */
export function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** The same for a link itself. */
export function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
