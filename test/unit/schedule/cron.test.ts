import fc from 'fast-check';
import { createTask, getTasks } from 'node-cron';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Cron, parseCron } from '../../../src/schedule/cron.ts';
import { nextStart } from '../../../src/schedule/next-start.ts';
import type { Zone } from '../../../src/util/zone.ts';
import { CHANGES, onTheWall } from './zones.ts';

const HOUR = 3_600_000;
const read = (text: string): Cron => {
  const cron = parseCron(text);
  if ('problem' in cron) throw new Error(cron.problem);
  return cron;
};
const starts = (text: string, name: string, from: string | number, count: number): number[] => {
  const found: number[] = [];
  let at: number | null = typeof from === 'string' ? Date.parse(from) : from;
  for (let i = 0; i < count && at !== null; i++) {
    at = nextStart(read(text), { name }, at);
    if (at !== null) found.push(at);
  }
  return found;
};
const onWall = (moments: number[], zone: Zone) => moments.map((at) => onTheWall(at, zone).slice(4));

describe('what cannot be a start', () => {
  it.each([
    '',
    '* * * *',
    '* * * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '0 0 30 2 *',
    '0 0 31 4,6 *',
    '*/0 * * * *',
    '5/10 * * * *',
    '@reboot',
    '0 22 * * Xyz',
    '0 22 * * *;',
  ])('%j is refused', (text) => {
    expect(parseCron(text)).toEqual({ problem: expect.stringMatching(/./) });
  });

  it.each(['0 0 L-30 2 *', '0 0 31W * 0'])('%s never comes, which is found out in a bounded number of days', (text) => {
    const cron = read(text);
    let asked = 0;
    const counted: Cron = { ...cron, onDay: (...date) => ++asked > 0 && cron.onDay(...date) };
    expect(nextStart(counted, { name: 'Europe/Zurich' }, Date.parse('2026-01-01'))).toBe(null);
    expect(asked).toBeLessThan(42 * 366);
  });

  it('a February 29 that is a Monday comes, in 18 years', () => {
    expect(starts('0 0 29 2 Mon', 'UTC', '2026-01-01', 1)).toEqual([Date.parse('2044-02-29')]);
  });
});

it('leaves no task and no timer of the library behind', () => {
  const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  for (let i = 0; i < 50; i++) read('*/5 * * * *');
  expect(getTasks().size).toBe(0);
  expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBe(before);
});

/** Day by day, what the wall shows at each start; the same wall and another moment where the clock goes back. */
it.each<[string, string, string, string[]]>([
  // Spring: a start in the gap comes as long after the change as after the gap's beginning.
  ['30 2 * * *', 'Europe/Zurich', '2026-03-28T00:00Z', ['2026-03-28 02:30', '2026-03-29 03:30', '2026-03-30 02:30']],
  ['0 2 * * *', 'Europe/Zurich', '2026-03-28T12:00Z', ['2026-03-29 03:00', '2026-03-30 02:00']],
  [
    '*/20 1-3 * * *',
    'Europe/Zurich',
    '2026-03-29T00:30Z',
    ['2026-03-29 01:40', '2026-03-29 03:00', '2026-03-29 03:20', '2026-03-29 03:40', '2026-03-30 01:00'],
  ],
  ['10 * * * *', 'Europe/Zurich', '2026-03-29T00:00Z', ['2026-03-29 01:10', '2026-03-29 03:10', '2026-03-29 04:10']],
  ['30 0 * * *', 'Africa/Cairo', '2026-04-23T00:00Z', ['2026-04-24 01:30', '2026-04-25 00:30']],
  ['0 0 * * Sun', 'America/Santiago', '2026-09-01T12:00Z', ['2026-09-06 01:00', '2026-09-13 00:00']],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', ['2026-10-04 02:45', '2026-10-05 02:15']],
  ['0 22 * * Fri', 'Pacific/Apia', '2011-12-27T00:00Z', ['2011-12-31 22:00', '2012-01-06 22:00']],
  ['0 22 * * *', 'Pacific/Apia', '2011-12-29T10:00Z', ['2011-12-29 22:00', '2011-12-31 22:00', '2012-01-01 22:00']],
  // Autumn: once, or through both hours.
  ['30 2 * * *', 'Europe/Zurich', '2026-10-24T12:00Z', ['2026-10-25 02:30', '2026-10-26 02:30']],
  ['0 */2 * * *', 'Europe/Zurich', '2026-10-24T23:00Z', ['2026-10-25 02:00', '2026-10-25 04:00']],
  ['0 * * * *', 'Europe/Zurich', '2026-10-24T23:30Z', ['2026-10-25 02:00', '2026-10-25 02:00', '2026-10-25 03:00']],
  ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T00:00Z', ['2026-04-05 01:45', '2026-04-06 01:45']],
  ['30 23 * * *', 'America/Santiago', '2026-04-04T12:00Z', ['2026-04-04 23:30', '2026-04-05 23:30']],
  // What the library knows beside numbers.
  ['@weekly', 'Asia/Kathmandu', '2026-11-29T12:00Z', ['2026-12-06 00:00', '2026-12-13 00:00']],
  ['0 22 L * *', 'UTC', '2026-02-01T00:00Z', ['2026-02-28 22:00', '2026-03-31 22:00']],
  ['0 22 * * Fri#2', 'UTC', '2026-11-29T00:00Z', ['2026-12-11 22:00', '2027-01-08 22:00']],
  ['30 0 22 * * *', 'UTC', '2026-11-29T00:00Z', ['2026-11-29 22:00:30']],
  // Both the day of the month and the weekday must fit.
  ['0 22 1 * Mon', 'UTC', '2026-11-29T00:00Z', ['2027-02-01 22:00']],
])('%s in %s after %s', (text, name, from, expected) => {
  const found = starts(text, name, from, expected.length);
  expect(onWall(found, { name })).toEqual(expected);
  expect([...found].sort((a, b) => a - b)).toEqual([...new Set(found)]);
});

it('a start is after the moment that is asked about, to the millisecond', () => {
  const at = Date.parse('2026-11-29T22:00Z');
  expect(starts('0 22 * * *', 'UTC', at - 1, 1)).toEqual([at]);
  expect(starts('0 22 * * *', 'UTC', at, 1)).toEqual([at + 24 * HOUR]);
});

describe('the library', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  /** Its own next time always counts from the clock of the machine. */
  const theirs = (text: string, timezone: string, from: number): string => {
    vi.useFakeTimers({ toFake: ['Date'], now: from });
    const task = createTask(text, () => {}, { timezone });
    try {
      return new Date(task.getNextRuns(1)[0] ?? 0).toISOString();
    } finally {
      void task.destroy();
      vi.useRealTimers();
    }
  };

  it('loses a start in the hour that spring leaves out, which is why we count ourselves', () => {
    expect(theirs('30 2 * * *', 'Europe/Zurich', Date.parse('2026-03-28T12:00Z'))).toBe('2026-03-30T00:30:00.000Z');
    expect(theirs('0 22 * * Fri', 'Pacific/Apia', Date.parse('2011-12-29T00:00Z'))).toBe('2012-01-06T08:00:00.000Z');
  });

  it('goes silent for an hour in the one that autumn repeats', () => {
    expect(theirs('*/15 * * * *', 'Europe/Zurich', Date.parse('2026-10-25T00:50Z'))).toBe('2026-10-25T02:00:00.000Z');
  });

  const field = (least: number, most: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: least, max: most }).map(String),
      fc.integer({ min: 1, max: 20 }).map((step) => `*/${step}`),
      fc
        .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    );
  const day = fc.oneof(fc.constantFrom('*', 'L', '15W', '1,15'), field(1, 28));
  const weekday = fc.oneof(fc.constantFrom('*', 'Mon-Fri', 'Sat', '7', '1#2', '5L'), field(0, 6));
  const expression = fc
    .tuple(fc.option(field(0, 59)), field(0, 59), field(0, 23), day, field(1, 12), weekday)
    .map((fields) => fields.filter((one) => one !== null).join(' '));
  const moment = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) });

  it('says the same where no clock is changed', () => {
    fc.assert(
      fc.property(expression, moment, fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/Phoenix'), (text, from, name) => {
        const cron = parseCron(text);
        fc.pre(!('problem' in cron));
        const at = nextStart(cron as Cron, { name }, from);
        fc.pre(at !== null && at - from < 2 * 366 * 24 * HOUR);
        expect(new Date(at ?? 0).toISOString()).toBe(theirs(text, name, from));
      }),
      { numRuns: 150 },
    );
  });

  it('and in the weeks of a change no start of its own is lost by us, and none comes twice', () => {
    fc.assert(
      fc.property(expression, fc.constantFrom(...CHANGES), fc.integer({ min: -180, max: 180 }), (text, [name, iso], minutes) => {
        const cron = parseCron(text);
        fc.pre(!('problem' in cron));
        const from = Date.parse(iso) + minutes * 60_000;
        const at = nextStart(cron as Cron, { name }, from);
        fc.pre(at !== null);
        expect(at).toBeGreaterThan(from);
        expect(at).toBeLessThanOrEqual(Date.parse(theirs(text, name, from)));
      }),
      { numRuns: 150 },
    );
  });
});
