import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where `name` would be found by a child with this PATH and cwd, or null. The start-up check and the spawn both ask here. */
export function resolveBinary(name: string, path: string | undefined, workDir: string): string | null {
  if (name.includes('/')) return executable(isAbsolute(name) ? name : resolve(workDir, name));
  for (const folder of (path ?? '').split(delimiter)) {
    const found = executable(join(folder === '' ? workDir : resolve(workDir, folder), name));
    if (found) return found;
  }
  return null;
}

function executable(path: string): string | null {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? path : null;
  } catch {
    return null;
  }
}
