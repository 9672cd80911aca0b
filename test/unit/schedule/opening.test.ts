import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOpen, nextClosing, nextOpening } from '../../../src/schedule/opening.ts';
import { openWeek, type Week } from '../../../src/schedule/week.ts';
import { parseWindow, type Window } from '../../../src/schedule/window.ts';
import { wallTime, type Zone } from '../../../src/util/zone.ts';
import { CHANGES, onTheWall } from './zones.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const weekOf = (run: string[], pause: string[] = []): Week => {
  const windows = (texts: string[]) => texts.map((text) => parseWindow(text) as Window);
  return openWeek({ run_windows: windows(run), pause_windows: windows(pause) });
};

describe('reference case 17: a schedule that never opens, or never closes', () => {
  const zone = { name: 'Europe/Zurich' };
  it.each<[string, Week, number | null, number | null]>([
    ['never opens', weekOf(['Mon 09:00-10:00'], ['Mon 08:00-12:00']), null, 7],
    ['never closes', weekOf([]), 7, null],
    ['never closes, said otherwise', weekOf(['00:00-12:00', '12:00-24:00']), 7, null],
  ])('%s', (_, week, opening, closing) => {
    expect([nextOpening(week, zone, 7), nextClosing(week, zone, 7)]).toEqual([opening, closing]);
  });
});

/** What the wall shows when the window opens and closes in the night of the change, and how long it is open. */
it.each<[string, string, string, string[], number]>([
  // Spring: what lies in the gap is missing.
  ['Europe/Zurich', '2026-03-28T12:00Z', '22:00-06:00', ['Sat 2026-03-28 22:00', 'Sun 2026-03-29 06:00'], 7 * 60],
  ['Europe/Zurich', '2026-03-28T12:00Z', '02:30-06:00', ['Sun 2026-03-29 03:00', 'Sun 2026-03-29 06:00'], 3 * 60],
  ['Europe/Zurich', '2026-03-28T12:00Z', '01:00-02:30', ['Sun 2026-03-29 01:00', 'Sun 2026-03-29 03:00'], 60],
  ['Europe/Zurich', '2026-03-28T12:00Z', '02:15-02:45', ['Mon 2026-03-30 02:15', 'Mon 2026-03-30 02:45'], 30],
  ['Europe/Zurich', '2026-03-28T12:00Z', 'Sun 02:15-02:45', ['Sun 2026-04-05 02:15', 'Sun 2026-04-05 02:45'], 30],
  // Autumn: what lies in the hour that comes twice is there twice.
  ['Europe/Zurich', '2026-10-24T12:00Z', '22:00-06:00', ['Sat 2026-10-24 22:00', 'Sun 2026-10-25 06:00'], 9 * 60],
  ['Europe/Zurich', '2026-10-24T12:00Z', '02:15-02:45', ['Sun 2026-10-25 02:15', 'Sun 2026-10-25 02:45'], 30],
  ['Europe/Zurich', '2026-10-25T00:50Z', '02:15-02:45', ['Sun 2026-10-25 02:15', 'Sun 2026-10-25 02:45'], 30],
  ['Europe/Zurich', '2026-10-24T12:00Z', '02:00-03:00', ['Sun 2026-10-25 02:00', 'Sun 2026-10-25 03:00'], 2 * 60],
  // The day begins at 01:00.
  ['Africa/Cairo', '2026-04-23T12:00Z', '23:30-00:30', ['Thu 2026-04-23 23:30', 'Fri 2026-04-24 01:00'], 30],
  ['America/Santiago', '2026-09-05T12:00Z', 'Sun 00:00-06:00', ['Sun 2026-09-06 01:00', 'Sun 2026-09-06 06:00'], 5 * 60],
  // Half an hour, and three quarters.
  ['Australia/Lord_Howe', '2026-10-03T00:00Z', '02:15-03:00', ['Sun 2026-10-04 02:30', 'Sun 2026-10-04 03:00'], 30],
  ['Australia/Lord_Howe', '2026-04-04T00:00Z', '01:00-02:00', ['Sun 2026-04-05 01:00', 'Sun 2026-04-05 02:00'], 90],
  ['Asia/Kathmandu', '2026-04-04T06:00Z', '22:00-06:00', ['Sat 2026-04-04 22:00', 'Sun 2026-04-05 06:00'], 8 * 60],
  // December 30 was left out: the wall goes from Thursday to Saturday, and Friday's windows wait for a week.
  ['Pacific/Apia', '2011-12-30T02:00Z', 'Fri 10:00-12:00', ['Fri 2012-01-06 10:00', 'Fri 2012-01-06 12:00'], 120],
  ['Pacific/Apia', '2011-12-30T02:00Z', '22:00-06:00', ['Thu 2011-12-29 22:00', 'Sat 2011-12-31 06:00'], 8 * 60],
])('%s from %s: %s', (name, from, window, [opens, closes], minutes) => {
  const zone = { name };
  const week = weekOf([window]);
  const opening = nextOpening(week, zone, Date.parse(from)) ?? 0;
  const closing = nextClosing(week, zone, opening) ?? 0;
  expect([onTheWall(opening, zone), onTheWall(closing, zone)]).toEqual([opens, closes]);
  expect((closing - opening) / MINUTE).toBe(minutes);
});

it('the last minute before and the first of a window, to the millisecond', () => {
  const zone = { name: 'Europe/Zurich' };
  const week = weekOf(['Mon-Fri 22:00-06:00']);
  const opening = Date.parse('2026-11-30T21:00Z');
  expect([isOpen(week, zone, opening - 1), isOpen(week, zone, opening)]).toEqual([false, true]);
  expect(nextOpening(week, zone, opening - 1)).toBe(opening);
  expect(nextOpening(week, zone, opening)).toBe(opening);
  expect(nextClosing(week, zone, opening)).toBe(Date.parse('2026-12-01T05:00Z'));
  expect(nextOpening(week, zone, Date.parse('2026-12-05T05:00Z'))).toBe(Date.parse('2026-12-07T21:00Z'));
});

describe('properties, in weeks with a change of the clock', () => {
  const clock = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 0, 15, 30, 45, 59)).map(([h, m]) => `${two(h)}:${two(m)}`);
  const days = fc.constantFrom('', '', 'Mon ', 'Sun ', 'Sat,Sun ', 'Mon-Fri ', 'Fri-Sun ', 'Thu ');
  const window = fc
    .tuple(days, clock, fc.oneof(clock, fc.constant('24:00')))
    .filter(([, from, to]) => from !== to)
    .map(([on, from, to]) => `${on}${from}-${to}`);
  const schedule = fc.record({ run: fc.array(window, { maxLength: 3 }), pause: fc.array(window, { maxLength: 2 }) });
  const place = fc.constantFrom(...CHANGES);
  const offset = fc.integer({ min: -4 * 24 * 60, max: 2 * 24 * 60 });

  it('the next opening is in a window, the minute before is not, and nothing between is', () => {
    fc.assert(
      fc.property(schedule, place, offset, ({ run, pause }, [name, iso], minutes) => {
        const zone = { name };
        const week = weekOf(run, pause);
        const from = Date.parse(iso) + minutes * MINUTE;
        const opening = nextOpening(week, zone, from);
        if (opening === null) {
          expect(week).toEqual([]);
          return;
        }
        expect(isOpen(week, zone, opening)).toBe(true);
        if (opening > from) expect(isOpen(week, zone, opening - 1)).toBe(false);
        const closing = nextClosing(week, zone, opening);
        if (closing === null) {
          expect(week).toEqual([[0, 10080]]);
          return;
        }
        expect(isOpen(week, zone, closing)).toBe(false);
        expect(isOpen(week, zone, closing - 1)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('equals a look at the wall, minute by minute', () => {
    fc.assert(
      fc.property(schedule, place, offset, ({ run, pause }, [name, iso], minutes) => {
        const zone = { name };
        const week = weekOf(run, pause);
        const from = Date.parse(iso) + minutes * MINUTE;
        let state = wallSays(run, pause, zone, from);
        expect(isOpen(week, zone, from)).toBe(state);
        let next = (state ? nextClosing : nextOpening)(week, zone, from);
        for (let at = from + MINUTE; at <= from + 2 * DAY; at += MINUTE) {
          const now = wallSays(run, pause, zone, at);
          if (now === state) continue;
          expect(next).toBe(at);
          state = now;
          next = (state ? nextClosing : nextOpening)(week, zone, at);
        }
        expect(next === null || next > from + 2 * DAY).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

function two(n: number): string {
  return String(n).padStart(2, '0');
}

/** The rules once more, told of one moment and without any arithmetic of weeks. */
function wallSays(run: string[], pause: string[], zone: Zone, at: number): boolean {
  const { weekday, hour, minute } = wallTime(at, zone);
  const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const clock = `${two(hour)}:${two(minute)}`;
  const holds = (text: string) => {
    const { from = '', to = '' } = /(?<from>\S{5})-(?<to>\S{5})$/.exec(text)?.groups ?? {};
    const { days } = parseWindow(text) as Window;
    const on = (day: number) => days.some((one) => ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][one] === names[day]);
    if (from < to) return on(weekday) && from <= clock && clock < to;
    return (on(weekday) && from <= clock) || (on((weekday + 6) % 7) && clock < to);
  };
  return (run.length === 0 || run.some(holds)) && !pause.some(holds);
}
