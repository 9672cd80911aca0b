import type { Zone } from '../../../src/util/zone.ts';
import { wallTime } from '../../../src/util/zone.ts';

/** Changes of the clock that are worth a look: the place, and a moment in the week of the change. */
export const CHANGES: [place: string, iso: string, what: string][] = [
  ['UTC', '2026-03-29T01:00Z', 'none'],
  ['Europe/Zurich', '2026-03-29T01:00Z', '02:00 is 03:00'],
  ['Europe/Zurich', '2026-10-25T01:00Z', '02:00 to 03:00 twice'],
  ['America/New_York', '2026-03-08T07:00Z', 'spring, west'],
  ['America/New_York', '2026-11-01T06:00Z', 'autumn, west'],
  ['Australia/Sydney', '2026-10-03T16:00Z', 'spring in October'],
  ['Australia/Sydney', '2026-04-04T16:00Z', 'autumn in April'],
  ['America/Santiago', '2026-09-06T04:00Z', 'no midnight'],
  ['America/Santiago', '2026-04-05T03:00Z', 'the hour before midnight twice'],
  ['Africa/Cairo', '2026-04-23T22:00Z', 'no midnight'],
  ['Africa/Cairo', '2026-10-29T21:00Z', 'the hour before midnight twice'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z', 'half an hour'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z', 'half an hour back'],
  ['Asia/Kathmandu', '2026-03-29T01:00Z', '5:45 ahead, no change'],
  ['Asia/Kolkata', '2026-03-29T01:00Z', '5:30 ahead, no change'],
  ['America/St_Johns', '2026-03-08T05:30Z', '3:30 behind'],
  ['Pacific/Chatham', '2026-09-26T14:00Z', '12:45 ahead, at 02:45'],
  ['Pacific/Apia', '2011-12-30T10:00Z', 'no December 30'],
  ['Africa/Casablanca', '2026-02-15T02:00Z', 'back for Ramadan'],
  ['Africa/Casablanca', '2026-03-22T02:00Z', 'ahead after it'],
  ['Asia/Pyongyang', '2018-05-04T15:00Z', 'half an hour for good'],
];

/** `Sun 2026-10-25 02:30`, on the wall of that place. */
export function onTheWall(epochMs: number, zone: Zone): string {
  const { weekday, year, month, day, hour, minute, second } = wallTime(epochMs, zone);
  const two = (n: number) => String(n).padStart(2, '0');
  const name = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][weekday];
  return `${name} ${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`;
}
