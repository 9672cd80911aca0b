import { CONSEQUENCES } from '../round/consequences.ts';
import type { RoundResult } from '../round/types.ts';

/** What a round tells of whether anything goes on. */
export type Progress =
  /** The outcome's row says all: it moved something, told usage, took its time, or failed. */
  | 'seen'
  /** It ended well at once, and an agent that does tell its usage told none: no model was asked. */
  | 'no_usage'
  /** It ended well at once, moved nothing, and its agent is one of which neither usage nor a result is known. */
  | 'quiet'
  /** It would be, but another agent of the loop waits for its provider, and is who would do the work. */
  | 'waiting'
  /** It ended well at once and moved nothing, which may be right: it said its result, or it starts by the clock. */
  | 'idle';

/** A turn that asks a model takes longer, or tells its usage (the predecessor's number). */
const QUICK_BELOW_MS = 30_000;

export interface ProgressFacts {
  /** This agent has told its usage at least once in the life of this log_dir. */
  reporter: boolean;
  /** Rounds start by the clock (`schedule.cron`), so that none of them can spin. */
  paced: boolean;
  /** Some agent of the loop is held back by a provider: a limit, an outage, a refused login. */
  heldBack?: boolean;
}

/** Pure. Refusals of a provider, failures and walls are never asked: what they mean stands in the table of consequences. */
export function progressOf(
  { outcome, durationMs, moved, turn }: RoundResult,
  { reporter, paced, heldBack = false }: ProgressFacts,
): Progress {
  const { exit, tree } = CONSEQUENCES[outcome];
  const endedWell = exit === 'ok' && tree === 'resolve';
  if (!endedWell || moved || durationMs >= QUICK_BELOW_MS || turn === null || turn.usage !== null) return 'seen';
  if (reporter) return 'no_usage';
  if (turn.finished === true || paced) return 'idle';
  return heldBack ? 'waiting' : 'quiet';
}
