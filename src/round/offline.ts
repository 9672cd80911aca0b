import type { TurnVerdict } from '../agents/adapter.ts';
import { turnError } from '../agents/provider-error.ts';
import type { Outcome } from './outcome.ts';

/** What a CLI without a network may end as: many do not say why, and some take a login that they cannot renew for one that was refused. */
const UNSURE: ReadonlySet<Outcome> = new Set(['crash', 'agent_error', 'no_output', 'auth_error']);

/**
 * The end of a round on a machine whose way out is gone: whatever its agent failed of, it was that, and is no crash and no refused
 * login. Nights without a network must not need a person.
 */
export function seenOffline(outcome: Outcome, turn: TurnVerdict, isOffline: () => boolean): { outcome: Outcome; turn: TurnVerdict } {
  if (!UNSURE.has(outcome) || !isOffline()) return { outcome, turn };
  const words = `this machine has no route to anywhere any more${turn.error === null ? '' : `; the agent said: ${turn.error.raw}`}`;
  return { outcome: 'provider_error', turn: { ...turn, error: turnError('provider_error', 'network', words) } };
}
