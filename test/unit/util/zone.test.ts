import { afterEach, expect, it } from 'vitest';
import { momentsOf, nextTransition, offsetAt, wallTime, zoneName, zoneOf } from '../../../src/util/zone.ts';
import { CHANGES } from '../schedule/zones.ts';

const before = process.env.TZ;
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

it.each([
  ['Asia/Tokyo', 'Asia/Tokyo'],
  ['America/St_Johns', 'America/St_Johns'],
])('the zone of the host is that of TZ: %s', (tz, expected) => {
  process.env.TZ = tz;
  expect(zoneName(zoneOf(null))).toBe(expected);
});

it('a zone that nobody knows is UTC, a name wins over the host', () => {
  process.env.TZ = 'Asia/Kathmandu';
  expect(zoneOf('Etc/Nowhere')).toEqual({ name: 'UTC' });
  expect(zoneOf('Europe/Zurich')).toEqual({ name: 'Europe/Zurich' });
  expect([90, -210, 0].map((offsetMinutes) => zoneName({ offsetMinutes }))).toEqual(['UTC+01:30', 'UTC-03:30', 'UTC+00:00']);
});

const changes = CHANGES.filter(([, , what]) => !/none|no change/.test(what));

it.each(changes)('%s changes at %s, to the millisecond', (name, iso) => {
  const zone = { name };
  const at = Date.parse(iso);
  expect(offsetAt(at - 1, zone)).not.toBe(offsetAt(at, zone));
  for (const from of [at - 1, at - 1000, at - 3 * 24 * 3_600_000 + 7, at - 20 * 24 * 3_600_000]) {
    expect(nextTransition(zone, from, at + 24 * 3_600_000)).toBe(at);
  }
  expect(nextTransition(zone, at, at + 20 * 24 * 3_600_000)).toBe(null);
  expect(nextTransition(zone, at - 5000, at - 1)).toBe(null);
});

it.each(changes)('%s around %s: every moment is found again by what the wall shows', (name, iso) => {
  const zone = { name };
  for (let minutes = -26 * 60; minutes <= 26 * 60; minutes += 13) {
    const at = Date.parse(iso) + minutes * 60_000;
    expect(momentsOf(wallTime(at, zone), zone)).toContain(at);
  }
});

it('a fixed distance never changes', () => {
  expect(nextTransition({ offsetMinutes: 345 }, 0, 1e15)).toBe(null);
});
