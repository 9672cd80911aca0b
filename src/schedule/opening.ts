import { nextTransition, offsetAt, type Zone } from '../util/zone.ts';
import { has, untilNextEdge, WEEK_MINUTES, type Week } from './week.ts';

const MINUTE_MS = 60_000;
/** The epoch was a Thursday. */
const EPOCH_MINUTE = 3 * 1440;

/**
 * The minute of the week that the wall shows, with its fraction. A window is what the wall shows: an hour that is left out in spring is
 * missing from its window, an hour that comes twice in autumn counts both times.
 */
export function weekMinute(epochMs: number, zone: Zone): number {
  const minute = (epochMs + offsetAt(epochMs, zone)) / MINUTE_MS + EPOCH_MINUTE;
  return ((minute % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;
}

export function isOpen(week: Week, zone: Zone, epochMs: number): boolean {
  return has(week, weekMinute(epochMs, zone));
}

/** The first moment from `at` on (epoch ms) at which `week` is open; null when it never is. */
export function nextOpening(week: Week, zone: Zone, at: number): number | null {
  return firstMoment(week, zone, at, true);
}

/** The first moment from `at` on (epoch ms) at which `week` is closed; null when it never is. */
export function nextClosing(week: Week, zone: Zone, at: number): number | null {
  return firstMoment(week, zone, at, false);
}

/** A window of the week may fall into the hour that a change of the clock leaves out, and two weeks in a row at the worst. */
const LONGEST_SEARCH_MS = 35 * 24 * 3600 * 1000;

/**
 * Between two changes of the zone's distance from UTC the wall runs evenly, so that the state can change only where the week has an edge
 * or the zone a change. Exact, and a handful of steps whatever the distance.
 */
function firstMoment(week: Week, zone: Zone, at: number, wanted: boolean): number | null {
  let moment = at;
  while (moment - at < LONGEST_SEARCH_MS) {
    const minute = weekMinute(moment, zone);
    if (has(week, minute) === wanted) return moment;
    const left = untilNextEdge(week, minute);
    if (left === null) return null;
    const edge = Math.round(moment + left * MINUTE_MS);
    moment = nextTransition(zone, moment, edge) ?? edge;
  }
  return null;
}
