import { momentsOf, namedZone, wallTime, type Zone } from '../util/zone.ts';

const SECONDS_OF: Record<string, number> = { d: 86_400, h: 3600, m: 60, min: 60, s: 1 };
const DURATION = /^(?:\d+(?:d|h|min|m|s))+$/;
const CLOCK = /^([01]?\d|2[0-3]):([0-5]\d)$/;
/** ISO 8601 with a time of day; without a zone it is this machine's local time. */
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i;

/** A zone of the tz database behind a time: `14:30 Europe/Zurich`. */
const IN_ZONE = /^(.*\S)\s+([A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*)$/;

/**
 * The moment (epoch ms) that a person means by `2h30m`, `90m`, `14:30` (the next time a local clock reads so) or
 * `2026-11-30T14:00[:00][Z]`, the latter two also with the zone in which they are told, as a schedule may have another than the host;
 * null when it is none of these, or not in the future.
 */
export function parseUntil(text: string, now: number): number | null {
  const [, time = '', name = ''] = IN_ZONE.exec(text.trim()) ?? [];
  const value = name === '' ? momentOf(text.trim(), now) : momentInZone(time, namedZone(name), now);
  return Number.isFinite(value) && value > now && value <= LATEST ? value : null;
}

/** Why `parseUntil` takes `text` for no moment in the future: the end of a sentence that begins with it. */
export function untilProblem(text: string, now: number): string {
  const [, time = '', name = ''] = IN_ZONE.exec(text.trim()) ?? [];
  const clock = /^\d{1,2}:\d{2}$/;
  if (name !== '' && (clock.test(time) || ISO.test(time)) && namedZone(name) === null)
    return `names a time zone that does not exist: ${name}`;
  if (name !== '' && DURATION.test(time)) return 'has a time zone, which a duration does not take';
  if (name !== '' && /(?:Z|[+-]\d\d:?\d\d)$/i.test(time.slice(10))) return 'has two time zones';
  const told = name === '' ? text.trim() : time;
  if (clock.test(told) && !CLOCK.test(told)) return 'is no time of day: the hours go from 00 to 23, the minutes to 59';
  const moment = name === '' ? momentOf(told, now) : momentInZone(told, namedZone(name), now);
  if (!Number.isFinite(moment)) return 'is neither a duration nor a time';
  return moment > now ? 'is too far ahead' : 'is not in the future';
}

/** The last moment that has an ISO form with a four-digit year. */
const LATEST = Date.UTC(9999, 11, 31);

function momentOf(text: string, now: number): number {
  if (DURATION.test(text)) return now + durationMs(text);
  const clock = CLOCK.exec(text);
  if (clock) return nextClockTime(Number(clock[1]), Number(clock[2]), now);
  if (!ISO.test(text)) return Number.NaN;
  return Date.parse(text.replace(' ', 'T').toUpperCase());
}

function momentInZone(text: string, zone: Zone | null, now: number): number {
  if (zone === null) return Number.NaN;
  const clock = CLOCK.exec(text);
  if (clock) {
    const today = wallTime(now, zone);
    const wall = { ...today, hour: Number(clock[1]), minute: Number(clock[2]), second: 0 };
    // Not today's: tomorrow's, and in the hour that comes twice the second of the two.
    const moments = [0, 1, 2].flatMap((days) => momentsOf({ ...wall, day: today.day + days }, zone));
    return moments.find((at) => at > now) ?? Number.NaN;
  }
  if (!ISO.test(text) || /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10))) return Number.NaN;
  // Read as if the wall showed UTC, to have its numbers.
  const told = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(told) ? told : (momentsOf(wallTime(told, { offsetMinutes: 0 }), zone)[0] ?? Number.NaN);
}

function durationMs(text: string): number {
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)(d|h|min|m|s)/g)) seconds += Number(amount) * (SECONDS_OF[unit ?? ''] ?? 0);
  return seconds * 1000;
}

/** Today or tomorrow, by the calendar: a day with a clock change is not 24 hours long. */
function nextClockTime(hours: number, minutes: number, now: number): number {
  const today = new Date(now);
  const at = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, hours, minutes).getTime();
  return at(0) > now ? at(0) : at(1);
}
