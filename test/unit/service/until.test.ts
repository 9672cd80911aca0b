import { expect, test } from 'vitest';
import { parseUntil, untilProblem } from '../../../src/service/until.ts';

process.env.TZ = 'Europe/Zurich';
/** 2026-11-29 13:00 in Zurich. */
const NOW = Date.UTC(2026, 10, 29, 12, 0, 0);

test.each([
  ['2h30m', '2026-11-29T14:30:00.000Z'],
  ['90m', '2026-11-29T13:30:00.000Z'],
  ['90min', '2026-11-29T13:30:00.000Z'],
  ['1d', '2026-11-30T12:00:00.000Z'],
  ['45s', '2026-11-29T12:00:45.000Z'],
  ['1d1h1m1s', '2026-11-30T13:01:01.000Z'],
  ['14:30', '2026-11-29T13:30:00.000Z'],
  ['9:05', '2026-11-30T08:05:00.000Z'],
  ['13:00', '2026-11-30T12:00:00.000Z'],
  ['2026-11-30T14:00', '2026-11-30T13:00:00.000Z'],
  ['2026-11-30 14:00', '2026-11-30T13:00:00.000Z'],
  ['2026-11-30T14:00:00Z', '2026-11-30T14:00:00.000Z'],
  ['2026-11-30T14:00:00.500z', '2026-11-30T14:00:00.500Z'],
  ['2026-11-30T14:00+05:30', '2026-11-30T08:30:00.000Z'],
  [' 2h ', '2026-11-29T14:00:00.000Z'],
  ['14:30 Europe/Zurich', '2026-11-29T13:30:00.000Z'],
  ['14:30 Asia/Tokyo', '2026-11-30T05:30:00.000Z'],
  ['06:00 America/New_York', '2026-11-30T11:00:00.000Z'],
  ['13:00  UTC', '2026-11-29T13:00:00.000Z'],
  ['2026-11-30T14:00 Asia/Kathmandu', '2026-11-30T08:15:00.000Z'],
  ['2026-11-30 14:00:30 Asia/Tokyo', '2026-11-30T05:00:30.000Z'],
  // Left out in spring, and there twice in autumn.
  ['2027-03-28T02:30 Europe/Zurich', '2027-03-28T01:30:00.000Z'],
  ['2027-10-31T02:30 Europe/Zurich', '2027-10-31T00:30:00.000Z'],
])('%s', (text, expected) => {
  expect(new Date(parseUntil(text, NOW) ?? 0).toISOString()).toBe(expected);
});

test.each([
  '',
  'soon',
  '2',
  '-2h',
  '2h-',
  '0s',
  '24:00',
  '12:60',
  '2026-11-29',
  '2026-11-29T11:00Z',
  '2026-13-30T14:00',
  '1e9d',
  '99999999d',
  'h',
  '2h 30m',
  '14:30 Europe/Zurick',
  '2h Europe/Zurich',
  '2026-11-30T14:00Z Europe/Zurich',
  '2026-11-30T14:00+01:00 Europe/Zurich',
  'tomorrow UTC',
  'UTC',
])('%s is no moment in the future', (text) => {
  expect(parseUntil(text, NOW)).toBeNull();
});

test('a time of day over a clock change is the next calendar day, not 24 hours later', () => {
  // Zurich leaves summer time on 2026-10-25 at 03:00.
  const saturdayNoon = Date.UTC(2026, 9, 24, 10, 0, 0);
  expect(new Date(parseUntil('12:00', saturdayNoon) ?? 0).toISOString()).toBe('2026-10-25T11:00:00.000Z');
});

test.each([
  ['06:00 Mars/X', 'names a time zone that does not exist: Mars/X'],
  ['2026-11-30T14:00 Europe/Zurick', 'names a time zone that does not exist: Europe/Zurick'],
  ['25:00', 'is no time of day: the hours go from 00 to 23, the minutes to 59'],
  ['12:60 Asia/Tokyo', 'is no time of day: the hours go from 00 to 23, the minutes to 59'],
  ['2h Europe/Zurich', 'has a time zone, which a duration does not take'],
  ['2026-11-30T14:00Z Europe/Zurich', 'has two time zones'],
  ['tomorrow', 'is neither a duration nor a time'],
  ['in 2 hours', 'is neither a duration nor a time'],
  ['2026-13-30T14:00', 'is neither a duration nor a time'],
  ['2026-11-29T11:00Z', 'is not in the future'],
  ['0s', 'is not in the future'],
  ['99999999d', 'is too far ahead'],
])('%s %s', (text, problem) => {
  expect(parseUntil(text, NOW)).toBeNull();
  expect(untilProblem(text, NOW)).toBe(problem);
});
