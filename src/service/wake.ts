import { NO_ACCOUNTS, readAccounts } from '../state/accounts.ts';
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
  /** Accounts that were throttled, or whose login was refused: their waits are ended with it. */
  limited: string[];
}

/** Ends the wait that serve is in. Throws AR-CLI-006 when serve is not running. */
export async function wake(paths: Layout, now: number): Promise<WakeReport> {
  const serve = await findServe(paths);
  if (serve === null) throw nothingRuns('serve is not running, so there is nobody to wake');
  prepareState(paths);
  const { throttles, refusals } = readAccounts(paths) ?? NO_ACCOUNTS;
  const waits = [
    ...throttles.map(({ account, until }) => ({ account, until })),
    ...refusals.map((r) => ({ account: r.account, until: r.next_try })),
  ];
  const limited = waits.filter(({ until }) => Date.parse(until ?? '') > now).map(({ account }) => account);
  const report = {
    pid: serve.pid,
    reason: readWait(paths)?.reason ?? null,
    paused: readPause(paths) !== null,
    limited: [...new Set(limited)],
  };
  writeAtomic(paths.wake, `${isoTime(now)}\n`);
  return report;
}

/** Has serve look at its configuration again (SIGHUP); returns its pid. Throws AR-CLI-006 when serve is not running. */
export async function reload(paths: Layout): Promise<number> {
  const serve = await findServe(paths);
  if (serve === null || !sendSignal(serve, 'SIGHUP')) throw nothingRuns('serve is not running; it reads the configuration when it starts');
  return serve.pid;
}
