import { nextTransition, offsetAt, type Zone } from '../util/zone.ts';
import type { Cron } from './cron.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** No day in so long: there is none. A February 29 that must be a Monday comes every 28 years, and 40 over a year like 2100. */
const LONGEST_SEARCH_DAYS = 41 * 366;
/** The longest change of a zone's distance from UTC: Samoa went over the date line. */
const LONGEST_CHANGE_MS = DAY_MS;

/**
 * The first start after `after` (epoch ms) by the clock on the wall, or null when there is none. On days when the clock is changed:
 * a start in the hour that spring leaves out comes as long after the change as it would have come after the hour's beginning (02:30 is
 * then 03:30: as far from the day before as on any other day); in the hour that autumn repeats an expression for every hour goes on, any
 * other has had its start the first time.
 */
export function nextStart(cron: Cron, zone: Zone, after: number): number | null {
  let from = (Math.floor(after / SECOND_MS) + 1) * SECOND_MS;
  for (;;) {
    const offset = offsetAt(from, zone);
    const change = lastChange(zone, from, offset);
    const next = earliest(
      nextWall(cron, skipRepeated(cron, from, change) + offset, offset),
      change !== null && change.ahead > 0 && from < change.at + change.ahead ? leftOut(cron, from, change) : null,
    );
    if (next === null) return null;
    const transition = nextTransition(zone, from, next);
    if (transition === null) return next;
    // The zone's distance from UTC is another one then; but the wall shows no start until then, and it moves by a day at the most.
    from = Math.max(transition, next - 2 * LONGEST_CHANGE_MS);
  }
}

interface Change {
  at: number;
  /** The distance from UTC before it, ms. */
  offsetBefore: number;
  /** How far the wall jumped ahead (spring) or, below 0, back (autumn), ms. */
  ahead: number;
}

/** The newest change of the zone that a moment may still feel. */
function lastChange(zone: Zone, moment: number, offset: number): Change | null {
  const at = nextTransition(zone, moment - LONGEST_CHANGE_MS, moment);
  if (at === null) return null;
  const offsetBefore = offsetAt(at - 1, zone);
  return { at, offsetBefore, ahead: offset - offsetBefore };
}

/** Past the hour that the wall shows for the second time, for what starts at certain hours only. */
function skipRepeated(cron: Cron, from: number, change: Change | null): number {
  if (change === null || change.ahead >= 0 || cron.hours.length === 24) return from;
  return Math.max(from, change.at - change.ahead);
}

/** The next start whose time the change left out, told by the clock as it went before. */
function leftOut(cron: Cron, from: number, { at, offsetBefore, ahead }: Change): number | null {
  const moment = nextWall(cron, from + offsetBefore, offsetBefore);
  return moment !== null && moment < at + ahead ? moment : null;
}

function earliest(one: number | null, other: number | null): number | null {
  return one === null || (other !== null && other < one) ? other : one;
}

/** The first start from `wall` on (ms as if the wall showed UTC), as epoch ms for a wall that is `offset` ahead. */
function nextWall(cron: Cron, wall: number, offset: number): number | null {
  const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
  for (let day = 0; day <= LONGEST_SEARCH_DAYS; day++) {
    const date = new Date(midnight + day * DAY_MS);
    if (!cron.onDay(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())) continue;
    const time = timeOfDay(cron, Math.max(0, wall - date.getTime()) / SECOND_MS);
    if (time !== null) return date.getTime() + time * SECOND_MS - offset;
  }
  return null;
}

/** The first second of the day that is a start and not before `least`. */
function timeOfDay({ hours, minutes, seconds }: Cron, least: number): number | null {
  for (const hour of hours) {
    if ((hour + 1) * 3600 <= least) continue;
    for (const minute of minutes) {
      if (hour * 3600 + (minute + 1) * 60 <= least) continue;
      const second = seconds.find((one) => hour * 3600 + minute * 60 + one >= least);
      if (second !== undefined) return hour * 3600 + minute * 60 + second;
    }
  }
  return null;
}
