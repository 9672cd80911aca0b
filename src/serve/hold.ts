import { mkdirSync } from 'node:fs';
import { describeHolder, removeHolder, writeHolder } from '../state/holder.ts';
import type { Layout } from '../state/layout.ts';
import { acquireLock } from '../state/lock.ts';
import { readPidFile, removePidFile } from '../state/pid-file.ts';
import { RunnerError } from '../util/errors.ts';

/** Runs `work` as the only serve of this log_dir; the pid file goes before the lock does. Throws AR-SRV-001 when another one runs. */
export async function asTheOnlyServe<T>(paths: Layout, work: () => Promise<T>): Promise<T> {
  makeLogDir(paths);
  const holder = `${paths.serveLock}.holder`;
  const lock = await acquireLock(paths.serveLock);
  if (lock === null) throw anotherServe(paths, describeHolder(holder));
  // An agent that deletes the lock file frees its name and not the serve that holds it.
  const other = readPidFile(paths.servePid);
  if (other?.verified && other.pid !== process.pid) {
    lock.release();
    throw anotherServe(paths, `it is pid ${other.pid}, and its lock file was removed`);
  }
  writeHolder(holder);
  try {
    return await work();
  } finally {
    removePidFile(paths.servePid);
    removeHolder(holder);
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
