import type { Layout } from '../state/layout.ts';
import type { Ledger } from './ledger.ts';
import { type LimitKey, type LimitState, limitStates } from './limits.ts';
import { currentLedger } from './read.ts';

/** What is started anew by a person who does not wait until something is used up. */
const TOTALS: readonly LimitKey[] = ['max_cost_usd_total', 'max_unproductive_rounds'];

type Tables = { limits?: unknown; schedule?: unknown };

/** The limits that `ack budget` starts anew, as they stand before; or why there is none. `document` is the unchecked configuration. */
export function limitsToAnswer(paths: Layout, document: Tables, now: number): LimitState[] | string {
  return toStartAnew(document, currentLedger(paths), now);
}

/** Those that are used up now, or, with none, the totals that have counted something. Pure. */
export function toStartAnew(document: Tables, ledger: Ledger, now: number): LimitState[] | string {
  const states = limitStates(tableOf(document.limits), ledger, now, zoneOf(document));
  if (states.length === 0) return 'no limit is set in [limits] that could be counted anew';
  const used = states.filter(({ used_up }) => used_up);
  const totals = states.filter(({ limit, spent, unknown_rounds }) => TOTALS.includes(limit) && (spent > 0 || unknown_rounds > 0));
  if (used.length + totals.length === 0) return 'no limit is used up, and no total has counted anything';
  return used.length > 0 ? used : totals;
}

/** `schedule.timezone` of an unchecked configuration; null: the host's. */
export function zoneOf({ schedule }: Tables): string | null {
  const { timezone } = tableOf(schedule) as { timezone?: unknown };
  return typeof timezone === 'string' ? timezone : null;
}

export function tableOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
