import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, messageOf } from '../util/errors.ts';

/** What a state file holds, read without touching it: `corrupt` and `unreadable` name the reason. */
export type Look<Value = unknown> = { kind: 'ok'; value: Value } | { kind: 'missing' } | { kind: 'corrupt' | 'unreadable'; reason: string };

/** Our state files are a few kilobytes; a longer one is not ours. */
const MAX_BYTES = 1024 * 1024;
/** What open says about a circle of symlinks and about a socket in the place of the file. */
const NO_FILE = new Set(['ELOOP', 'ENXIO']);

/**
 * Reads a JSON file for onlookers (`peek`, `status`): unlike `readJson` it never sets a corrupt file aside, because who only looks
 * must not write. Never throws and never blocks, whatever lies at `path`.
 */
export function lookAtJson(path: string): Look {
  const seen = lookAtText(path);
  if (seen.kind !== 'ok') return seen;
  try {
    return { kind: 'ok', value: JSON.parse(seen.value) };
  } catch {
    return { kind: 'corrupt', reason: 'not valid JSON' };
  }
}

/** The same for the text alone. */
export function lookAtText(path: string): Look<string> {
  let descriptor: number;
  try {
    // Without O_NONBLOCK the open of a FIFO waits for a writer for ever.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const errno = errnoOf(error) ?? messageOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return { kind: 'missing' };
    return { kind: NO_FILE.has(errno) ? 'corrupt' : 'unreadable', reason: errno };
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { kind: 'corrupt', reason: 'not a regular file' };
    if (stat.size > MAX_BYTES) return { kind: 'corrupt', reason: `${stat.size} bytes long` };
    const bytes = Buffer.alloc(stat.size);
    const length = readSync(descriptor, bytes, 0, stat.size, 0);
    return { kind: 'ok', value: bytes.toString('utf8', 0, length) };
  } catch (error) {
    return { kind: 'unreadable', reason: errnoOf(error) ?? messageOf(error) };
  } finally {
    closeSync(descriptor);
  }
}
