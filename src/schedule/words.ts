import { wallTime, type Zone } from '../util/zone.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const NEARLY_A_WEEK_MS = 6 * 24 * 3600 * 1000;

/** `Mon 22:00`, with its date where the weekday alone could be read as another one. */
export function onTheWall(at: number, now: number, zone: Zone): string {
  const { weekday, year, month, day, hour, minute, second } = wallTime(at, zone);
  const clock = `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`;
  return at - now < NEARLY_A_WEEK_MS ? `${WEEKDAYS[weekday]} ${clock}` : `${WEEKDAYS[weekday]} ${year}-${two(month)}-${two(day)} ${clock}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
