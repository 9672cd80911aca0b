import type { RunReport } from '../run/types.ts';
import type { Outcome } from './outcome.ts';

/** The end of the log, characters: an error is among the last words. */
const LOOKED_AT = 16_384;

/** The predecessor's words. */
const NETWORK =
  /connection refused|econnrefused|\bdns\b|name or service not known|connect(?:ion)? timed out|nodename nor servname|network (?:is )?unreachable|50[023] (?:service unavailable|bad gateway|gateway timeout)|connection reset/i;

/** These rounds were well, or ended by us for reasons of our own. */
const NO_FAILURE: ReadonlySet<Outcome> = new Set(['ok', 'ok_leftovers', 'grace_kill', 'stopped', 'mem_terminated', 'oom_killed']);

/**
 * The words of a network failure at the end of a failed round's log, or null. It only informs: what starts a wait is the adapter's to say.
 * Never of a round that a signal ended, whatever its log says (scar 45); shells and CLIs report one as 129 to 143.
 */
export function networkBlip(outcome: Outcome, { signal, exitCode, tail }: Pick<RunReport, 'signal' | 'exitCode' | 'tail'>): string | null {
  if (NO_FAILURE.has(outcome) || signal !== null || exitCode === null || (exitCode >= 129 && exitCode <= 143)) return null;
  return NETWORK.exec(tail.slice(-LOOKED_AT))?.[0] ?? null;
}
