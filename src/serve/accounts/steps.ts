import type { EventFields } from '../../events/catalogue.ts';
import { CONSEQUENCES } from '../../round/consequences.ts';
import type { RoundResult } from '../../round/types.ts';
import type { AccountsState, Refusal, Throttle } from '../../state/accounts.ts';
import { isoTime } from '../../util/clock.ts';
import { throttleAfter } from './throttle.ts';

/** A login that was mended without a word to us is found within this; a refused try takes seconds. */
const NEXT_TRY_MS = 3600 * 1000;

/** Those who answer may look at another clock (a host's, a container's), which is a little ahead. */
const ANSWER_AHEAD_MS = 60_000;

export interface AccountsStep {
  state: AccountsState;
  /** Throttles that are over: by their time, or proven wrong by a success. */
  recovered: Throttle[];
  capped: EventFields<'transient_error_backoff_capped'> | null;
}

export interface AfterRound {
  now: number;
  /** In [0, 1). */
  random: number;
  /** Of the agent's env_file, see `Refusal.env_file`. */
  envFile: string | null;
}

/** The accounts after a round: what its agent was told, or that it is well. Pure, as is all below. */
export function accountsAfter(state: AccountsState, result: RoundResult, { now, random, envFile }: AfterRound): AccountsStep {
  const { account, identity: agent, outcome, turn, roundNum, phase } = result;
  const error = turn?.error ?? null;
  const before = state.throttles.find((throttle) => throttle.account === account) ?? null;
  if (error?.kind === 'rate_limited' || error?.kind === 'provider_error') {
    const found = {
      account,
      agent,
      classification: error.classification,
      resetAtEpoch: error.resetAtEpoch,
      roundNum: roundNum ?? 0,
      phase,
    };
    const { throttle, capped } = throttleAfter(before, found, now, random);
    return { state: { ...state, throttles: [...others(state.throttles, account), throttle] }, recovered: [], capped };
  }
  if (error?.kind === 'auth_error') {
    const known = state.refusals.find((refusal) => refusal.account === account);
    // With another file it is another key.
    const consecutive = known?.env_file === envFile ? known.consecutive + 1 : 1;
    const refusal: Refusal = { account, agent, since: isoTime(now), consecutive, next_try: isoTime(now + NEXT_TRY_MS), env_file: envFile };
    return { state: { ...state, refusals: [...others(state.refusals, account), refusal] }, recovered: [], capped: null };
  }
  const isWell = CONSEQUENCES[outcome].auth === 'reset';
  if (!isWell) return { state, recovered: [], capped: null };
  const refusals = others(state.refusals, account);
  const throttles = others(state.throttles, account);
  return { state: { ...state, refusals, throttles }, recovered: before?.until == null ? [] : [before], capped: null };
}

/** Ends the throttles of which `isOver` says so. */
export function withoutLapsed(state: AccountsState, isOver: (throttle: Throttle) => boolean): AccountsStep {
  const over = state.throttles.filter((throttle) => throttle.until !== null && isOver(throttle));
  return { state: ended(state, (throttle) => over.includes(throttle)), recovered: over, capped: null };
}

/** `wake`: every account may be tried at once. What was interrupted has recovered nothing. */
export function woken(state: AccountsState, now: number): AccountsState {
  const refusals = state.refusals.map((refusal) => ({ ...refusal, next_try: isoTime(now) }));
  return { ...ended(state, () => true), refusals };
}

/** `ack auth` and `ack billing`, each at its time (ISO): they answer for what was refused until then. */
export function acknowledged(state: AccountsState, acked: Readonly<Record<string, string>>, now: number): AccountsState {
  const answered = (reason: string, since: string) => {
    const at = Date.parse(acked[reason] ?? '');
    // An answer of a clock that was ahead would answer for all that is refused from now on.
    return Math.min(Date.parse(since), now) <= at && at <= now + ANSWER_AHEAD_MS;
  };
  const refusals = state.refusals.filter(({ since }) => !answered('auth', since));
  return { ...ended(state, ({ classification, since }) => classification === 'billing' && answered('billing', since)), refusals };
}

/** A refused account may be tried. No try is further away than this: with more the clock was set back. */
export function mayTryAgain({ next_try: nextTry }: Refusal, now: number): boolean {
  const left = Date.parse(nextTry) - now;
  return left <= 0 || left > NEXT_TRY_MS;
}

/**
 * What was noted under a clock that has been set back since, while nobody ran: a wait lasts as long as it would have, from now on. A
 * stated end too: "resets at 7 am" was read by that clock, and a try too early costs one refusal, which states it anew.
 */
export function byThisClock(state: AccountsState, now: number): AccountsState {
  const throttles = state.throttles.map((throttle): Throttle => {
    const { since, until } = throttle;
    if (until === null || Date.parse(since) <= now) return throttle;
    return { ...throttle, since: isoTime(now), until: isoTime(now + Math.max(0, Date.parse(until) - Date.parse(since))) };
  });
  return { ...state, throttles };
}

/** What a person is still asked for. */
export function stillAsked({ throttles, refusals }: AccountsState): string[] {
  const isUnpaid = ({ classification }: Throttle) => classification === 'billing';
  return [...(refusals.length > 0 ? ['auth'] : []), ...(throttles.some(isUnpaid) ? ['billing'] : [])];
}

function ended(state: AccountsState, which: (throttle: Throttle) => boolean): AccountsState {
  return { ...state, throttles: state.throttles.map((throttle) => (which(throttle) ? { ...throttle, until: null } : throttle)) };
}

function others<Entry extends { account: string }>(entries: readonly Entry[], account: string): Entry[] {
  return entries.filter((entry) => entry.account !== account);
}
