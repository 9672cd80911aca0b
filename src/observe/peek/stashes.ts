import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { locate } from '../../git/locate.ts';
import { parseOrphanMessage } from '../../git/orphan-message.ts';

/** About 400 stashes; who has more is told of these. */
const MOST_BYTES = 64 * 1024;

/** How many stashes of earlier rounds wait in the repository of `workDir`, read from the log of `refs/stash` without starting git. */
export function orphanStashes(workDir: string): number {
  const place = locate(workDir);
  if (place === null) return 0;
  // One line a stash: `<old sha> <new sha> <who> <when>\t<message>`.
  return endOf(join(place.commonDir, 'logs', 'refs', 'stash'))
    .split('\n')
    .filter((line) => parseOrphanMessage(line.split('\t')[1] ?? '') !== null).length;
}

function endOf(path: string): string {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, 'r');
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, size - bytes.length));
  } catch {
    // No stash was ever made, or its log is not ours to read.
    return '';
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
