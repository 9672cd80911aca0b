import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

export type Family = 'events' | 'metrics';

/** Names of the monthly files of `logDir`, oldest first, up to `newest`; none when the folder cannot be listed. */
export function monthlyFiles(logDir: string, family: Family, newest?: string): string[] {
  const pattern = new RegExp(`^${family}-\\d{4}-\\d{2}\\.jsonl$`);
  try {
    return readdirSync(logDir)
      .filter((name) => pattern.test(name) && (newest === undefined || name <= newest))
      .sort();
  } catch {
    return [];
  }
}

export interface OpenFile {
  /** When it was opened; it may grow meanwhile. */
  size: number;
  /** Up to `length` bytes from `offset`; fewer at the end of the file. In the memory of `into` where that is given. */
  read(offset: number, length: number, into?: Buffer): Buffer;
}

/** Hands the file to `use` and closes it; null when it is not there or no regular file (a FIFO would block us for ever). */
export function withFile<Result>(logDir: string, name: string, use: (file: OpenFile) => Result): Result | null {
  let descriptor: number;
  try {
    descriptor = openSync(join(logDir, name), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return null;
    return use({ size: stat.size, read: (offset, length, into) => readAt(descriptor, offset, length, into) });
  } finally {
    closeSync(descriptor);
  }
}

function readAt(descriptor: number, offset: number, length: number, bytes: Buffer = Buffer.allocUnsafe(length)): Buffer {
  let done = 0;
  try {
    for (let got = -1; got !== 0 && done < length; done += got) got = readSync(descriptor, bytes, done, length - done, offset + done);
  } catch {
    // EIO: what was read so far is what there is.
  }
  return bytes.subarray(0, done);
}
