import { closeSync, copyFileSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../util/errors.ts';
import type { Location } from './locate.ts';

/** The index as it was, so that a commit which fails leaves no trace in what somebody had staged with care. */
export interface IndexCopy {
  /** Puts it back; false when another git has the index locked now. */
  restore(): boolean;
  discard(): void;
}

export function copyIndex({ gitDir }: Location): IndexCopy {
  const index = join(gitDir, 'index');
  const copy = join(gitDir, 'index.agent-runner');
  const lock = join(gitDir, 'index.lock');
  const existed = copyIfThere(index, copy);
  return {
    restore() {
      try {
        closeSync(openSync(lock, 'wx'));
      } catch {
        return false;
      }
      try {
        if (existed) renameSync(copy, index);
        else rmSync(index, { force: true });
      } finally {
        unlinkSync(lock);
      }
      return true;
    },
    discard: () => rmSync(copy, { force: true }),
  };
}

/** False when there is no index yet: nothing was ever added. */
export function copyIfThere(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
