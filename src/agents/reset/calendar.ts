import { momentsOf, type WallTime, wallTime, type Zone } from '../../util/zone.ts';
import { CLOCK, type Clock, clockOf } from './clock.ts';
import { behindCue } from './cue.ts';
import { type Found, spanOf } from './found.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTH = String.raw`(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?`;
const WEEKDAY = `(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?(?![a-z])`;
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?(?![A-Za-z0-9:])`;
const YEAR = String.raw`(?:,?\s{1,3}(?<year>\d{4})(?![\d:]))?`;
const AT_CLOCK = String.raw`(?:(?:,\s{0,3}|\s{1,3})(?:at\s{1,3}|@\s{0,3})?${CLOCK})?`;

const ISO = String.raw`(?<year>\d{4})-(?<monthNumber>\d{2})-(?<day>\d{2})(?!\d)(?:(?:t|,?\s{1,3}(?:at\s{1,3})?)${CLOCK})?`;
const MONTH_FIRST = String.raw`(?:${WEEKDAY},?\s{1,3})?${MONTH}\s{1,3}${DAY}${YEAR}${AT_CLOCK}`;
const DAY_FIRST = String.raw`(?:${WEEKDAY},?\s{1,3})?${DAY}\.?\s{1,3}${MONTH}${YEAR}${AT_CLOCK}`;
const NUMBERS = String.raw`(?<first>\d{1,2})(?<separator>[/.])(?<second>\d{1,2})[/.](?<year>\d{4})(?!\d)${AT_CLOCK}`;
const DAY_WORD = `(?<word>today|tomorrow|${WEEKDAY})(?![a-z])${AT_CLOCK}`;
const CLOCK_ONLY = String.raw`${CLOCK}(?:,?\s{1,3}(?<word>today|tomorrow)(?![a-z]))?`;

/** In the order in which they are believed: what names its day before what leaves it open. */
const FORMS = [ISO, MONTH_FIRST, DAY_FIRST, NUMBERS, DAY_WORD, CLOCK_ONLY].map(behindCue);

type Groups = Record<string, string | undefined>;

/** A limit that ended so lately has just passed; what is longer ago is tomorrow's. A round may end a while after the words were printed. */
const JUST_PASSED_S = 15 * 60;
/** Session limits are windows of five hours: their end is never further away, so one that passed within so long is not tomorrow's. */
const SESSION_S = 5 * 3600;
const SESSION = /\bsession limit|\b5[- ]hour/i;

/** A date, a weekday or a time of day. `now` in epoch seconds; `home`: the zone of times that name none. May be in the past. */
export function findCalendar(text: string, now: number, home: Zone): Found | null {
  const window = SESSION.test(text) ? SESSION_S : null;
  for (const form of FORMS) {
    form.lastIndex = 0;
    for (let match = form.exec(text); match !== null; match = form.exec(text)) {
      const epoch = momentOf(match.groups ?? {}, now, home, window);
      if (epoch !== null) return { epoch, span: spanOf(match) };
    }
  }
  return null;
}

function momentOf(groups: Groups, now: number, home: Zone, window: number | null): number | null {
  const clock = clockOf(groups);
  if (clock === null) return null;
  const zone = clock.zone ?? home;
  const today = wallTime(now * 1000, zone);
  if (groups.word !== undefined) return nextOf(daysOf(groups.word.toLowerCase(), today.weekday), today, clock, zone, now);
  const dates = datesOf(groups);
  if (dates === null) return nextOf([-1, 0, 1, 2], today, clock, zone, now, window);
  const years = groups.year === undefined ? [today.year - 1, today.year, today.year + 1] : [Number(groups.year)];
  const moments = years.flatMap((year) =>
    dates.filter(({ month, day }) => isDate(year, month, day)).flatMap((date) => momentsOf({ ...clock, ...date, year }, zone)[0] ?? []),
  );
  // Without a year the nearest is meant: in December "Jan 2" is ahead, in January "Dec 31" has passed.
  return nearest(
    moments.map((ms) => ms / 1000),
    now,
  );
}

/** Which days from today a word may mean; yesterday too, whose last minutes may have just passed. */
function daysOf(word: string, weekday: number): number[] {
  if (word === 'today') return [0];
  if (word === 'tomorrow') return [1];
  const wanted = WEEKDAYS.indexOf(word.slice(0, 3));
  return [-1, 0, 1, 2, 3, 4, 5, 6, 7].filter((day) => (weekday + day + 7) % 7 === wanted);
}

/**
 * The first moment of these days that is ahead or has just passed; the last one when all have long passed. `window`: how far ahead the
 * end can be at most, which makes one that has passed within so long the one that is meant.
 */
function nextOf(days: number[], today: WallTime, clock: Clock, zone: Zone, now: number, window: number | null = null): number | null {
  const moments = days.flatMap((day) => momentsOf({ ...today, ...clock, day: today.day + day }, zone)).map((ms) => ms / 1000);
  const next = moments.find((epoch) => epoch >= now - JUST_PASSED_S) ?? moments.at(-1) ?? null;
  if (window === null || next === null || next - now <= window) return next;
  return moments.find((epoch) => epoch <= now && epoch >= now - window) ?? next;
}

/** Null: no date was written. Numbers with slashes may be read in two ways. */
function datesOf({ month, monthNumber, day, first, second, separator, half }: Groups): Pick<WallTime, 'month' | 'day'>[] | null {
  if (month !== undefined) return [{ month: MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1, day: Number(day) }];
  if (monthNumber !== undefined) return [{ month: Number(monthNumber), day: Number(day) }];
  if (first === undefined) return null;
  const dayFirst = { month: Number(second), day: Number(first) };
  const monthFirst = { month: Number(first), day: Number(second) };
  if (separator === '.') return [dayFirst];
  // Who writes am and pm writes the month first.
  return half !== undefined && Number(first) <= 12 ? [monthFirst] : [dayFirst, monthFirst];
}

function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month >= 1;
}

function nearest(moments: number[], now: number): number | null {
  return moments.sort((one, other) => Math.abs(one - now) - Math.abs(other - now))[0] ?? null;
}
