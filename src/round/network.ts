import type { RoundResult } from './types.ts';

/**
 * Whether the round failed because nothing answered: no name was resolved, no connection made or kept. Such a round is nobody's fault
 * and spends nothing: no streak, no count of rounds, no budget.
 */
export function isNetworkFailure({ outcome, turn }: Pick<RoundResult, 'outcome' | 'turn'>): boolean {
  return outcome === 'provider_error' && turn?.error?.classification === 'network';
}
