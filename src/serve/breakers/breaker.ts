import type { EventKind } from '../../events/catalogue.ts';
import type { RoundResult } from '../../round/types.ts';
import type { StreakState } from '../../state/serve-state.ts';
import type { ExitName } from '../../util/exit-codes.ts';

/** Why serve stops for good, and what a person can do about it. */
export interface Stop {
  event: Extract<EventKind, 'config_broken' | 'crash_loop' | 'mem_loop' | 'mem_loop_persistent' | 'stalled_no_progress' | 'needs_human'>;
  /** Stable word for state files and `ack`. */
  reason: string;
  exit: ExitName;
  consecutive: number;
  sentence: string;
  remedy: string;
}

/** What a breaker may ask of the past. */
export interface BreakerHistory {
  /** Memory loops within the last two hours, this one not included. */
  memLoops(): number;
}

/** Looks at the streaks after a round; a Stop ends serve. Pure, but for what it asks of the past. */
export type Breaker = (streaks: StreakState, result: RoundResult, history: BreakerHistory) => Stop | null;
