/** What a stretch of time used. Whole numbers, so that no sum drifts. */
export interface Spending {
  /** Millionths of a dollar. */
  cost_micro_usd: number;
  /** Input that was no cache read, output, and what was written to a cache. */
  tokens: number;
  /** Rounds whose agent was started and told no usage: they used something, and nobody knows how much. */
  untold: number;
  /** Rounds that told their tokens and no price. */
  unpriced: number;
}

/** A sum that a person may start anew; `since` is when that was done last, epoch ms. */
interface Tally extends Spending {
  since: number | null;
}

/** The round that the events read last belong to. */
export interface OpenRound {
  round_num: number;
  started_at: number | null;
  spawned: boolean;
  /** HEAD before it; null when unborn, unknown, or not told yet. */
  head: string | null;
  outcome: string | null;
  /** Its provider, or its engine, turned it away at once: nothing was used, so nothing is missing. */
  refused: boolean;
  usage: boolean;
}

/** How far a file of events has been folded. `mark` is a digest of the bytes before `offset`: it tells a file that was replaced. */
export interface Place {
  file: string;
  offset: number;
  mark: string;
}

/** The latest time and the highest round of a kind that were counted. */
interface Seen {
  at: number;
  round_num: number;
}

export const DAY_LIMITS = ['max_cost_usd_per_day', 'max_tokens_per_day'] as const;
export type DayLimit = (typeof DAY_LIMITS)[number];

/** `state/ledger.json`: everything that limits are decided from, folded from the events files. */
export interface Ledger {
  version: 1;
  /** Of the newest files: a clock that is set back over the end of a month writes to the older one again. */
  places: Place[];
  /** When rounds started, epoch ms, those of the last hour. */
  rounds: number[];
  /** By quarter of an hour since the epoch: every midnight of every zone falls between two of them. */
  quarters: Record<string, Spending>;
  total: Tally;
  /** Days that were started anew before they were over. */
  anew: Partial<Record<DayLimit, Tally>>;
  /** Rounds in a row that made no commit. */
  unproductive: number;
  /** Rounds in a row that ended well and told no usage; a start of serve leaves one less than stops it. */
  mute: number;
  /** Agents that have ever told their usage. */
  reporters: string[];
  open: OpenRound | null;
  seen: Record<string, Seen>;
  /** The newest acknowledgements, epoch ms. */
  acks: number[];
}

export const NOTHING: Readonly<Spending> = { cost_micro_usd: 0, tokens: 0, untold: 0, unpriced: 0 };

export function emptyLedger(): Ledger {
  return {
    version: 1,
    places: [],
    rounds: [],
    quarters: {},
    total: { since: null, ...NOTHING },
    anew: {},
    unproductive: 0,
    mute: 0,
    reporters: [],
    open: null,
    seen: {},
    acks: [],
  };
}

type Fields = Record<string, unknown>;

/** The ledger in a file, or null when any part of it is not what it should be: then it is folded anew, which is always right. */
export function asLedger(value: unknown): Ledger | null {
  const at = fieldsOf(value);
  if (at?.version !== 1 || !Array.isArray(at.places) || !at.places.every(isPlace)) return null;
  const quarters = fieldsOf(at.quarters);
  const anew = fieldsOf(at.anew);
  const seen = fieldsOf(at.seen);
  if (quarters === null || !Object.entries(quarters).every(([key, part]) => /^\d+$/.test(key) && isSpending(part))) return null;
  if (anew === null || !Object.values(anew).every(isTally) || !isTally(at.total)) return null;
  if (seen === null || !Object.values(seen).every(isSeen)) return null;
  if (!isList(at.rounds, isTime) || !isList(at.acks, isTime) || !isList(at.reporters, isText) || !isCount(at.unproductive)) return null;
  if (!isCount(at.mute)) return null;
  if (at.open !== null && !isOpenRound(at.open)) return null;
  return at as unknown as Ledger;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTime = (value: unknown): value is number => Number.isFinite(value);
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isList = (value: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(is);

function isSpending(value: unknown): boolean {
  const at = fieldsOf(value);
  return at !== null && [at.cost_micro_usd, at.tokens, at.untold, at.unpriced].every(isCount);
}

function isTally(value: unknown): boolean {
  return isSpending(value) && ((value as Fields).since === null || isTime((value as Fields).since));
}

function isPlace(value: unknown): boolean {
  const at = fieldsOf(value);
  return at !== null && isText(at.file) && isCount(at.offset) && isText(at.mark);
}

function isSeen(value: unknown): boolean {
  const at = fieldsOf(value);
  return at !== null && isTime(at.at) && isTime(at.round_num);
}

function isOpenRound(value: unknown): boolean {
  const at = fieldsOf(value);
  if (at === null || !isCount(at.round_num) || typeof at.spawned !== 'boolean' || typeof at.usage !== 'boolean') return false;
  if (typeof at.refused !== 'boolean') return false;
  return (
    (at.head === null || isText(at.head)) &&
    (at.outcome === null || isText(at.outcome)) &&
    (at.started_at === null || isTime(at.started_at))
  );
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}
