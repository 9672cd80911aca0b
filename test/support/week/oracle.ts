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
  /** How late a wait may end. */
  late: MINUTE,
} as const;

/** Why no round starts before `from`..`to` (the jitter lies between). */
export interface Delay {
  why: 'between rounds' | 'provider' | 'after an error';
  due: Span;
}

/** What holds a round back whatever the delay, with its end if somebody knows it yet. */
export interface Gate {
  why: 'paused' | 'memory';
  span: Span;
  endIsKnown: boolean;
}

export interface Known {
  now: number;
  zone: string;
  /** null: the machine is up and serve runs. */
  down: boolean;
  round: { num: number; began: number } | null;
  rounds: number;
  delay: Delay | null;
  gates: readonly Gate[];
  /** What a person was asked for and has not answered. */
  asked: 'login' | null;
}

/** The first moment from `due` on at which no gate is closed. */
export function opened(due: number, closed: readonly Span[]): number {
  const inTheWay = closed.find(({ from, to }) => from <= due && due < to);
  return inTheWay === undefined ? due : opened(inTheWay.to, closed);
}

/** The wait after the `n`th refusal in a row (or after none), for a round that ended at `ended`. */
export function delayAfter(
  ended: number,
  turn: { kind: 'ok' | 'hang' | 'login' } | { kind: 'limit'; resets: number } | { kind: 'outage'; nth: number },
): Delay {
  const { restartDelay, jitter, estimated } = RULES;
  const at = (why: Delay['why'], from: number, to = from): Delay => ({ why, due: { from, to } });
  switch (turn.kind) {
    case 'ok':
    case 'hang':
      return at('between rounds', ended + restartDelay);
    case 'login':
      return at('after an error', ended + 2 * restartDelay);
    case 'limit':
      return at('provider', turn.resets + jitter.from, turn.resets + jitter.to);
    case 'outage': {
      const end = ended + estimated(turn.nth);
      return at('provider', end + jitter.from, end + jitter.to);
    }
  }
}

/** What is wrong with the sentence; empty when it is right. */
export function faultsOf(sentence: string, known: Known): string[] {
  const faults: string[] = [];
  const { start, until } = expected(known);
  if (!start.test(sentence)) faults.push(`does not begin like ${start}`);
  if (until !== null && !saysUntil(sentence, until, known)) {
    faults.push(`does not say ${localTimes(until, known).join(' or ')}`);
  }
  const person = known.down ? '`agent-runner serve`' : known.asked === 'login' ? '`agent-runner ack auth`' : null;
  if (
    person === null
      ? !/; nobody is needed\.$/.test(sentence)
      : !sentence.endsWith(`: ${person}.`) || !sentence.includes('; a person is needed: ')
  ) {
    faults.push(person === null ? 'calls for a person' : `does not end with ${person}`);
  }
  return faults;
}

/** How the sentence begins, and the end of the wait that it names. */
function expected({ now, down, round, rounds, delay, gates }: Known): { start: RegExp; until: Span | null } {
  if (down) return { start: /^serve \(pid \d+\) died without a word between two rounds;/, until: null };
  if (round !== null)
    return { start: new RegExp(`^Round ${round.num} has been running for ${spoken(now - round.began)} of at most 4 h`), until: null };
  const gate = gates.find(({ span }) => span.from <= now && now < span.to);
  if (gate?.why === 'paused') {
    return gate.endIsKnown
      ? {
          start: /^Paused by a person (?:just now|.* ago), until .*; `agent-runner resume` goes on at once/,
          until: { from: gate.span.to, to: gate.span.to },
        }
      : { start: /^Paused by a person (?:just now|.* ago); `agent-runner resume` goes on at once/, until: null };
  }
  if (gate?.why === 'memory') return { start: /^Waiting without a time: the host is short of memory/, until: null };
  const until = delay?.due ?? null;
  switch (delay?.why) {
    case 'provider':
      return { start: /^Waiting until .*: the provider limits the agent/, until };
    case 'after an error':
      return { start: /^Backing off until /, until };
    default:
      return { start: new RegExp(`^Waiting until .* before round ${rounds + 1}: the ordinary pause between rounds`), until };
  }
}

/** The clock time, and how far away it is. */
function saysUntil(sentence: string, until: Span, known: Known): boolean {
  const [, time = '', left = ''] = /until ((?:\d{4}-\d\d-\d\d )?\d\d:\d\d) \(([^)]*) from now\)/.exec(sentence) ?? [];
  const away = [...new Set([until.from, until.to + SECOND].flatMap((end) => [spoken(end - known.now), spoken(end - known.now - SECOND)]))];
  return localTimes(until, known).includes(time) && (away.includes(left) || isBetween(left, until, known.now));
}

/** The jitter is not ours to know: any length between its bounds. */
function isBetween(left: string, until: Span, now: number): boolean {
  for (let end = until.from; end <= until.to; end += SECOND) if (spoken(end - now) === left) return true;
  return false;
}

/** Each minute that the span touches, as a clock in that zone shows it; with the date when that is another day's. */
function localTimes({ from, to }: Span, { now, zone }: Known): string[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const today = format.format(now).slice(0, 10);
  const times = new Set<string>();
  for (let at = from; at < to + SECOND; at += SECOND) {
    const [day = '', time = ''] = format.format(at).split(' ');
    times.add(day === today ? time : `${day} ${time}`);
  }
  return [...times];
}

/** A length as a person says it, rounded down: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
function spoken(ms: number): string {
  const total = Math.floor(ms / SECOND);
  const [days, hours, minutes] = [Math.floor(total / 86_400), Math.floor(total / 3600) % 24, Math.floor(total / 60) % 60];
  if (days > 0) return hours === 0 ? `${days} d` : `${days} d ${hours} h`;
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${String(minutes).padStart(2, '0')} min`;
  return minutes > 0 ? `${minutes} min` : `${total} s`;
}
