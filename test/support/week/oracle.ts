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
  /** Of the `n`th refusal in a row without a stated end. */
  estimated: (n: number) => Math.min(60 * SECOND * 2 ** Math.min(n - 1, 5), 30 * MINUTE),
  /** A gate that no clock opens is asked again within this. */
  look: 30 * SECOND,
} as const;

/** What a turn came to, as far as the next round has to wait for it. */
export type Ending = { kind: 'ok' | 'hang' | 'login' | 'memory' } | { kind: 'limit'; resets: number } | { kind: 'outage'; nth: number };

/** Why no round starts before `due`; somewhere in it, because of the jitter. */
export interface Delay {
  why: 'between rounds' | 'provider' | 'after an error';
  due: Span;
}

export interface Known {
  now: number;
  zone: string;
  /** The machine is off, or serve is dead. */
  down: boolean;
  round: { num: number; began: number } | null;
  /** Of which the last has ended, or runs. */
  rounds: number;
  delay: Delay | null;
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

/** The wait after a round that ended at `ended`. */
export function delayAfter(ended: number, ending: Ending): Delay {
  const { restartDelay, jitter, estimated } = RULES;
  const next = ended + restartDelay;
  const provider = (end: number): Delay => ({
    why: 'provider',
    due: { from: Math.max(next, end + jitter.from), to: Math.max(next, end + jitter.to) },
  });
  switch (ending.kind) {
    case 'ok':
    case 'hang':
      return { why: 'between rounds', due: { from: next, to: next } };
    case 'login':
    case 'memory':
      return { why: 'after an error', due: { from: next + restartDelay, to: next + restartDelay } };
    case 'limit':
      return provider(ending.resets);
    case 'outage':
      return provider(ended + estimated(ending.nth));
  }
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
  const { now, memory, delay, round, rounds, down } = known;
  const begins = new RegExp(`^Round ${rounds + 1} has been running for 0 s|^serve is up`);
  const now_ = expected(known);
  if (down || round !== null) return [now_];
  const before = now - RULES.look;
  const changed = memory.some((span) => holds(span, now) !== holds(span, before));
  const mayBegin = delay !== null && opened(delay.due.from, [...memory, ...known.closed]) <= now + SECOND;
  return [now_, ...(changed ? [expected(known, before)] : []), ...(mayBegin ? [{ begins }] : [])];
}

function expected(known: Known, memoryAt = known.now): Expected {
  const { now, down, round, rounds, delay, pause, memory, closed } = known;
  if (down) return { begins: /^serve \(pid \d+\) died without a word between two rounds;/ };
  if (round !== null)
    return { begins: new RegExp(`^Round ${round.num} has been running for ${spoken(now - round.began)} of at most 4 h[;,]`) };
  if (pause !== null) {
    const ago = '^Paused by a person (?:just now|[^,;]* ago)';
    return pause.to === null
      ? { begins: new RegExp(`${ago}; \`agent-runner resume\` goes on at once;`) }
      : { begins: new RegExp(`${ago}, until [^;]*; \`agent-runner resume\` goes on at once;`), until: { from: pause.to, to: pause.to } };
  }
  if (memory.some((span) => holds(span, memoryAt))) return { begins: /^Waiting until memory is free again: the host is short of it/ };
  const window = closed.find((span) => holds(span, now));
  const limited = delay?.why === 'provider' ? delay.due : null;
  if (window !== undefined && window.to >= (limited?.to ?? 0)) {
    const end = new Intl.DateTimeFormat('en-GB', { timeZone: known.zone, weekday: 'short', hour: '2-digit', minute: '2-digit' });
    const until = end.format(window.to).replace(',', '');
    return { begins: new RegExp(`^Paused by the schedule until ${until} \\(${known.zone}\\): .*; ${spoken(window.to - now)} to go; `) };
  }
  if (delay === null) return { begins: /^serve is up/ };
  switch (delay.why) {
    case 'provider':
      return { begins: /^Waiting until .*: the provider limits the agent/, until: delay.due };
    case 'after an error':
      return { begins: /^Backing off until /, until: delay.due };
    case 'between rounds':
      return { begins: new RegExp(`^Waiting until .* before round ${rounds + 1}: the ordinary pause between rounds`), until: delay.due };
  }
}

export function holds({ from, to }: Span, at: number): boolean {
  return from <= at && at < to;
}

/** How long a round takes in real time to begin or to end: nobody's lateness. */
const REAL_MS = 3 * SECOND;

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

/** Second by second. */
function moments({ from, to }: Span): number[] {
  return Array.from({ length: Math.ceil((to + REAL_MS - from) / SECOND) + 1 }, (_, i) => from + i * SECOND);
}

/** A length as a person says it, rounded down: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
function spoken(ms: number): string {
  const total = Math.floor(Math.max(0, ms) / SECOND);
  const [days, hours, minutes] = [Math.floor(total / 86_400), Math.floor(total / 3600) % 24, Math.floor(total / 60) % 60];
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`;
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${String(minutes).padStart(2, '0')} min`;
  return minutes > 0 ? `${minutes} min` : `${total} s`;
}
