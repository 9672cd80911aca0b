import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, messageOf } from '../util/errors.ts';

/** What a state file holds, read without touching it: `corrupt` and `unreadable` name the reason. */
export type Look = { kind: 'ok'; value: unknown } | { kind: 'missing' } | { kind: 'corrupt' | 'unreadable'; reason: string };

/** Our state files are a few kilobytes; a longer one is not ours. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a JSON file for onlookers (`peek`, `status`): unlike `readJson` it never sets a corrupt file aside, because who only looks
 * must not write. Never throws and never blocks, whatever lies at `path`.
 */
export function lookAtJson(path: string): Look {
  let descriptor: number;
  try {
    // Without O_NONBLOCK the open of a FIFO waits for a writer for ever.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const errno = errnoOf(error);
    return errno === 'ENOENT' || errno === 'ENOTDIR' ? { kind: 'missing' } : { kind: 'unreadable', reason: errno ?? messageOf(error) };
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { kind: 'corrupt', reason: 'not a regular file' };
    if (stat.size > MAX_BYTES) return { kind: 'corrupt', reason: `${stat.size} bytes long` };
    const bytes = Buffer.alloc(stat.size);
    const length = readSync(descriptor, bytes, 0, stat.size, 0);
    return { kind: 'ok', value: JSON.parse(bytes.toString('utf8', 0, length)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'corrupt', reason: 'not valid JSON' };
    return { kind: 'unreadable', reason: errnoOf(error) ?? messageOf(error) };
  } finally {
    closeSync(descriptor);
  }
}
