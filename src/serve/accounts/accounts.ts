import { isDeepStrictEqual } from 'node:util';
import type { Emit } from '../../events/emit.ts';
import type { RoundResult } from '../../round/types.ts';
import { type AccountsState, asAccounts, NO_ACCOUNTS, type Throttle } from '../../state/accounts.ts';
import { readAcked } from '../../state/acked.ts';
import { tryWriteJson } from '../../state/atomic.ts';
import type { Layout } from '../../state/layout.ts';
import { loadState } from '../../state/load-state.ts';
import { setAside } from '../../state/set-aside.ts';
import type { Clock } from '../../util/clock.ts';
import { statOrNull } from '../../util/stat.ts';
import type { TurnAgent } from '../turn/plan.ts';
import { secondsSince } from '../wait.ts';
import { recallAccounts, recalledUntil } from './recall.ts';
import { refusalObstacle, throttleObstacle } from './sentences.ts';
import { type AccountsStep, accountsAfter, acknowledged, byThisClock, mayTryAgain, stillAsked, withoutLapsed, woken } from './steps.ts';

/** Longer than any end that is believed (35 days and its jitter): serve has not written that. */
const LONGEST_THROTTLE_MS = 36 * 24 * 3600 * 1000;

/** Which accounts must be left alone, and until when: on disk, and folded from the event log where that knows more. */
export interface Accounts {
  /** What stands in the way of an agent of this account now. */
  obstacles(account: string, envFile: string | null): Pick<TurnAgent, 'throttle' | 'refusal'>;
  /** Refusals of its credentials in a row. */
  refusals(account: string): number;
  /** Reasons for which a person is still asked. */
  stillAsked(): string[];
  /** Takes in what a round was told. */
  afterRound(result: RoundResult, envFile: string | null): void;
  /** Ends what has run out, each once, and tells. */
  endLapsed(): void;
  /** Every account may be tried at once. */
  wake(): void;
  /** Takes in `ack auth` and `ack billing`; `tell` is called first when one of them ended a wait, so that the state saved is the newer word. */
  hear(tell: () => void): void;
  /** The configuration was changed by a person: refused credentials are tried again. */
  forgiveRefusals(): void;
}

export interface KeepAccounts {
  paths: Layout;
  clock: Clock;
  emit: Emit;
  random: () => number;
  /** Stopped on purpose and started again: whoever did that has seen to the logins. */
  deliberateRestart: boolean;
}

export function keepAccounts({ paths, clock, emit, random, deliberateRestart }: KeepAccounts): Accounts {
  let state = load(paths, emit, clock.now());
  // A clock that jumps back must not lengthen a wait.
  const ends = new Map<string, { until: string; monotonic: number }>();
  const endOf = ({ account, until }: Throttle): number => {
    if (until === null) return 0;
    const known = ends.get(account);
    if (known?.until === until) return known.monotonic;
    const monotonic = clock.monotonic() + (Date.parse(until) - clock.now());
    ends.set(account, { until, monotonic });
    return monotonic;
  };
  const isOver = (throttle: Throttle) =>
    throttle.until === null || Date.parse(throttle.until) <= clock.now() || endOf(throttle) <= clock.monotonic();

  const take = (next: AccountsState) => {
    if (isDeepStrictEqual(next, state)) return;
    state = { ...next, seen: recalledUntil(paths.logDir, clock.now()) };
    for (const throttle of state.throttles) endOf(throttle);
    // On a full disk it is kept in memory alone; the event log knows most of it.
    tryWriteJson(paths.accounts, state);
  };
  const step = ({ state: next, recovered, capped }: AccountsStep) => {
    for (const { account, agent, classification, since } of recovered) {
      emit('transient_error_recovered', { classification, agent, account, throttled_for_s: secondsSince(since, clock.now()) });
    }
    if (capped !== null) emit('transient_error_backoff_capped', capped);
    take(next);
  };

  const seen = recalledUntil(paths.logDir, clock.now());
  const recalled = { ...byThisClock(recallAccounts(paths.logDir, state, clock.now()), clock.now()), seen };
  take(deliberateRestart ? { ...recalled, refusals: [] } : recalled);
  return {
    obstacles(account, envFile) {
      const throttle = state.throttles.find((one) => one.account === account);
      const refusal = state.refusals.find((one) => one.account === account);
      const isMended = refusal !== undefined && refusal.env_file !== stampOf(envFile);
      return {
        throttle: throttle === undefined || isOver(throttle) ? null : throttleObstacle(throttle, Date.parse(throttle.until ?? '')),
        refusal: refusal === undefined || isMended || mayTryAgain(refusal, clock.now()) ? null : refusalObstacle(refusal),
      };
    },
    refusals: (account) => state.refusals.find((one) => one.account === account)?.consecutive ?? 0,
    stillAsked: () => stillAsked(state),
    afterRound: (result, envFile) => step(accountsAfter(state, result, { now: clock.now(), random: random(), envFile: stampOf(envFile) })),
    endLapsed: () => step(withoutLapsed(state, isOver)),
    wake: () => take(woken(state, clock.now())),
    hear(tell) {
      const next = acknowledged(state, readAcked(paths), clock.now());
      if (isDeepStrictEqual(next, state)) return;
      tell();
      take(next);
    },
    forgiveRefusals: () => take({ ...state, refusals: [] }),
  };
}

function load(paths: Layout, emit: Emit, now: number): AccountsState {
  const state = loadState(paths.accounts, asAccounts, (found) => emit('state_file_set_aside', found));
  const wrong = state?.throttles.find(({ until }) => until !== null && Date.parse(until) - now > LONGEST_THROTTLE_MS);
  if (wrong === undefined) return state ?? NO_ACCOUNTS;
  const reason = `waits until ${wrong.until}`;
  emit('state_file_set_aside', { path: paths.accounts, set_aside: setAside(paths.accounts), reason });
  return NO_ACCOUNTS;
}

/** What changes when somebody writes the file. */
function stampOf(envFile: string | null): string | null {
  const stat = envFile === null ? null : statOrNull(envFile);
  return stat === null ? null : `${stat.mtimeMs} ${stat.size}`;
}
