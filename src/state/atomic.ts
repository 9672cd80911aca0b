import { closeSync, constants, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, messageOf, RunnerError } from '../util/errors.ts';
import { lookAtJson } from './look.ts';
import { setAside } from './set-aside.ts';
import { removeStaleTemps, tempFor } from './temps.ts';

export type JsonRead =
  | { kind: 'ok'; value: unknown }
  | { kind: 'missing' }
  /** `setAside` is where the unusable file lies now, null when it could not be moved. Callers report it (`state_file_set_aside`). */
  | { kind: 'corrupt'; setAside: string | null; reason: string };

/** A file system that cannot sync a directory says so with one of these; there is nothing more to be had there. */
const NO_DIRECTORY_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF']);

interface WriteOptions {
  mode?: number;
  /**
   * False for what only informs and is written anew soon (the context of a round, who holds a lock): two disk syncs, about 2 ms each, are
   * saved. Readers still find one whole text or the other; a power cut may lose it.
   */
  durable?: boolean;
}

/**
 * Replaces the file at `path` in one step that also survives a power cut: whoever reads finds the old text or the new one, whole.
 * A symlink at `path` is replaced, not followed; a directory is set aside. On any failure (a full disk, a read-only one) the old file is untouched and no
 * temp file stays; then it throws AR-STA-001.
 */
export function writeAtomic(path: string, text: string | Uint8Array, { mode = 0o644, durable = true }: WriteOptions = {}): void {
  const folder = dirname(path);
  const temp = tempFor(path);
  try {
    removeStaleTemps(folder);
    writeNew(temp, typeof text === 'string' ? Buffer.from(text) : text, mode, durable);
    takePlace(temp, path);
    if (durable) syncDirectory(folder);
  } catch (error) {
    removeQuietly(temp);
    throw new RunnerError({
      code: 'AR-STA-001',
      message: `${path} cannot be written: ${errnoOf(error) ?? messageOf(error)}`,
      remedy: 'check free space, permissions and mount options of that folder',
      exit: 'environment',
      cause: error,
    });
  }
}

/** A directory cannot be replaced by a file in one step: an agent that makes one here must not stop us from writing. */
function takePlace(temp: string, path: string): void {
  try {
    renameSync(temp, path);
  } catch (error) {
    if (errnoOf(error) !== 'EISDIR' || setAside(path) === null) throw error;
    renameSync(temp, path);
  }
}

/** For what is in memory as well: why it could not be written (a full disk), or null. */
export function tryWriteJson(path: string, value: unknown, options: WriteOptions = {}): string | null {
  try {
    writeJson(path, value, options);
    return null;
  } catch (error) {
    if (error instanceof RunnerError) return `${error.message} [${error.code}]`;
    throw error;
  }
}

/** `value` as indented JSON, by `writeAtomic`. */
export function writeJson(path: string, value: unknown, options: WriteOptions = {}): void {
  writeAtomic(path, `${JSON.stringify(value, null, 2)}\n`, options);
}

/**
 * Reads a JSON file of ours. One that cannot be parsed (torn, empty, NULs, not even a file) is renamed to `<name>.corrupt-<stamp>`,
 * so that nobody mistakes it for an absent one and nothing is lost. Throws AR-STA-002 when it is there but may not be read. The shape
 * of the value is the caller's to check.
 */
export function readJson(path: string): JsonRead {
  const seen = lookAtJson(path);
  if (seen.kind === 'ok' || seen.kind === 'missing') return seen;
  if (seen.kind === 'corrupt') return { kind: 'corrupt', setAside: setAside(path), reason: seen.reason };
  throw new RunnerError({
    code: 'AR-STA-002',
    message: `${path} cannot be read: ${seen.reason}`,
    remedy: 'run agent-runner as the user who owns that folder, or mend its permissions',
    exit: 'environment',
  });
}

function writeNew(path: string, bytes: Uint8Array, mode: number, durable: boolean): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(path, flags, mode);
  try {
    // A nearly full disk takes a part and reports no error before the next write.
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    if (durable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Without it a power cut may undo the rename although the file itself was synced. */
function syncDirectory(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } catch (error) {
    if (!NO_DIRECTORY_SYNC.has(errnoOf(error) ?? '')) throw error;
  } finally {
    closeSync(descriptor);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made, or it is the target by now.
  }
}
