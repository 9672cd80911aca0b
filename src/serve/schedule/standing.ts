import type { Profile } from '../../config/profile.ts';
import { nextClosing } from '../../schedule/opening.ts';
import { openWeek } from '../../schedule/week.ts';
import { onTheWall } from '../../schedule/words.ts';
import { zoneName, zoneOf } from '../../util/zone.ts';
import { scheduleObstacle } from './obstacle.ts';

/** `open until Mon 06:00 (Europe/Zurich)`, or why it is closed; null without a schedule. Pure. */
export function scheduleWords(schedule: Profile['schedule'], phase: string | null, now: number): string | null {
  const { run_windows: run, pause_windows: pause, cron, timezone } = schedule;
  if (run.length + pause.length + cron.length === 0) return null;
  const closed = scheduleObstacle(schedule, phase, now, now);
  if (closed !== null) return closed.sentence;
  const zone = zoneOf(timezone);
  const until = nextClosing(openWeek(schedule), zone, now);
  return `open${until === null ? '' : ` until ${onTheWall(until, now, zone)}`} (${zoneName(zone)})`;
}
