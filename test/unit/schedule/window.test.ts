import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWeek, within } from '../../../src/schedule/week.ts';
import { parseWindow, type Window } from '../../../src/schedule/window.ts';

const read = (text: string): Window => {
  const window = parseWindow(text);
  if ('problem' in window) throw new Error(window.problem);
  return window;
};
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

it.each([
  ['22:00-06:00', EVERY_DAY, 1320, 360],
  ['00:00-24:00', EVERY_DAY, 0, 1440],
  ['22:00-00:00', EVERY_DAY, 1320, 0],
  ['22:00-24:00', EVERY_DAY, 1320, 1440],
  ['Mon 09:00-17:30', [0], 540, 1050],
  ['Mon-Fri 22:00-06:00', [0, 1, 2, 3, 4], 1320, 360],
  ['mon-FRI 22:00-06:00', [0, 1, 2, 3, 4], 1320, 360],
  ['Sat,Sun 00:00-24:00', [5, 6], 0, 1440],
  ['Mon,Wed-Fri,Wed 01:00-02:00', [0, 2, 3, 4], 60, 120],
  ['Mon, Wed - Fri  01:00-02:00', [0, 2, 3, 4], 60, 120],
  ['Tue-Tue 01:00-02:00', [1], 60, 120],
  ['  Sun 23:59-00:01 ', [6], 1439, 1],
])('%s is read', (text, days, start, end) => {
  expect(parseWindow(text)).toEqual({ text: text.trim(), days, start, end });
});

describe('reference case 17: what is refused, with a word of what to write', () => {
  it.each([
    ['Fri-Mon 22:00-06:00', /backwards/, /Fri-Sun,Mon\./],
    ['Sun-Tue 22:00-06:00', /backwards/, /Sun,Mon-Tue\./],
    ['24:00-06:00', /begins at 24:00/, /only be an end/],
    ['06:00-06:00', /same time/, /00:00-24:00/],
    ['00:00-00:00', /same time/, /00:00-24:00/],
    ['24:00-24:00', /begins at 24:00/, /./],
    ['9:00-17:00', /"9:00"/, /two digits/],
    ['09:00-17:0', /"17:0"/, /two digits/],
    ['09:00-24:01', /"24:01"/, /./],
    ['09:60-10:00', /"09:60"/, /./],
    ['25:00-26:00', /"25:00"/, /./],
    ['09:00:00-10:00:00', /"09:00:00"/, /./],
    ['Monday 09:00-10:00', /"Monday"/, /Mon, Tue/],
    ['Mon- 09:00-10:00', /weekday ""/, /./],
    ['Mon-Tue-Wed 09:00-10:00', /"Mon-Tue-Wed"/, /./],
    [',Mon 09:00-10:00', /empty place/, /comma/],
    ['Mon,,Tue 09:00-10:00', /empty place/, /comma/],
    ['Mon, 09:00-10:00', /empty place/, /comma/],
    ['Mon-Fri', /is no window/, /22:00-06:00/],
    ['', /is no window/, /./],
    ['always', /is no window/, /./],
    ['22:00', /is no window/, /./],
    ['22:00 - 06:00', /is no window/, /./],
    ['22:00-06:00 Mon', /is no window|weekday|time/, /./],
    ['22.00-06.00', /"22\.00"/, /./],
    ['٢٢:00-06:00', /./, /./],
  ])('%s', (text, problem, remedy) => {
    expect(parseWindow(text)).toEqual({ problem: expect.stringMatching(problem), remedy: expect.stringMatching(remedy) });
  });
});

it('never throws, whatever is written', () => {
  const odd = fc.array(fc.constantFrom('Mon', 'Fri-', ',', ' ', '-', '22:00', '24:00', '06:00', ':', 'Sun-Mon', '\t'), { maxLength: 12 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        odd.map((parts) => parts.join('')),
      ),
      (text) => void parseWindow(text),
    ),
  );
});

const at = (day: number, hour: number, minute = 0) => day * 1440 + hour * 60 + minute;

it('reference case 17: the tail over midnight belongs to the day on which the window begins, the end is excluded', () => {
  const friday = read('Fri 22:00-06:00');
  expect(
    [at(4, 21, 59), at(4, 22), at(4, 23, 59), at(5, 0), at(5, 5, 59), at(5, 6), at(4, 5)].map((minute) => within(friday, minute)),
  ).toEqual([false, true, true, true, true, false, false]);
  const sunday = read('Sun 22:00-06:00');
  expect([at(6, 22), at(0, 0), at(0, 5, 59), at(0, 6), at(6, 5)].map((minute) => within(sunday, minute))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

describe('the open week', () => {
  const week = (run: string[], pause: string[] = []) => openWeek({ run_windows: run.map(read), pause_windows: pause.map(read) });

  it.each<[string[], string[], [number, number][]]>([
    [[], [], [[0, 10080]]],
    [['00:00-24:00'], [], [[0, 10080]]],
    [[], ['00:00-24:00'], []],
    [['Mon 09:00-10:00'], ['Mon 09:00-10:00'], []],
    [
      ['Mon 09:00-12:00'],
      ['10:00-11:00'],
      [
        [at(0, 9), at(0, 10)],
        [at(0, 11), at(0, 12)],
      ],
    ],
    [
      ['Sun 22:00-06:00'],
      [],
      [
        [0, at(0, 6)],
        [at(6, 22), 10080],
      ],
    ],
    [['Mon 09:00-10:00', 'Mon 10:00-11:00'], [], [[at(0, 9), at(0, 11)]]],
  ])('%j without %j', (run, pause, expected) => {
    expect(week(run, pause)).toEqual(expected);
  });
});
