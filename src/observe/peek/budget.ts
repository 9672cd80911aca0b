import { tableOf, zoneOf } from '../../budget/answer.ts';
import { type LimitKey, limitStates } from '../../budget/limits.ts';
import { storedLedger } from '../../budget/read.ts';
import type { Layout } from '../../state/layout.ts';
import { isoTime } from '../../util/clock.ts';

/** `budget` of `peek --json`: how far the limits of the configuration are used up, as of the round before. Null when nothing was counted. */
export interface BudgetView {
  limits: {
    limit: LimitKey;
    spent: number;
    allowed: number;
    unit: 'usd' | 'tokens' | 'rounds';
    used_up: boolean;
    until: string | null;
    /** Rounds that told no usage or no price and are not in `spent`. */
    unknown_rounds: number;
    /** `spent $1.20 of $50.00 today`. */
    words: string;
  }[];
  /** Of all rounds since `since` (the last `ack budget` of it), or ever. */
  total: { cost_usd: number; tokens: number; unknown_rounds: number; since: string | null };
  /** Rounds in a row without a commit. */
  unproductive_rounds: number;
}

/** From the ledger as serve left it: a look costs the same whatever the log's size. */
export function budgetView(paths: Layout, document: Record<string, unknown>, now: number): BudgetView | null {
  const ledger = storedLedger(paths);
  if (ledger === null) return null;
  const { total, unproductive } = ledger;
  return {
    limits: limitStates(tableOf(document.limits), ledger, now, zoneOf(document)).map((state) => {
      const { limit, spent, allowed, unit, used_up, until, unknown_rounds, sentence: words } = state;
      return { limit, spent, allowed, unit, used_up, until: until === null ? null : isoTime(until), unknown_rounds, words };
    }),
    total: {
      cost_usd: total.cost_micro_usd / 1e6,
      tokens: total.tokens,
      unknown_rounds: total.untold + total.unpriced,
      since: total.since === null ? null : isoTime(total.since),
    },
    unproductive_rounds: unproductive,
  };
}
