import { CONSEQUENCES } from '../round/consequences.ts';
import type { Outcome } from '../round/outcome.ts';
import { STREAK_LIMITS, type StreakState, type WaitReason } from '../state/serve-state.ts';

/** Half an hour: the cap of every delay that grows (the predecessor's). */
const LONGEST_DELAY_S = 1800;

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
}

/** How long after this round the next one may start, and why. */
export function delayAfter({ outcome, streaks, restartDelayS }: DelayInput): Delay {
  switch (CONSEQUENCES[outcome].delay) {
    case 'none':
      return { reason: 'restart_delay', ms: 0, sentence: '' };
    // A refusal of the provider holds its account back, at the gate of the turn: another may run meanwhile.
    case 'wait':
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
  }
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
