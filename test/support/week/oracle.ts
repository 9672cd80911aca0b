import { MINUTE, SECOND, type Span } from './world.ts';

/**
 * What a supervisor should do and say, by the rules of the manual and by what befell the project, never by the program's own words. Times
 * are epoch ms.
 */
export const RULES = {
  restartDelay: 60 * SECOND,
  wall: 4 * 60 * MINUTE,
  /** Between the end of a limit and the next round. */
  jitter: { from: 5 * SECOND, to: 30 * SECOND },
  /** A refused login is tried again after, when somebody stands in. */
  setAside: 60 * MINUTE,
  /** Of the `n`th refusal in a row without a stated end. */
  estimated: (n: number) => Math.min(60 * SECOND * 2 ** Math.min(n - 1, 5), 30 * MINUTE),
  /** A gate that no clock opens is asked again within this. */
  look: 30 * SECOND,
} as const;

/** A round takes so long in real time to begin or to end on a machine under load: what is told of either may be off by it. */
const REAL_MS = 10 * SECOND;

/** What a turn came to, as far as the next round has to wait for it. */
export type Ending = { kind: 'ok' | 'hang' | 'login' | 'memory' } | { kind: 'limit'; resets: number } | { kind: 'outage'; nth: number };

/** Why no round starts before `due`, whoever runs. */
export interface Delay {
  why: 'between rounds' | 'after an error';
  due: number;
}

/** What is known of an account after its last turn. */
export interface Account {
  /** Its limit ends somewhere in it, because of the jitter. */
  limit: Span | null;
  /** Its login was refused, and it is left alone until then. */
  refused: number | null;
}

export interface Known {
  now: number;
  zone: string;
  /** The machine is off, or serve is dead. */
  down: boolean;
  round: { num: number; began: number; phase: string | null; account: string } | null;
  /** Of which the last has ended, or runs. */
  rounds: number;
  delay: Delay | null;
  /** Who could take the next turn, in order. */
  turn: readonly string[];
  accounts: Record<string, Account>;
  /** A person's pause; `to` is null when that is not known yet. */
  pause: { from: number; to: number | null } | null;
  memory: readonly Span[];
  closed: readonly Span[];
  /** What a person was asked for and has not answered. */
  asked: 'login' | null;
}

/** The first moment from `due` on at which nothing is in the way. */
export function opened(due: number, closed: readonly Span[]): number {
  const inTheWay = closed.find((span) => holds(span, due));
  return inTheWay === undefined ? due : opened(inTheWay.to, closed);
}

/** How long the next round waits, whoever runs it. */
export function delayAfter(ended: number, { kind }: Ending): Delay {
  const { restartDelay } = RULES;
  return kind === 'login' || kind === 'memory'
    ? { why: 'after an error', due: ended + 2 * restartDelay }
    : { why: 'between rounds', due: ended + restartDelay };
}

/** What its turn tells of its account. */
export function accountAfter(ended: number, ending: Ending): Account {
  const { jitter, estimated } = RULES;
  const until = (end: number): Account => ({ limit: { from: end + jitter.from, to: end + jitter.to }, refused: null });
  switch (ending.kind) {
    case 'limit':
      return until(ending.resets);
    case 'outage':
      return until(ended + estimated(ending.nth));
    case 'login':
      return { limit: null, refused: ended + RULES.setAside };
    default:
      return { limit: null, refused: null };
  }
}

/** When the account may be used; somewhere in it. Where the logins of all were refused, nobody is left alone. */
function freeAt(name: string, { accounts, turn }: Pick<Known, 'accounts' | 'turn'>): Span {
  const { limit, refused } = accounts[name] ?? { limit: null, refused: null };
  const alone = turn.every((one) => (accounts[one]?.refused ?? null) !== null);
  const aside = alone ? 0 : (refused ?? 0);
  return { from: Math.max(limit?.from ?? 0, aside), to: Math.max(limit?.to ?? 0, aside) };
}

/** When the first of those in turn may be used. */
export function firstFree(known: Pick<Known, 'accounts' | 'turn'>): Span {
  const spans = known.turn.map((name) => freeAt(name, known));
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.min(...spans.map(({ to }) => to)) };
}

/** Who may begin a turn at `now`: more than one while the jitter leaves it open. */
export function mayRun(known: Pick<Known, 'accounts' | 'turn'>, now: number): string[] {
  const certain = known.turn.findIndex((name) => freeAt(name, known).to <= now - REAL_MS);
  const before = certain === -1 ? known.turn : known.turn.slice(0, certain + 1);
  return before.filter((name) => freeAt(name, known).from <= now);
}

/** What is wrong with the sentence; empty when it is right. */
export function faultsOf(sentence: string, known: Known): string[] {
  const perhaps = expectations(known).map((one) => faultsBy(sentence, one, known));
  return perhaps.find((faults) => faults.length === 0) ?? perhaps[0] ?? [];
}

interface Expected {
  begins: RegExp;
  /** The end that it names. */
  until?: Span;
}

function faultsBy(sentence: string, { begins, until }: Expected, known: Known): string[] {
  const faults: string[] = [];
  if (!begins.test(sentence)) faults.push(`it does not begin like ${begins}`);
  if (until !== undefined && !saysUntil(sentence, until, known))
    faults.push(`it does not say until ${localTimes(until, known).join(' or ')}`);
  const command = known.down ? '`agent-runner serve`' : known.asked === 'login' ? '`agent-runner ack auth`' : null;
  if (command === null && !sentence.endsWith('; nobody is needed.')) faults.push('it calls for a person');
  if (command !== null && !(sentence.includes('; a person is needed: ') && sentence.endsWith(`: ${command}.`))) {
    faults.push(`it does not ask a person for ${command}`);
  }
  if (known.round !== null && known.pause !== null && !sentence.includes('; paused by a person: no further round starts until')) {
    faults.push('it does not say that no further round starts');
  }
  return faults;
}

/** More than one where what was looked at last may be a moment old. */
function expectations(known: Known): Expected[] {
  const { now, memory, delay, round, rounds, down, closed } = known;
  const begins = new RegExp(`^Round ${rounds + 1}(?: \\(\\w+\\))? has been running for 0 s|^serve is up`);
  const now_ = expected(known);
  if (down || round !== null) return [now_];
  const before = now - RULES.look;
  const changed = memory.some((span) => holds(span, now) !== holds(span, before));
  const due = Math.max(delay?.due ?? 0, firstFree(known).from);
  const mayBegin = opened(due, [...memory, ...closed]) <= now + REAL_MS;
  return [now_, ...(changed ? [expected(known, before)] : []), ...(mayBegin ? [{ begins }] : [])];
}

function expected(known: Known, memoryAt = known.now): Expected {
  const { now, down, round, rounds, delay, pause, memory, closed } = known;
  if (down) {
    const where = round === null ? 'between two rounds' : `during round ${round.num}, and what it started may still be alive`;
    return { begins: new RegExp(`^serve \\(pid \\d+\\) died without a word ${where}`) };
  }
  if (round !== null) return running(known, round);
  if (pause !== null) {
    const ago = '^Paused by a person (?:just now|[^,;]* ago)';
    return pause.to === null
      ? { begins: new RegExp(`${ago}; \`agent-runner resume\` goes on at once;`) }
      : { begins: new RegExp(`${ago}, until [^;]*; \`agent-runner resume\` goes on at once;`), until: { from: pause.to, to: pause.to } };
  }
  if (memory.some((span) => holds(span, memoryAt))) return { begins: /^Waiting until memory is free again: the host is short of it/ };
  const window = closed.find((span) => holds(span, now));
  const free = firstFree(known);
  if (window !== undefined && window.to >= free.to) {
    const end = new Intl.DateTimeFormat('en-GB', { timeZone: known.zone, weekday: 'short', hour: '2-digit', minute: '2-digit' });
    const until = end.format(window.to).replace(',', '');
    return {
      begins: new RegExp(
        `^Paused by the schedule until ${until} \\(${known.zone}(?:, phase \\w+)?\\): .*; ${spoken(window.to - now)} to go; `,
      ),
    };
  }
  if (free.from > now) return { begins: /^Waiting until .*: the provider limits the agent/, until: free };
  if (delay === null) return { begins: /^serve is up/ };
  const until = { from: delay.due, to: delay.due };
  return delay.why === 'after an error'
    ? { begins: /^Backing off until /, until }
    : { begins: new RegExp(`^Waiting until .* before round ${rounds + 1}: the ordinary pause between rounds`), until };
}

/** A round that runs, by a stand-in perhaps: for whom, and until when that one is held back. */
function running({ now, accounts, turn }: Known, { num, phase, began, account }: NonNullable<Known['round']>): Expected {
  const lengths = moments({ from: now - began, to: now - began }).map(spoken);
  const name = `Round ${num}${phase === null ? '' : ` \\(${phase}\\)`}`;
  const [first = ''] = turn;
  const { limit, refused } = accounts[first] ?? { limit: null, refused: null };
  const until = limit ?? { from: refused ?? 0, to: refused ?? 0 };
  const held = until.from > now ? ' until [^;]*' : '(?: until [^;]*)?';
  const standsIn = account === first ? '' : ` with claude as fallback for ${first}${held}`;
  const begins = new RegExp(`^${name} has been running for (?:${lengths.join('|')}) of at most 4 h${standsIn}[;,]`);
  return standsIn !== '' && until.from > now ? { begins, until } : { begins };
}

export function holds({ from, to }: Span, at: number): boolean {
  return from <= at && at < to;
}

/** The clock time, and how far away it is. The jitter is not ours to know: any moment between its bounds. */
function saysUntil(sentence: string, until: Span, known: Known): boolean {
  const [, time = '', left = ''] = /until ((?:\d{4}-\d\d-\d\d )?\d\d:\d\d) \(([^)]*) from now\)/.exec(sentence) ?? [];
  return localTimes(until, known).includes(time) && moments(until).some((end) => spoken(end - known.now) === left);
}

/** Each minute that the span touches, as a clock in that zone shows it; with the date when that is another day's. */
function localTimes(span: Span, { now, zone }: Known): string[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const today = format.format(now).slice(0, 10);
  const times = moments(span).map((at) => format.format(at));
  return [...new Set(times)].map((time) => (time.startsWith(today) ? time.slice(11) : time));
}

/** Second by second, and what it may be off by. */
function moments({ from, to }: Span): number[] {
  const first = from - REAL_MS;
  return Array.from({ length: Math.ceil((to + REAL_MS - first) / SECOND) + 1 }, (_, i) => first + i * SECOND);
}

/** A length as a person says it, rounded down: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
function spoken(ms: number): string {
  const total = Math.floor(Math.max(0, ms) / SECOND);
  const [days, hours, minutes] = [Math.floor(total / 86_400), Math.floor(total / 3600) % 24, Math.floor(total / 60) % 60];
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`;
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${String(minutes).padStart(2, '0')} min`;
  return minutes > 0 ? `${minutes} min` : `${total} s`;
}
