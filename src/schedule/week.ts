import type { Window } from './window.ts';

export const DAY_MINUTES = 1440;
export const WEEK_MINUTES = 7 * DAY_MINUTES;

/** From (inclusive) and to (exclusive), in minutes of a week that begins on Monday at 00:00. */
type Span = readonly [from: number, to: number];

/** When rounds may start in a week, by the clock on the wall: spans that neither overlap nor touch, ascending. */
export type Week = readonly Span[];

/** Within a run window, or there is none; and within no pause window. */
export function openWeek({
  run_windows: run,
  pause_windows: pause,
}: {
  run_windows: readonly Window[];
  pause_windows: readonly Window[];
}): Week {
  const open = new Uint8Array(WEEK_MINUTES).fill(run.length === 0 ? 1 : 0);
  for (const window of run) fill(open, window, 1);
  for (const window of pause) fill(open, window, 0);
  const week: Span[] = [];
  for (let from = open.indexOf(1); from !== -1; ) {
    const closed = open.indexOf(0, from);
    const to = closed === -1 ? WEEK_MINUTES : closed;
    week.push([from, to]);
    from = open.indexOf(1, to);
  }
  return week;
}

function fill(open: Uint8Array, window: Window, value: 0 | 1): void {
  for (const [from, to] of spansOf(window)) open.fill(value, from, to);
}

/** The tail of a window over midnight belongs to the day on which the window began: that of Sunday lies at the week's beginning. */
function spansOf({ days, start, end }: Window): Span[] {
  return days.flatMap((day): Span[] => {
    const midnight = day * DAY_MINUTES;
    if (end > start) return [[midnight + start, midnight + end]];
    const next = (midnight + DAY_MINUTES) % WEEK_MINUTES;
    return [
      [midnight + start, midnight + DAY_MINUTES],
      [next, next + end],
    ];
  });
}

/** Whether a week has this minute (fractions allowed). */
export function has(week: Week, minute: number): boolean {
  return week.some(([from, to]) => from <= minute && minute < to);
}

/** Whether both weeks have a minute in common. */
export function overlap(one: Week, other: Week): boolean {
  return one.some(([from, to]) => other.some(([otherFrom, otherTo]) => from < otherTo && otherFrom < to));
}

/** Whether a window has this minute of the week. */
export function within(window: Window, minute: number): boolean {
  return has(spansOf(window), minute);
}

/** Minutes from `minute` to the next at which `week` opens or closes, above 0; null when it never does. Sunday night flows into Monday. */
export function untilNextEdge(week: Week, minute: number): number | null {
  const wraps = week[0]?.[0] === 0 && week.at(-1)?.[1] === WEEK_MINUTES;
  const edges = week.flat().filter((edge) => !(wraps && edge % WEEK_MINUTES === 0));
  const [first] = edges;
  if (first === undefined) return null;
  return (edges.find((edge) => edge > minute) ?? first + WEEK_MINUTES) - minute;
}
