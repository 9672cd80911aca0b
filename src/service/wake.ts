import { writeAtomic } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { readPause, readWait } from '../state/serve-state.ts';
import { isoTime } from '../util/clock.ts';
import { findServe, sendSignal } from './running.ts';
import { nothingRuns, prepareState } from './state-files.ts';

/** What the word ended: a wait by its reason, or null when serve was not waiting. A pause is ended by `resume` alone. */
export interface WakeReport {
  pid: number;
  reason: string | null;
  paused: boolean;
}

/** Ends the wait that serve is in. Throws AR-CLI-006 when serve is not running. */
export async function wake(paths: Layout, now: number): Promise<WakeReport> {
  const serve = await findServe(paths);
  if (serve === null) throw nothingRuns('serve is not running, so there is nobody to wake');
  prepareState(paths);
  const report = { pid: serve.pid, reason: readWait(paths)?.reason ?? null, paused: readPause(paths) !== null };
  writeAtomic(paths.wake, `${isoTime(now)}\n`);
  return report;
}

/** Has serve look at its configuration again (SIGHUP); returns its pid. Throws AR-CLI-006 when serve is not running. */
export async function reload(paths: Layout): Promise<number> {
  const serve = await findServe(paths);
  if (serve === null || !sendSignal(serve, 'SIGHUP')) throw nothingRuns('serve is not running; it reads the configuration when it starts');
  return serve.pid;
}
