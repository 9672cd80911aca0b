import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { errnoOf } from '../util/errors.ts';

const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NEWLINE = 0x0a;
/** What open says about a symlink, a directory, a FIFO without a reader, a socket in the place of the file. */
const NO_FILE = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO']);

/**
 * Appends one line (without its newline) by ONE write to an O_APPEND descriptor, so that lines of several processes never mix. A torn
 * last line, left by a full disk or a power cut, gets its newline first. Opening the file for each line costs 20 microseconds and
 * makes rotation, deletion and a folder that comes back non-events. Not synced: a line outlives this process, not a power cut.
 * Throws the system's error when the line is not there as a whole.
 */
export function appendLine(path: string, line: string): void {
  const descriptor = openRegular(path);
  try {
    const bytes = Buffer.from(`${isTorn(descriptor) ? '\n' : ''}${line}\n`);
    const written = writeSync(descriptor, bytes);
    // The next writer ends this piece; the whole line must come again.
    if (written < bytes.length) throw Object.assign(new Error('the disk took only a part of the line'), { code: 'ENOSPC' });
  } finally {
    closeSync(descriptor);
  }
}

function openRegular(path: string): number {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, FLAGS, 0o644);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch (error) {
    if (!NO_FILE.has(errnoOf(error) ?? '')) throw error;
  }
  // Planted there, it would make the log vanish (a link to /dev/null) or block us (a FIFO).
  renameSync(path, `${path}.set-aside`);
  return openSync(path, FLAGS, 0o644);
}

/** Asked before each write, not only the first: another process may have torn its line meanwhile. */
function isTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last[0] !== NEWLINE;
}
