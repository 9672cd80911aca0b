import { expect, it } from 'vitest';
import { type Cron, parseCron } from '../../../src/schedule/cron.ts';
import { nextStart } from '../../../src/schedule/next-start.ts';
import { nextClosing, nextOpening } from '../../../src/schedule/opening.ts';
import { openWeek } from '../../../src/schedule/week.ts';
import { parseWindow, type Window } from '../../../src/schedule/window.ts';
import { nextTransition, offsetAt, wallTime, type Zone } from '../../../src/util/zone.ts';

const HOUR = 3_600_000;
const FROM = Date.UTC(2026, 0, 1);
const TO = Date.UTC(2027, 0, 1);

/** Every way in which a zone of the tz database went through 2026, one zone for each. */
function ways(): string[] {
  const found = new Map<string, string>();
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const changes: number[] = [offsetAt(FROM, { name })];
    for (let at = nextTransition({ name }, FROM, TO); at !== null; at = nextTransition({ name }, at, TO))
      changes.push(at, offsetAt(at, { name }));
    if (changes.length > 1) found.set(changes.join(), name);
  }
  return [...found.values()];
}

const night = openWeek({ run_windows: [parseWindow('22:00-06:00') as Window], pause_windows: [] });
const clockAt = (at: number, zone: Zone) => {
  const { hour, minute, second } = wallTime(at, zone);
  return `${hour}:${minute}:${second}`;
};

it('there are many ways', () => {
  expect(ways().length).toBeGreaterThan(20);
});

/** The largest change of the year, hours: two at the station of Troll. */
function largestChange(zone: Zone): number {
  let largest = 0;
  for (let at = nextTransition(zone, FROM, TO); at !== null; at = nextTransition(zone, at, TO)) {
    largest = Math.max(largest, Math.abs(offsetAt(at, zone) - offsetAt(at - 1, zone)) / HOUR);
  }
  return largest;
}

it.each(ways())('%s: the night begins and ends on every day of the year, and a start has one moment a day', (name) => {
  const zone = { name };
  const change = largestChange(zone);
  const wrong: string[] = [];
  /** At the time that was written, or at the end of an hour that was left out. */
  const onTime = (at: number, clock: string) => clockAt(at, zone) === clock || nextTransition(zone, at - 1, at) === at;
  let nights = 0;
  for (let at = nextOpening(night, zone, nextClosing(night, zone, FROM) ?? 0) ?? TO; at < TO; ) {
    const end = nextClosing(night, zone, at) ?? 0;
    if (!onTime(at, '22:0:0') || !onTime(end, '6:0:0')) wrong.push(`${clockAt(at, zone)}-${clockAt(end, zone)}`);
    if (Math.abs((end - at) / HOUR - 8) > change) wrong.push(`${(end - at) / HOUR} h from ${new Date(at).toISOString()}`);
    nights += 1;
    at = nextOpening(night, zone, end) ?? TO;
  }
  expect(nights).toBeGreaterThanOrEqual(364);
  for (const text of ['30 2 * * *', '0 0 * * *']) {
    const cron = parseCron(text) as Cron;
    let starts = 0;
    for (let before = FROM, at = nextStart(cron, zone, FROM) ?? TO; at < TO; before = at, at = nextStart(cron, zone, at) ?? TO) {
      if (starts > 0 && Math.abs((at - before) / HOUR - 24) > change) wrong.push(`${text} at ${new Date(at).toISOString()}`);
      starts += 1;
    }
    expect(starts).toBeGreaterThanOrEqual(364);
    expect(starts).toBeLessThanOrEqual(366);
  }
  expect(wrong).toEqual([]);
});
