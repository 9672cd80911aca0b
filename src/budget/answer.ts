import type { Layout } from '../state/layout.ts';
import { type LimitKey, limitStates } from './limits.ts';
import { currentLedger } from './read.ts';

/** What is started anew by a person who does not wait until something is used up. */
const TOTALS: readonly LimitKey[] = ['max_cost_usd_total', 'max_unproductive_rounds'];

type Tables = { limits?: unknown; schedule?: unknown };

/**
 * The limits that `ack budget` starts anew: those that are used up now, or, with none, the totals. Null when no round has been counted
 * here yet. `document` is the unchecked configuration.
 */
export function limitsToAnswer(paths: Layout, document: Tables, now: number): LimitKey[] | null {
  const ledger = currentLedger(paths);
  if (ledger.places.length === 0) return null;
  const used = limitStates(tableOf(document.limits), ledger, now, zoneOf(document)).filter(({ used_up }) => used_up);
  return used.length > 0 ? used.map(({ limit }) => limit) : [...TOTALS];
}

/** `schedule.timezone` of an unchecked configuration; null: the host's. */
export function zoneOf({ schedule }: Tables): string | null {
  const { timezone } = tableOf(schedule) as { timezone?: unknown };
  return typeof timezone === 'string' ? timezone : null;
}

export function tableOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
