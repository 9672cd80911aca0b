import { type Zone, zoneOf } from '../util/zone.ts';
import { type Cron, parseCron } from './cron.ts';
import { nextStart } from './next-start.ts';
import { isOpen, nextOpening, weekMinute } from './opening.ts';
import { openWeek, type Week, within } from './week.ts';
import type { Window } from './window.ts';

/** `[schedule]`, as the configuration holds it. */
export interface Schedule {
  /** Null: the host's. */
  timezone: string | null;
  run_windows: readonly Window[];
  pause_windows: readonly Window[];
  /** Expressions that can be read. */
  cron: readonly string[];
}

export type ScheduleVerdict =
  | { open: true }
  | {
      open: false;
      /** Epoch ms, exact; null when it never opens. */
      until: number | null;
      /** The pause window that holds now, `outside run_windows`, or the expression that is waited for. */
      activeWindow: string;
      by: 'windows' | 'cron';
    };

/** What the predecessor calls it when no run window holds. */
const OUTSIDE = 'outside run_windows';

/**
 * Whether a round may start at `now` (epoch ms). `lastStart`: when the newest round by this schedule's cron expressions started, or when
 * their waiting began; without expressions it is not looked at. Several starts that were missed are one.
 */
export function judge(schedule: Schedule, now: number, lastStart: number): ScheduleVerdict {
  const zone = zoneOf(schedule.timezone);
  const week = weekOf(schedule);
  if (schedule.cron.length > 0) {
    const due = nextDue(schedule, lastStart);
    if (due.at === null || due.at > now) return { open: false, until: due.at, activeWindow: `cron ${due.text}`, by: 'cron' };
  }
  if (isOpen(week, zone, now)) return { open: true };
  return { open: false, until: nextOpening(week, zone, now), activeWindow: windowAt(schedule, zone, now), by: 'windows' };
}

function windowAt({ pause_windows: pause }: Schedule, zone: Zone, now: number): string {
  const minute = weekMinute(now, zone);
  return pause.find((window) => within(window, minute))?.text ?? OUTSIDE;
}

const weeks = new WeakMap<Schedule, Week>();

function weekOf(schedule: Schedule): Week {
  const week = weeks.get(schedule) ?? openWeek(schedule);
  weeks.set(schedule, week);
  return week;
}

interface Due {
  /** Epoch ms; null when no expression has a start within the windows. */
  at: number | null;
  /** The expression that it is of. */
  text: string;
}

/** Asked every few seconds, and silly expressions cost a tenth of a second. */
const found = new WeakMap<Schedule, { after: number; due: Due }>();

/** The first start after `after` (epoch ms) that lies within the windows. */
export function nextDue(schedule: Schedule, after: number): Due {
  const known = found.get(schedule);
  if (known?.after === after) return known.due;
  const due = searchDue(schedule, after);
  found.set(schedule, { after, due });
  return due;
}

/** So many starts in a row outside of the windows (of a daily one, more than a year), or such a long time: none will ever lie within. */
const MOST_TRIES = 400;
const LONGEST_SEARCH_MS = 41 * 366 * 24 * 3600 * 1000;

function searchDue(schedule: Schedule, after: number): Due {
  let first: Due = { at: null, text: schedule.cron.join(', ') };
  for (const text of schedule.cron) {
    const cron = parseCron(text);
    const at = 'problem' in cron ? null : nextWithin(schedule, cron, after);
    if (at !== null && (first.at === null || at < first.at)) first = { at, text };
  }
  return first;
}

/** The first start of this expression within the windows. */
function nextWithin(schedule: Schedule, cron: Cron, after: number): number | null {
  const zone = zoneOf(schedule.timezone);
  const week = weekOf(schedule);
  let from = after;
  for (let tries = 0; tries < MOST_TRIES && from - after < LONGEST_SEARCH_MS; tries++) {
    const at = nextStart(cron, zone, from);
    if (at === null) return null;
    const opening = nextOpening(week, zone, at);
    if (opening === at) return at;
    if (opening === null) return null;
    from = opening - 1;
  }
  return null;
}
