import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, messageOf } from '../util/errors.ts';

export type BoundedRead = { kind: 'ok'; text: string } | { kind: 'missing' } | { kind: 'refused'; reason: string };

/**
 * Reads a file that somebody else may have planted: no symlink is followed, a FIFO does not block, a device or a directory is refused,
 * and nothing beyond `maxBytes` is read. Never throws.
 */
export function readBounded(path: string, maxBytes: number): BoundedRead {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'refused', reason: errno === 'ELOOP' ? 'it is a symbolic link' : messageOf(error) };
  }
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) return { kind: 'refused', reason: 'it is not a regular file' };
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let got = 1; got > 0 && length <= maxBytes; length += got)
      got = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (length > maxBytes) return { kind: 'refused', reason: `it is longer than ${maxBytes} bytes` };
    return { kind: 'ok', text: buffer.toString('utf8', 0, length) };
  } catch (error) {
    return { kind: 'refused', reason: messageOf(error) };
  } finally {
    closeSync(descriptor);
  }
}
