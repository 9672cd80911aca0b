import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf } from '../util/errors.ts';
import { pathProblem } from './paths.ts';
import { type ConfigCode, ConfigProblems } from './problems.ts';

/** A configuration is a few kilobytes; anything longer is somebody else's file. */
const LARGEST_CONFIG_BYTES = 1024 * 1024;
/** Longer than nearly all of them. */
const FIRST_READ_BYTES = 16 * 1024;

/**
 * The text of a configuration file. Throws ConfigProblems with one problem that says what is wrong with the file as a whole.
 * `byteOrderMark`: a text that begins with one is given out as it is, for `migrate`, which takes it away.
 */
export function readConfigFile(file: string, byteOrderMark: 'refused' | 'kept' = 'refused'): string {
  const refuse = (code: ConfigCode, message: string, remedy: string) =>
    new ConfigProblems([{ code, file, line: 1, column: 1, key: '', message, remedy }]);

  const unprintable = pathProblem(file);
  if (unprintable !== null) throw refuse('AR-CFG-018', `the file's own path ${unprintable}`, 'Rename the file or its folder.');

  const bytes = readBounded(file, refuse);
  if (bytes.length > LARGEST_CONFIG_BYTES) {
    throw refuse('AR-CFG-004', `the file is longer than 1 MiB`, 'Give the path of an agent-runner.toml; a real one has a few kilobytes.');
  }
  if (bytes.length >= 2 && (bytes.readUInt16BE(0) === 0xfffe || bytes.readUInt16BE(0) === 0xfeff)) {
    throw refuse('AR-CFG-005', 'the file is UTF-16 text; TOML is UTF-8', 'Save it as UTF-8 without a byte order mark.');
  }
  if (byteOrderMark === 'refused' && bytes.subarray(0, 3).equals(UTF8_BOM)) {
    throw refuse('AR-CFG-005', 'the file begins with a byte order mark', 'Save it as UTF-8 without a byte order mark (BOM).');
  }
  const text = decode(bytes);
  if (text === null) {
    throw refuse('AR-CFG-005', 'the file is binary, not UTF-8 text', 'Give the path of an agent-runner.toml, and save it as UTF-8.');
  }
  return text;
}

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function readBounded(file: string, refuse: (code: ConfigCode, message: string, remedy: string) => ConfigProblems): Buffer {
  let descriptor: number | null = null;
  try {
    // Without O_NONBLOCK a FIFO in the file's place would wait for a writer for ever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(descriptor);
    if (stat.isDirectory())
      throw refuse('AR-CFG-003', 'this is a directory', 'Give the path of the file itself: --config DIR/agent-runner.toml');
    if (!stat.isFile()) throw refuse('AR-CFG-003', 'this is not a regular file', 'Give the path of an agent-runner.toml.');
    return readAll(descriptor);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || error instanceof ConfigProblems) throw error;
    if (errno === 'ENOENT' || errno === 'ENOTDIR') {
      throw refuse('AR-CFG-002', 'there is no such file', "'agent-runner init' writes one; --config names another.");
    }
    if (errno === 'EACCES' || errno === 'EPERM') {
      throw refuse(
        'AR-CFG-003',
        `no permission to read the file (${errno})`,
        'Let the user that runs agent-runner read it and its folders.',
      );
    }
    throw refuse('AR-CFG-003', `the file cannot be read (${errno})`, 'Check the path and the disk.');
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/**
 * At most one byte more than is allowed: files in /proc say that their size is 0. The buffer grows with what comes: serve reads the file
 * some times in each round, and buffers of the largest size are megabytes that the allocator does not give back.
 */
function readAll(descriptor: number): Buffer {
  let bytes = Buffer.allocUnsafe(FIRST_READ_BYTES);
  let length = 0;
  for (let got = -1; got !== 0 && length <= LARGEST_CONFIG_BYTES; length += got) {
    if (length === bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * length, LARGEST_CONFIG_BYTES + 1));
      bytes.copy(larger);
      bytes = larger;
    }
    got = readSync(descriptor, bytes, length, bytes.length - length, null);
  }
  return bytes.subarray(0, length);
}

function decode(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
