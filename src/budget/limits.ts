import { type Day, dayOf } from './day.ts';
import { QUARTER_MS, sum } from './fold.ts';
import { type DayLimit, type Ledger, NOTHING, type Spending } from './ledger.ts';

/** `[limits]`, the keys of it that are counted from events. */
interface Limits {
  max_rounds_per_hour: number | null;
  max_cost_usd_per_day: number | null;
  max_tokens_per_day: number | null;
  max_cost_usd_total: number | null;
  max_unproductive_rounds: number | null;
}

export type LimitKey = keyof Limits;

/** How one configured limit stands. */
export interface LimitState {
  limit: LimitKey;
  /** `wait`: it opens again by itself; `stop`: it ends serve. */
  when_used_up: 'wait' | 'stop';
  /** Dollars, tokens or rounds. */
  unit: 'usd' | 'tokens' | 'rounds';
  spent: number;
  allowed: number;
  used_up: boolean;
  /** When it opens again, epoch ms; null while it is open, or when no clock opens it. */
  until: number | null;
  /** Rounds that should be in `spent` and are not, because nobody told what they used, or their price. */
  unknown_rounds: number;
  /** `spent $4.10 of $4.00 today`. */
  sentence: string;
}

const HOUR_MS = 3_600_000;

type Standing = Pick<LimitState, 'unit' | 'spent' | 'used_up' | 'until' | 'unknown_rounds' | 'sentence'>;
interface Look {
  when_used_up: LimitState['when_used_up'];
  look(allowed: number, ledger: Ledger, now: number, day: () => Day): Standing;
}

/** In the order in which they are told. */
const LOOKS: Record<LimitKey, Look> = {
  max_rounds_per_hour: {
    when_used_up: 'wait',
    look(allowed, { rounds }, now) {
      // A clock that was set back leaves starts in the future: nobody has to wait for those.
      const within = rounds.filter((start) => start > now - HOUR_MS && start <= now).sort((a, b) => a - b);
      const opener = within[within.length - allowed];
      const until = opener === undefined ? null : opener + HOUR_MS;
      const sentence = `started ${within.length} of ${allowed} rounds within the hour`;
      return { unit: 'rounds', spent: within.length, used_up: until !== null, until, unknown_rounds: 0, sentence };
    },
  },
  max_cost_usd_per_day: {
    when_used_up: 'wait',
    look: (allowed, ledger, _now, day) => costOf(spentOn(day(), ledger, 'max_cost_usd_per_day'), allowed, 'today', () => day().end),
  },
  max_tokens_per_day: {
    when_used_up: 'wait',
    look(allowed, ledger, _now, day) {
      const { tokens, untold } = spentOn(day(), ledger, 'max_tokens_per_day');
      const used_up = tokens >= allowed;
      const sentence = `used ${grouped(tokens)} of ${grouped(allowed)} tokens today${unknownWords(untold, 0)}`;
      return { unit: 'tokens', spent: tokens, used_up, until: used_up ? day().end : null, unknown_rounds: untold, sentence };
    },
  },
  max_cost_usd_total: {
    when_used_up: 'stop',
    look: (allowed, { total }) => costOf(total, allowed, total.since === null ? 'in all' : 'since the last `ack budget`', () => null),
  },
  max_unproductive_rounds: {
    when_used_up: 'stop',
    look(allowed, { unproductive }) {
      const sentence = `${unproductive} of ${allowed} rounds in a row made no commit`;
      return { unit: 'rounds', spent: unproductive, used_up: unproductive >= allowed, until: null, unknown_rounds: 0, sentence };
    },
  },
};

const LIMIT_KEYS = Object.keys(LOOKS) as LimitKey[];

/**
 * How each configured limit stands at `now`. `zone`: the IANA zone whose midnight ends a day, null for the host's. `limits` may come from
 * a file that nobody has checked: what is no number above 0 is no limit. Pure.
 */
export function limitStates(limits: Partial<Record<LimitKey, unknown>>, ledger: Ledger, now: number, zone: string | null): LimitState[] {
  let found: Day | null = null;
  const day = () => {
    found ??= dayOf(now, zone);
    return found;
  };
  return LIMIT_KEYS.flatMap((limit) => {
    const allowed = limits[limit];
    if (typeof allowed !== 'number' || !(allowed > 0)) return [];
    const { when_used_up, look } = LOOKS[limit];
    return [{ limit, when_used_up, allowed, ...look(allowed, ledger, now, day) }];
  });
}

/** What a day used. One that was started anew counts from then on. */
function spentOn({ start, end }: Day, { quarters, anew }: Ledger, limit: DayLimit): Spending {
  const tally = anew[limit];
  if (tally !== undefined && tally.since !== null && tally.since >= start && tally.since < end) return tally;
  const within = Object.entries(quarters).filter(
    ([quarter]) => Number(quarter) * QUARTER_MS >= start && Number(quarter) * QUARTER_MS < end,
  );
  return within.reduce((all, [, spent]) => sum(all, spent), NOTHING);
}

function costOf(spent: Spending, allowed: number, when: string, end: () => number | null): Standing {
  const { cost_micro_usd: cost, untold, unpriced } = spent;
  const used_up = cost >= Math.round(allowed * 1e6);
  const sentence = `spent ${dollars(cost / 1e6)} of ${dollars(allowed)} ${when}${unknownWords(untold, unpriced)}`;
  return { unit: 'usd', spent: cost / 1e6, used_up, until: used_up ? end() : null, unknown_rounds: untold + unpriced, sentence };
}

/** Not counted, and so told beside each sum. */
function unknownWords(untold: number, unpriced: number): string {
  const rounds = (n: number) => (n === 1 ? '1 round' : `${n} rounds`);
  const words = [
    ...(untold > 0 ? [`${rounds(untold)} told no usage`] : []),
    ...(unpriced > 0 ? [`${rounds(unpriced)} told no price`] : []),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** `$4.10`; a limit of less than a cent is told in full. Never rounded up to a sum that was not reached. */
function dollars(amount: number): string {
  const cents = Math.floor(amount * 100 + 1e-6) / 100;
  return `$${Math.abs(cents - amount) < 1e-9 || amount >= 1 ? cents.toFixed(2) : amount.toFixed(4)}`;
}

/** `1,234,567` */
function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}
