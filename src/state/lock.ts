import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { runCommand } from '../process/command.ts';
import { errnoOf, messageOf, RunnerError } from '../util/errors.ts';
import { statOrNull } from '../util/stat.ts';

export interface Lock {
  /** Gives the lock back; a second call does nothing. The file stays: removing it would let two hold "the" lock. */
  release(): void;
  /** False when the lock file was removed or replaced: then somebody else can take "the" lock. */
  isInPlace(): boolean;
}

/** BSD and macOS: open and lock in one call, no other program needed. Node has no name for it. */
const O_EXLOCK = 0x20;
/** util-linux and busybox alike: the descriptor is locked by somebody else, said without a word on stderr. */
const HELD = 1;
/** The file may be replaced between our open and our lock; nobody replaces it this often. */
const ATTEMPTS = 5;

/**
 * Takes the exclusive kernel lock on `path` (made if absent) without waiting; null when somebody holds it. The lock excludes Python's
 * `fcntl.flock`, ends with this process however it dies, works between containers that share the directory, and does not leak to
 * children (Node opens with O_CLOEXEC). Throws AR-LCK-001 (no `flock` program), AR-LCK-002 (the file system does not lock),
 * AR-LCK-003 (the file cannot be opened).
 */
export async function acquireLock(path: string): Promise<Lock | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const descriptor = process.platform === 'darwin' ? openLocked(path) : await openThenLock(path);
    if (descriptor === null) return null;
    if (isStillAt(path, descriptor)) return lockOn(path, descriptor);
    closeSync(descriptor);
  }
  return null;
}

function lockOn(path: string, descriptor: number): Lock {
  let held = true;
  return {
    release() {
      if (held) closeSync(descriptor);
      held = false;
    },
    isInPlace: () => held && isStillAt(path, descriptor),
  };
}

/**
 * Node has no flock(2). The lock belongs to the open file, not to the process that took it: `flock` takes it on the descriptor that it
 * inherits as 3 and exits, and it stays ours as long as we keep that descriptor open.
 */
async function openThenLock(path: string): Promise<number | null> {
  const descriptor = open(path, 0);
  const done = await runCommand(['flock', '-n', '3'], { fds: [descriptor], cwd: '/' });
  if (done.code === 0) return descriptor;
  closeSync(descriptor);
  if (done.code === HELD && done.stderr === '') return null;
  if (done.spawnError !== null) throw noFlock(path, done.spawnError);
  throw noLocking(path, done.stderr.trim() || (done.timedOut ? 'flock did not answer' : `flock ended with ${done.code ?? done.signal}`));
}

function openLocked(path: string): number | null {
  try {
    return open(path, O_EXLOCK | constants.O_NONBLOCK);
  } catch (error) {
    const cause = error instanceof RunnerError ? error.cause : error;
    if (errnoOf(cause) === 'EAGAIN') return null;
    if (errnoOf(cause) === 'ENOTSUP' || errnoOf(cause) === 'EOPNOTSUPP') throw noLocking(path, messageOf(cause));
    throw error;
  }
}

function open(path: string, flags: number): number {
  try {
    // A FIFO or a symlink planted at this place must neither block us nor lead us elsewhere.
    return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | flags, 0o644);
  } catch (error) {
    throw new RunnerError({
      code: 'AR-LCK-003',
      message: `the lock file ${path} cannot be opened: ${errnoOf(error) ?? messageOf(error)}`,
      remedy: 'check that log_dir is writable for this user and that the lock file is a plain file',
      exit: 'environment',
      cause: error,
    });
  }
}

/** False when the file was removed or replaced meanwhile: a lock on a file that nobody finds excludes nobody. */
function isStillAt(path: string, descriptor: number): boolean {
  const found = statOrNull(path);
  const ours = fstatSync(descriptor);
  return found !== null && found.ino === ours.ino && found.dev === ours.dev;
}

function noFlock(path: string, errno: string): RunnerError {
  return new RunnerError({
    code: 'AR-LCK-001',
    message: `${path} cannot be locked: the program flock could not be started (${errno})`,
    remedy: 'install util-linux (Debian, Fedora, Alpine: package util-linux) and make sure that flock is on PATH',
    exit: 'environment',
  });
}

function noLocking(path: string, reason: string): RunnerError {
  return new RunnerError({
    code: 'AR-LCK-002',
    message: `${path} cannot be locked: ${reason}`,
    remedy: 'put runtime.log_dir on a local file system; a network file system needs working locks (NFS: its lock service)',
    exit: 'environment',
  });
}
