import type { TurnError, TurnFacts, TurnVerdict } from './adapter.ts';
import { errorOfTail, failedByItself } from './failure-text.ts';
import { parseResetTime } from './reset-time.ts';

/**
 * The end of every adapter's verdict. Records come first; only when they name no error and no finished turn, and the process failed by
 * itself, its last lines are asked. An error that will pass gets the end that its words state.
 */
export function settle(verdict: TurnVerdict, facts: TurnFacts): TurnVerdict {
  const silent = verdict.error === null && verdict.finished !== true && failedByItself(facts.exitCode);
  const error = silent ? errorOfTail(facts.tail) : verdict.error;
  return { ...verdict, error: error && withStatedEnd(error, facts) };
}

/** The end that a record gave in a field of its own is believed before any words. */
function withStatedEnd(error: TurnError, { nowEpoch, zone }: TurnFacts): TurnError {
  if (error.resetAtEpoch !== null || (error.kind !== 'rate_limited' && error.kind !== 'provider_error')) return error;
  if (error.classification === 'billing') return error;
  return { ...error, resetAtEpoch: parseResetTime(error.raw, nowEpoch, zone)?.epoch ?? null };
}
