import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Read from the end at most: fifty lines of an agent may be megabytes each. */
const MAX_BYTES = 64 * 1024;

/**
 * The last `lines` lines of a round's log, or null when it cannot be read. Reads backwards at most 64 KiB whatever the file's size; a
 * first line that began earlier is marked by `…`. Never blocks on a FIFO, never follows a
 * link that an agent may have planted in place of the log.
 */
export function logTail(path: string, lines: number): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return null;
    const start = Math.max(0, stat.size - MAX_BYTES);
    const bytes = Buffer.allocUnsafe(stat.size - start);
    const length = readSync(descriptor, bytes, 0, bytes.length, start);
    return lastLines(wholeCharacters(bytes.subarray(0, length), start > 0), start > 0, lines);
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}

function lastLines(text: string, cut: boolean, lines: number): string {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  const last = all.slice(-lines);
  if (cut && last.length === all.length) last[0] = `…${last[0] ?? ''}`;
  return last.join('\n');
}

/** The window may begin within a UTF-8 sequence: its leftover bytes (10xxxxxx, at most three) are dropped. */
function wholeCharacters(bytes: Buffer, cut: boolean): string {
  let skip = 0;
  while (cut && skip < 3 && ((bytes[skip] ?? 0) & 0xc0) === 0x80) skip++;
  return bytes.toString('utf8', skip);
}
