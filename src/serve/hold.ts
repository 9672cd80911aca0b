import { mkdirSync } from 'node:fs';
import { describeHolder, removeHolder, writeHolder } from '../state/holder.ts';
import type { Layout } from '../state/layout.ts';
import { acquireLock } from '../state/lock.ts';
import { readPidFile, removePidFile } from '../state/pid-file.ts';
import { RunnerError } from '../util/errors.ts';

/**
 * Runs `work` as the only serve of this log_dir; the pid file goes before the lock does. Throws AR-SRV-001 when another one runs.
 * `keep` is for before each round: an agent that deletes log_dir frees the name of the lock, and another serve may have begun there.
 * It makes the folder and takes the lock again, or throws AR-SRV-001.
 */
export async function asTheOnlyServe<T>(paths: Layout, work: (keep: () => Promise<void>) => Promise<T>): Promise<T> {
  makeLogDir(paths);
  const holder = `${paths.serveLock}.holder`;
  const taken = async () => {
    const found = await acquireLock(paths.serveLock);
    if (found === null) throw anotherServe(paths, describeHolder(holder));
    return found;
  };
  let lock = await taken();
  // An agent that deletes the lock file frees its name and not the serve that holds it.
  const other = readPidFile(paths.servePid);
  if (other?.verified && other.pid !== process.pid) {
    lock.release();
    throw anotherServe(paths, `it is pid ${other.pid}, and its lock file was removed`);
  }
  writeHolder(holder);
  const keep = async () => {
    if (lock.isInPlace()) return;
    makeLogDir(paths);
    const anew = await taken();
    lock.release();
    lock = anew;
    writeHolder(holder);
  };
  try {
    return await work(keep);
  } finally {
    removePidFile(paths.servePid);
    // In the place of a lock that was lost lies another serve's name.
    if (lock.isInPlace()) removeHolder(holder);
    lock.release();
  }
}

function anotherServe({ logDir }: Layout, who: string): RunnerError {
  return new RunnerError({
    code: 'AR-SRV-001',
    message: `another serve runs for ${logDir}: ${who}`,
    remedy: 'stop it with `agent-runner stop`, or give this one a log_dir of its own',
  });
}

function makeLogDir(paths: Layout): void {
  try {
    mkdirSync(paths.rounds, { recursive: true });
    mkdirSync(paths.state, { recursive: true });
  } catch (cause) {
    throw new RunnerError({
      code: 'AR-SRV-002',
      message: `log_dir ${paths.logDir} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`,
      remedy: 'correct [runtime] log_dir, or give this user write permission there',
      exit: 'environment',
      cause,
    });
  }
}
