import type { TurnError } from '../agents/adapter.ts';
import { CONSEQUENCES } from '../round/consequences.ts';
import type { Outcome } from '../round/outcome.ts';
import { STREAK_LIMITS, type StreakState, type WaitReason } from '../state/serve-state.ts';

/** Half an hour: the cap of every delay that grows (the predecessor's). */
const LONGEST_DELAY_S = 1800;
/** First wait after a refusal without a stated end, seconds, by classification (the predecessor's). */
const ESTIMATED_WAIT_S: Record<string, number> = { api_timeout: 30, billing: 600 };
const DEFAULT_ESTIMATED_WAIT_S = 60;
/** The one whose stated end is taken as given. */
const ACCOUNT_LIMIT = 'rate_limit_account';
/** 2^5 = 32 times the first wait and no further. */
const MOST_DOUBLINGS = 5;
/** A stated end is believed for so long ahead at most; what is further away is a misread date. */
const LONGEST_STATED_WAIT_S = 8 * 3600;
/** Spread so that many supervisors of one account do not return in the same second. */
const JITTER_S = { least: 5, most: 30 };

/** So many quiet rounds in a row may be a short task that is done; after that each one doubles the delay. */
const QUIET_AT_USUAL_PACE = 5;

export interface Delay {
  reason: WaitReason;
  ms: number;
  sentence: string;
}

export interface DelayInput {
  outcome: Outcome;
  /** The streaks after this round. */
  streaks: StreakState;
  restartDelayS: number;
  error: TurnError | null;
  now: number;
  /** In [0, 1). */
  random: number;
}

/** How long after this round the next one may start, and why. */
export function delayAfter(input: DelayInput): Delay {
  const { outcome, streaks, restartDelayS } = input;
  switch (CONSEQUENCES[outcome].delay) {
    case 'none':
      return { reason: 'restart_delay', ms: 0, sentence: '' };
    case 'base':
      if (streaks.quiet > QUIET_AT_USUAL_PACE && CONSEQUENCES[outcome].exit === 'ok') return slowedDown(streaks.quiet, restartDelayS);
      return { reason: 'restart_delay', ms: restartDelayS * 1000, sentence: 'between two rounds' };
    case 'double':
      return {
        reason: outcome === 'environment' || outcome === 'container_error' ? 'environment' : 'error_backoff',
        ms: restartDelayS * 2000,
        sentence: `the last round ended as ${outcome}`,
      };
    case 'exponential': {
      const s = Math.min(restartDelayS * 2 ** streaks.crash, LONGEST_DELAY_S);
      return {
        reason: 'crash_backoff',
        ms: s * 1000,
        sentence: `backing off after ${streaks.crash} crash${streaks.crash === 1 ? '' : 'es'} in a row`,
      };
    }
    case 'wait':
      return limitWait(input);
  }
}

function limitWait({ error, streaks, now, random }: DelayInput): Delay {
  const jitterMs = (JITTER_S.least + random * (JITTER_S.most - JITTER_S.least)) * 1000;
  const classification = error?.classification ?? 'provider error';
  const base = ESTIMATED_WAIT_S[classification] ?? DEFAULT_ESTIMATED_WAIT_S;
  const estimatedMs = Math.min(base * 2 ** Math.min(Math.max(0, streaks.provider - 1), MOST_DOUBLINGS), LONGEST_DELAY_S) * 1000;
  const resetAtMs = (error?.resetAtEpoch ?? 0) * 1000;
  const statedMs = resetAtMs > now ? Math.min(resetAtMs - now, LONGEST_STATED_WAIT_S * 1000) : 0;
  // The end of an account's limit is a fact; "try again in 2 s" of an overloaded provider must not undo the growth of the wait.
  const ms = classification === ACCOUNT_LIMIT && statedMs > 0 ? statedMs : Math.max(statedMs, estimatedMs);
  const sentence = ms === statedMs ? "usage limit; the end is the provider's own word" : `${classification}; estimated wait`;
  return { reason: 'throttled', ms: ms + jitterMs, sentence };
}

/** Nothing was asked of a model, as far as anybody can tell, and nothing moved: no need to hurry. */
function slowedDown(quiet: number, restartDelayS: number): Delay {
  const s = Math.min(restartDelayS * 2 ** (quiet - QUIET_AT_USUAL_PACE), Math.max(LONGEST_DELAY_S, restartDelayS));
  return {
    reason: 'error_backoff',
    ms: s * 1000,
    sentence: `${quiet} rounds in a row exited 0 within 30 s, told no result and changed nothing; serve stops at ${STREAK_LIMITS.quiet}`,
  };
}
