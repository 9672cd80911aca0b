import { readHolder } from '../state/holder.ts';
import type { Layout } from '../state/layout.ts';
import { acquireLock } from '../state/lock.ts';
import { readPidFile } from '../state/pid-file.ts';
import { type ProcessStart, stillLives } from '../state/process-start.ts';
import type { Clock } from '../util/clock.ts';
import { errnoOf, RunnerError } from '../util/errors.ts';

/** Here every file of ours holds a start time: one without it was written by somebody else, and may name anybody. */
const TELLS_START = process.platform === 'linux';

/**
 * The `serve` of this log_dir, or null. A pid is taken for it only when its start time is that of the pid file; where no start time can
 * be had (no /proc), the kernel lock must say that somebody serves here.
 */
export async function findServe(paths: Layout): Promise<ProcessStart | null> {
  const running = readPidFile(paths.servePid);
  if (running === null) return null;
  return running.verified || (!TELLS_START && (await isHeld(paths.serveLock))) ? running : null;
}

/** The `agent-runner round` that runs a round by itself here, or null. */
export async function findSingleRound(paths: Layout): Promise<ProcessStart | null> {
  const holder = readHolder(paths.roundLockHolder);
  if (typeof holder === 'string') return null;
  const lives = stillLives(holder);
  return lives === 'yes' || (lives === 'unknown' && !TELLS_START && (await isHeld(paths.roundLock))) ? holder : null;
}

async function isHeld(path: string): Promise<boolean> {
  const lock = await acquireLock(path);
  lock?.release();
  return lock === null;
}

/** Sends `signal`; false when the process is gone. Throws AR-CLI-007 when it belongs to somebody else. */
export function sendSignal({ pid }: ProcessStart, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
    throw new RunnerError({
      code: 'AR-CLI-007',
      message: `${signal} cannot be sent to process ${pid}: ${errnoOf(error) ?? error}`,
      remedy: 'run this as the user who started serve, or as root',
      cause: error,
    });
  }
}

const POLL_MS = 25;

/** Waits until that very process is gone, at most `ms`; true when it is. */
export async function goneWithin(process: ProcessStart, ms: number, clock: Clock): Promise<boolean> {
  const end = clock.monotonic() + ms;
  while (stillLives(process) !== 'no') {
    if (clock.monotonic() >= end) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}
