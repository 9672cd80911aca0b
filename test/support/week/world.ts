import { type Random, randomFrom } from './random.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

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
  /** The provider refuses and says until when. */
  limits: Span[];
  /** The provider refuses and says nothing of an end. */
  outages: Span[];
  /** From here on the login is refused, until a person has logged in again. */
  loginExpires: number;
  /** So long after the first refusal a person has logged in. */
  loginTakes: number;
  /** A person pauses; `stated`: with the end, or without and `resume`s then. */
  pauses: (Span & { stated: boolean })[];
  /** The machine is off. Always while serve waits for a limit to end. */
  reboots: Span[];
  /** The first agent that begins after this hangs. */
  hangs: number;
  /** When somebody asks `peek`, in order. */
  moments: number[];
  turnLength(): number;
}

interface Season {
  zone: string;
  /** First day, UTC midnight. */
  start: number;
  /** A limit that spans the night in which the clocks change. */
  night: Span;
}

/** Weeks in which the clocks change; two of them go over the end of a month too. */
const SEASONS: readonly Season[] = [
  season('Europe/Berlin', Date.UTC(2026, 2, 25), Date.UTC(2026, 2, 28, 19), Date.UTC(2026, 2, 29, 7)),
  season('America/New_York', Date.UTC(2026, 9, 27, 4), Date.UTC(2026, 10, 1, 1), Date.UTC(2026, 10, 1, 14)),
  season('Europe/Berlin', Date.UTC(2026, 9, 21), Date.UTC(2026, 9, 24, 20), Date.UTC(2026, 9, 25, 8)),
  season('Australia/Lord_Howe', Date.UTC(2026, 3, 1), Date.UTC(2026, 3, 4, 11), Date.UTC(2026, 3, 4, 22)),
];

const SLOT = 12 * HOUR;

/** A week with everything in it, each thing in a half-day of its own, so that each can be judged by itself. */
export function worldOf(seed: number, moments = 100): World {
  const random = randomFrom(seed);
  const { zone, start, night } = SEASONS[seed % SEASONS.length] as Season;
  const end = start + 7 * 24 * HOUR;
  const slots = random
    .shuffled(Array.from({ length: 14 }, (_, i) => start + i * SLOT))
    .filter((slot) => slot + SLOT <= night.from || slot >= night.to + HOUR);
  const next = () => slots.pop() as number;
  const within = (least: number, most: number): Span => {
    const from = next() + random.between(0.5 * HOUR, 4 * HOUR);
    return { from, to: from + random.between(least, most) };
  };
  const limits = [night, within(HOUR, 5 * HOUR), within(HOUR, 5 * HOUR), within(3 * HOUR, 6 * HOUR), within(3 * HOUR, 6 * HOUR)];
  const [, , , paused, rebooted] = limits as [Span, Span, Span, Span, Span];
  return {
    seed,
    zone,
    start,
    end,
    limits,
    outages: [within(0.5 * HOUR, 2.5 * HOUR), within(0.5 * HOUR, 2.5 * HOUR)],
    loginExpires: within(0, 0).from,
    loginTakes: random.between(MINUTE, 6 * MINUTE),
    pauses: [
      { ...within(HOUR, 4 * HOUR), stated: true },
      { from: paused.from + random.between(0.4, 0.6) * (paused.to - paused.from), to: paused.to + HOUR, stated: false },
    ],
    reboots: [partOf(rebooted, random)],
    hangs: within(0, 0).from,
    moments: momentsOf(random, start, end, moments, [...limits, paused, rebooted]),
    turnLength: () => random.between(20 * MINUTE, 170 * MINUTE),
  };
}

/** Half of them anywhere, half where something happens. */
function momentsOf(random: Random, start: number, end: number, count: number, eventful: readonly Span[]): number[] {
  const anywhere = () => random.between(start + MINUTE, end);
  const somewhere = ({ from, to }: Span) => random.between(from - 10 * MINUTE, to + 10 * MINUTE);
  return Array.from({ length: count }, (_, i) => (i % 2 === 0 ? anywhere() : somewhere(eventful[i % eventful.length] as Span))).sort(
    (a, b) => a - b,
  );
}

/** Some minutes in the middle. */
function partOf({ from, to }: Span, random: Random): Span {
  const begin = from + random.between(0.5, 0.7) * (to - from);
  return { from: begin, to: begin + random.between(3 * MINUTE, 40 * MINUTE) };
}

function season(zone: string, start: number, from: number, to: number): Season {
  return { zone, start, night: { from, to } };
}
