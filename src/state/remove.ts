import { unlinkSync } from 'node:fs';
import { lstatOrNull } from '../util/stat.ts';
import { setAside } from './set-aside.ts';

/**
 * Removes a state file; what is no file (a directory that an agent made there) is set aside instead. True when nothing is there any
 * more, false when it stays (a read-only file system). Never throws.
 */
export function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return lstatOrNull(path) === null || setAside(path) !== null;
  }
}
