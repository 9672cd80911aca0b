import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';

/** With every link resolved, as far as the path exists; relative paths count from `base`. */
export function realPath(path: string, base = '/'): string {
  const absolute = isAbsolute(path) ? path : resolve(base, path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPath(parent), absolute.slice(parent.length));
  }
}

/** Does `folder` hold `path`, or are they the same? Both absolute. */
export function contains(folder: string, path: string): boolean {
  const base = folder.endsWith(sep) ? folder.slice(0, -1) : folder;
  return path === base || path.startsWith(base + sep);
}
