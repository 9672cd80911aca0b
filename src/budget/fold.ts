import type { OUTCOMES } from '../events/outcomes.ts';
import type { StoredEvent } from '../events/stored.ts';
import { DAY_LIMITS, type DayLimit, type Ledger, NOTHING, type OpenRound, type Spending } from './ledger.ts';

export const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 3_600_000;
/** Two days without a gap: the longest day has 25 hours. */
const MOST_QUARTERS = 200;
/** More than one a second for an hour. */
const MOST_ROUNDS = 4000;
const MOST_ACKS = 16;
/** Phases and fallbacks of one project are a handful. */
const MOST_REPORTERS = 200;

/** So many rounds that end well and tell nothing are no accident: the CLI is not asked for its records, say. */
export const MOST_MUTE_ROUNDS = 3;

/** The year 2286: a later time is none, and would not be kept in order. */
const LATEST = 1e13;

/** What `ack budget` starts anew when its event does not say. */
const TOTAL_LIMITS = ['max_cost_usd_total', 'max_unproductive_rounds'] as const;

/** Ends of a round that say nothing of what its agent can do: neither a commit is missed, nor does one in a row end. */
const NOT_ITS_FAULT = outcomes(
  'rate_limited',
  'provider_error',
  'auth_error',
  'mem_terminated',
  'oom_killed',
  'container_error',
  'environment',
  'stopped',
  'config_broken',
);

/** A refusal costs nothing; a stream that broke after minutes of work did. */
const REFUSED = outcomes('rate_limited', 'provider_error', 'auth_error', 'container_error', 'environment');
const AT_ONCE_S = 30;
const ENDED_WELL = outcomes('ok', 'ok_leftovers', 'grace_kill');

/** Outcomes, so that a misspelt one does not compile; asked with whatever an event holds. */
function outcomes(...words: (typeof OUTCOMES)[number][]): ReadonlySet<string> {
  return new Set(words);
}

type Fold = (ledger: Ledger, event: StoredEvent, at: number) => void;

const FOLDS: Record<string, Fold> = {
  round_substrate_before(ledger, event) {
    roundOf(ledger, event).head = typeof event.git_head === 'string' ? event.git_head : null;
  },
  round_start(ledger, event, at) {
    roundOf(ledger, event).started_at = at;
    const { rounds } = ledger;
    rounds.push(at);
    while (rounds.length > MOST_ROUNDS || (rounds[0] ?? at) <= at - HOUR_MS) rounds.shift();
  },
  agent_spawn(ledger, event) {
    roundOf(ledger, event).spawned = true;
  },
  agent_exit(ledger, event) {
    const round = roundOf(ledger, event);
    round.outcome = typeof event.outcome === 'string' ? event.outcome : null;
    round.refused = REFUSED.has(round.outcome ?? '') && typeof event.duration_s === 'number' && event.duration_s < AT_ONCE_S;
  },
  agent_usage_recorded: usage,
  transient_error_detected({ open, rounds }, { classification, round_num: roundNum }) {
    // Nobody was asked for anything: a try without a network spends nothing, of the hour neither.
    if (classification !== 'network' || open === null || open.round_num !== roundNum) return;
    const start = open.started_at === null ? -1 : rounds.lastIndexOf(open.started_at);
    if (start >= 0) rounds.splice(start, 1);
  },
  round_end(ledger, event, at) {
    const { open } = ledger;
    if (open === null || open.round_num !== event.round_num) return;
    if (open.usage) ledger.mute = 0;
    else if (open.spawned && ENDED_WELL.has(open.outcome ?? '')) ledger.mute += 1;
    tellUntold(ledger, open, at);
  },
  round_substrate_after(ledger, { round_num: roundNum, git_head: head }) {
    const { open } = ledger;
    if (open === null || open.round_num !== roundNum) return;
    // A HEAD that git could not tell, or that is unborn, proves nothing.
    if (open.head !== null && typeof head === 'string') {
      if (head !== open.head) ledger.unproductive = 0;
      else if (!NOT_ITS_FAULT.has(open.outcome ?? '')) ledger.unproductive += 1;
    }
    ledger.open = null;
  },
};

/** The kinds that the ledger is folded from; all others are nothing to it. */
export const LEDGER_KINDS: ReadonlySet<string> = new Set([...Object.keys(FOLDS), 'human_acknowledged', 'serve_started']);

/**
 * Counts one event, in place: after a lost ledger there may be millions. Whatever is in the event is taken for as much as it is worth;
 * a kind that is not of the ledger, and an event that was counted before, change nothing. Events come in the order of the files.
 */
export function foldEvent(ledger: Ledger, event: StoredEvent): void {
  const at = Date.parse(event.ts);
  if (!(at >= 0 && at < LATEST)) return;
  if (event.event === 'human_acknowledged') {
    if (event.reason === 'budget') acknowledge(ledger, event, at);
    return;
  }
  // Somebody may have mended the command: one more round shows. A new three each time would never be over with `serve --once`.
  if (event.event === 'serve_started') ledger.mute = Math.min(ledger.mute, MOST_MUTE_ROUNDS - 1);
  const fold = Object.hasOwn(FOLDS, event.event) ? FOLDS[event.event] : undefined;
  if (fold === undefined || !Number.isSafeInteger(event.round_num) || (event.round_num as number) < 0) return;
  if (isNews(ledger, event, at)) fold(ledger, event, at);
}

/**
 * Whether an event is a new one and no copy (a line written twice, a file that is read again). Times alone do not tell, as clocks are
 * set back; round numbers alone do not, as they begin anew when somebody deletes the files: a copy is behind in both.
 */
function isNews({ seen }: Ledger, { event: kind, round_num }: StoredEvent, at: number): boolean {
  const roundNum = round_num as number;
  const last = seen[kind];
  if (last !== undefined && at <= last.at && roundNum <= last.round_num) return false;
  seen[kind] = { at: Math.max(at, last?.at ?? at), round_num: Math.max(roundNum, last?.round_num ?? 0) };
  return true;
}

/** The round of this event; a new one closes the one before, whose supervisor died. */
function roundOf(ledger: Ledger, event: StoredEvent): OpenRound {
  const roundNum = event.round_num as number;
  const { open } = ledger;
  if (open?.round_num === roundNum) return open;
  if (open !== null) tellUntold(ledger, open, open.started_at ?? Date.parse(event.ts));
  ledger.open = { round_num: roundNum, started_at: null, spawned: false, head: null, outcome: null, refused: false, usage: false };
  return ledger.open;
}

function usage(ledger: Ledger, event: StoredEvent, at: number): void {
  const round = roundOf(ledger, event);
  const cost = amount(event.cost_usd);
  add(ledger, at, {
    cost_micro_usd: Math.round((cost ?? 0) * 1e6),
    tokens: count(event.input_tokens) + count(event.output_tokens) + count(event.cache_creation_tokens),
    untold: 0,
    unpriced: cost === null ? 1 : 0,
  });
  round.usage = true;
  const { agent } = event;
  if (typeof agent === 'string' && !ledger.reporters.includes(agent))
    ledger.reporters = [...ledger.reporters, agent].slice(-MOST_REPORTERS);
}

/** A crash before the result, an agent that was ended, a CLI that tells nothing. Once for each round. */
function tellUntold(ledger: Ledger, open: OpenRound, at: number): void {
  if (open.spawned && !open.usage && !open.refused) add(ledger, at, { ...NOTHING, untold: 1 });
  open.spawned = false;
}

function add(ledger: Ledger, at: number, spent: Spending): void {
  const quarter = String(Math.floor(at / QUARTER_MS));
  const { quarters } = ledger;
  const before = quarters[quarter];
  quarters[quarter] = sum(before ?? NOTHING, spent);
  if (before === undefined) {
    // Keys that are whole numbers come in their order. A clock that was wrong for days must not push today out: the farthest goes.
    const keys = Object.keys(quarters);
    const [first = '', last = ''] = [keys[0], keys.at(-1)];
    const farthest = Number(last) - Number(quarter) > Number(quarter) - Number(first) ? last : first;
    if (keys.length > MOST_QUARTERS) delete quarters[farthest];
  }
  ledger.total = { ...sum(ledger.total, spent), since: ledger.total.since };
  for (const limit of DAY_LIMITS) {
    const tally = ledger.anew[limit];
    if (tally !== undefined) ledger.anew[limit] = { ...sum(tally, spent), since: tally.since };
  }
}

export function sum(one: Spending, other: Spending): Spending {
  return {
    cost_micro_usd: one.cost_micro_usd + other.cost_micro_usd,
    tokens: one.tokens + other.tokens,
    untold: one.untold + other.untold,
    unpriced: one.unpriced + other.unpriced,
  };
}

function acknowledge(ledger: Ledger, { limits }: StoredEvent, at: number): void {
  const [oldest] = ledger.acks;
  if (ledger.acks.includes(at) || (ledger.acks.length === MOST_ACKS && oldest !== undefined && at < oldest)) return;
  ledger.acks = [...ledger.acks, at].slice(-MOST_ACKS);
  for (const limit of Array.isArray(limits) ? limits : TOTAL_LIMITS) {
    if (limit === 'max_cost_usd_total') ledger.total = { since: at, ...NOTHING };
    else if (limit === 'max_unproductive_rounds') ledger.unproductive = 0;
    else if (limit === 'max_rounds_per_hour') ledger.rounds = [];
    else if (DAY_LIMITS.includes(limit)) ledger.anew[limit as DayLimit] = { since: at, ...NOTHING };
  }
}

/** Of the largest amount that an event could mean, so that no sum leaves the whole numbers. */
const LARGEST = 1e9;

function amount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.min(value, LARGEST) : null;
}

function count(value: unknown): number {
  return Math.floor(amount(value) ?? 0);
}
