import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where a work tree and its repository lie; absolute, without symbolic links. */
export interface Location {
  /** Top of the work tree. */
  top: string;
  /** The repository, of this work tree alone when it is a linked one. */
  gitDir: string;
  /** What all work trees of the repository share: objects, refs, configuration, hooks. */
  commonDir: string;
}

/** A `.git` file holds one line. */
const LONGEST_GIT_FILE = 8192;

/**
 * The repository that git would find from `workDir`, by the same rule (upwards, within one file system), without starting git.
 * Null when there is none.
 */
export function locate(workDir: string): Location | null {
  try {
    let top = realpathSync(workDir);
    const device = statSync(top).dev;
    for (;;) {
      const found = locationAt(top);
      if (found) return found;
      const parent = dirname(top);
      if (parent === top || statSync(parent).dev !== device) return null;
      top = parent;
    }
  } catch {
    return null; // workDir is missing or cannot be read.
  }
}

/** The repository whose work tree has its top exactly here. */
export function locationAt(top: string): Location | null {
  try {
    const path = join(top, '.git');
    const entry = statSync(path, { throwIfNoEntry: false });
    if (!entry) return null;
    let gitDir = path;
    if (!entry.isDirectory()) {
      // Whoever works in the tree could put a pipe or an endless file here: only a small regular file is read.
      if (!entry.isFile() || entry.size > LONGEST_GIT_FILE) return null;
      const target = /^gitdir: (.+?)[\r\n]*$/.exec(readFileSync(path, 'utf8'))?.[1];
      if (target === undefined) return null;
      gitDir = resolve(top, target);
    }
    gitDir = realpathSync(gitDir);
    lstatSync(join(gitDir, 'HEAD'));
    return { top, gitDir, commonDir: commonDirOf(gitDir) };
  } catch {
    return null;
  }
}

function commonDirOf(gitDir: string): string {
  const file = statSync(join(gitDir, 'commondir'), { throwIfNoEntry: false });
  if (!file?.isFile() || file.size > LONGEST_GIT_FILE) return gitDir;
  return realpathSync(resolve(gitDir, readFileSync(join(gitDir, 'commondir'), 'utf8').trimEnd()));
}
