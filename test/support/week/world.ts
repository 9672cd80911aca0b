import { type Random, randomFrom } from './random.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Epoch ms; the end does not belong to it. */
export interface Span {
  from: number;
  to: number;
}

/** What befalls one project in a week. Whoever reads it knows what a supervisor should do, whatever that does. */
export interface World {
  seed: number;
  zone: string;
  start: number;
  end: number;
  /** Who may run, in order: one, or one with another to stand in; and whether a second phase has quick rounds that tell no usage. */
  accounts: readonly string[];
  review: boolean;
  /** The provider refuses an account and says until when. The first spans the change of the clocks. */
  limits: (Span & { account: string })[];
  /** The provider refuses and says nothing of an end. */
  outages: Span[];
  /** From here on the login of the first account is refused, until a person has logged in again. */
  loginExpires: number;
  /** So long after the first refusal a person has done so; where nobody stands in, before a third one, which would stop serve. */
  loginTakes: number;
  /** The host has no memory left. */
  memory: Span[];
  /** A person pauses; `stated`: with the end, or without it and `resume`s then. */
  pauses: (Span & { stated: boolean })[];
  /** `pause_windows` of the configuration, local time; each hides the hour of a change of the clocks. */
  windows: string[];
  /** When they hold, by the wall clock of the zone, minute by minute. */
  closed: Span[];
  /** The machine is off. The first is within a limit, where a serve with one account waits. */
  reboots: Span[];
  /** The first agent that begins after this hangs. */
  hangs: number;
  /** When somebody asks `peek`, in order. */
  moments: number[];
  /** How long an agent works that nothing befalls. */
  turnLength(): number;
  reviewLength(): number;
}

interface Season {
  zone: string;
  /** First midnight. */
  start: number;
  /** From the evening before the clocks change to some minutes after they did. */
  night: Span;
}

const season = (zone: string, start: number, evening: number, end: number): Season => ({ zone, start, night: { from: evening, to: end } });

/** Weeks in which the clocks change; two of them go over the end of a month too. */
const SEASONS: readonly Season[] = [
  season('Europe/Berlin', Date.UTC(2026, 2, 24, 23), Date.UTC(2026, 2, 28, 15), Date.UTC(2026, 2, 29, 1, 10)),
  season('America/New_York', Date.UTC(2026, 9, 27, 4), Date.UTC(2026, 9, 31, 20), Date.UTC(2026, 10, 1, 6, 20)),
  season('Europe/Berlin', Date.UTC(2026, 9, 20, 22), Date.UTC(2026, 9, 24, 15), Date.UTC(2026, 9, 25, 1, 10)),
  season('Australia/Lord_Howe', Date.UTC(2026, 2, 31, 13), Date.UTC(2026, 3, 4, 5), Date.UTC(2026, 3, 4, 15, 20)),
];
const WINDOWS = ['02:30-04:15'];

const SLOT = 12 * HOUR;
/** Each thing begins so long after its slot, and leaves the next one alone. */
const LEAD: readonly [number, number] = [0.5 * HOUR, 4 * HOUR];

/**
 * A week with everything in it, each thing in a half-day of its own, so that each can be judged by itself. Every other one has a second
 * account of the same CLI, which stands in and has limits of its own within those of the first.
 */
export function worldOf(seed: number, moments = 100): World {
  const standsIn = seed % 2 === 1;
  const accounts = standsIn ? ['work', 'home'] : ['claude'];
  const [first = '', second] = accounts;
  const random = randomFrom(seed);
  const { zone, start, night } = SEASONS[Math.floor(seed / 2) % SEASONS.length] as Season;
  const end = start + 7 * DAY;
  const slots = random
    .shuffled(Array.from({ length: 14 }, (_, i) => start + i * SLOT))
    .filter((slot) => slot + SLOT <= night.from || slot >= night.to + HOUR);
  const within = (least: number, most: number): Span => {
    const slot = slots.pop();
    if (slot === undefined) throw new Error('the week is full');
    const from = slot + random.between(...LEAD);
    return { from, to: from + random.between(least, most) };
  };
  const [paused, rebooted] = [within(3 * HOUR, 6 * HOUR), within(3 * HOUR, 6 * HOUR)];
  const own = [night, paused, rebooted, within(HOUR, 5 * HOUR), within(HOUR, 5 * HOUR)];
  // One ends before the first account's, one after it.
  const others = second === undefined ? [] : [partOf(paused, random), { from: rebooted.from + HOUR, to: rebooted.to + 2 * HOUR }];
  const limits = [...own.map((span) => ({ ...span, account: first })), ...others.map((span) => ({ ...span, account: second ?? '' }))];
  const memory = [within(20 * MINUTE, 90 * MINUTE)];
  return {
    seed,
    zone,
    start,
    end,
    accounts,
    review: standsIn,
    limits,
    outages: [within(0.5 * HOUR, 2.5 * HOUR), within(0.5 * HOUR, 2.5 * HOUR)],
    loginExpires: within(0, 0).from,
    loginTakes: standsIn ? random.between(30 * MINUTE, 100 * MINUTE) : random.between(MINUTE, 4 * MINUTE),
    memory,
    pauses: [
      { ...within(HOUR, 4 * HOUR), stated: true },
      { from: paused.from + random.between(0.4, 0.6) * (paused.to - paused.from), to: paused.to + HOUR, stated: false },
    ],
    windows: WINDOWS,
    closed: spansOf(WINDOWS, zone, { from: start, to: end + DAY }),
    reboots: [partOf(rebooted, random)],
    hangs: within(0, 0).from,
    moments: momentsOf(random, { from: start + MINUTE, to: end }, moments, [...limits, ...memory]),
    turnLength: () => (standsIn ? random.between(30 * MINUTE, 220 * MINUTE) : random.between(20 * MINUTE, 170 * MINUTE)),
    reviewLength: () => random.between(5 * SECOND, 25 * SECOND),
  };
}

/** Half of them anywhere, half where something happens. */
function momentsOf(random: Random, week: Span, count: number, eventful: readonly Span[]): number[] {
  const somewhere = ({ from, to }: Span) => random.between(from - 10 * MINUTE, to + 10 * MINUTE);
  return Array.from({ length: count }, (_, i) =>
    i % 2 === 0 ? random.between(week.from, week.to) : somewhere(eventful[((i - 1) / 2) % eventful.length] as Span),
  )
    .map(Math.round)
    .sort((a, b) => a - b);
}

/** Some minutes in its second half. */
function partOf({ from, to }: Span, random: Random): Span {
  const begin = from + random.between(0.5, 0.7) * (to - from);
  return { from: begin, to: begin + random.between(3 * MINUTE, 40 * MINUTE) };
}

/** When a wall clock of `zone` shows a time within one of the windows: no arithmetic with days, so that none can be wrong. */
function spansOf(windows: readonly string[], zone: string, { from, to }: Span): Span[] {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  const bounds = windows.map((window) => window.split('-') as [string, string]);
  const spans: Span[] = [];
  let open: Span | null = null;
  for (let at = from; at < to; at += MINUTE) {
    const time = clock.format(at);
    const isIn = bounds.some(([begin, end]) => begin <= time && time < end);
    if (isIn && open === null) open = { from: at, to };
    if (isIn || open === null) continue;
    spans.push({ ...open, to: at });
    open = null;
  }
  return open === null ? spans : [...spans, open];
}
