import { judge, type Schedule } from '../../schedule/verdict.ts';
import { wallTime, type Zone, zoneName, zoneOf } from '../../util/zone.ts';
import type { Obstacle } from '../gates/gate.ts';

/**
 * Why `schedule` lets no round start at `now` (epoch ms), or null when it does. `lastStart`: of the newest round by its cron
 * expressions. `phase`: whose schedule it is, null without phases. Pure.
 */
export function scheduleObstacle(schedule: Schedule, phase: string | null, now: number, lastStart: number): Obstacle | null {
  const verdict = judge(schedule, now, lastStart);
  if (verdict.open) return null;
  const { until, activeWindow, by } = verdict;
  const zone = zoneOf(schedule.timezone);
  const whose = phase === null ? '' : `, phase ${phase}`;
  const why =
    by === 'cron' ? `the next start by ${activeWindow}` : activeWindow === OUTSIDE ? outside(schedule) : `pause window ${activeWindow}`;
  return {
    reason: 'schedule',
    until,
    source: 'schedule',
    sentence: `paused by the schedule${until === null ? ' for good: it never opens' : ` until ${onTheWall(until, now, zone)}`} (${zoneName(zone)}${whose}): ${why}`,
    window: { active_window: activeWindow, timezone: zoneName(zone), phase },
  };
}

const OUTSIDE = 'outside run_windows';

function outside({ run_windows: windows }: Schedule): string {
  return `outside ${windows.map(({ text }) => text).join(', ')}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const NEARLY_A_WEEK_MS = 6 * 24 * 3600 * 1000;

/** `Mon 22:00`, with its date where the weekday alone could be read as another one. */
function onTheWall(at: number, now: number, zone: Zone): string {
  const { weekday, year, month, day, hour, minute, second } = wallTime(at, zone);
  const clock = `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`;
  return at - now < NEARLY_A_WEEK_MS ? `${WEEKDAYS[weekday]} ${clock}` : `${WEEKDAYS[weekday]} ${year}-${two(month)}-${two(day)} ${clock}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
