import { judge, type Schedule } from '../../schedule/verdict.ts';
import { onTheWall } from '../../schedule/words.ts';
import { zoneName, zoneOf } from '../../util/zone.ts';
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
