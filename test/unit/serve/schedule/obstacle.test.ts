import { describe, expect, it } from 'vitest';
import { parseWindow, type Window } from '../../../../src/schedule/window.ts';
import { scheduleObstacle } from '../../../../src/serve/schedule/obstacle.ts';

const windows = (texts: string[]) => texts.map((text) => parseWindow(text) as Window);
const schedule = (run: string[], pause: string[] = [], cron: string[] = [], timezone = 'Europe/Zurich') => {
  return { timezone, run_windows: windows(run), pause_windows: windows(pause), cron };
};
const NOON = Date.parse('2026-11-28T11:00Z');
const SATURDAY = new Date(NOON).getUTCDay() === 6;

it('the noon of these tests is a Saturday', () => {
  expect(SATURDAY).toBe(true);
});

it.each<[string, Parameters<typeof scheduleObstacle>[0], string | null, string | null, string, string]>([
  [
    'the weekend',
    schedule(['Mon-Fri 22:00-06:00']),
    null,
    '2026-11-30T21:00:00.000Z',
    'outside run_windows',
    'paused by the schedule until Mon 22:00 (Europe/Zurich): outside Mon-Fri 22:00-06:00',
  ],
  [
    'a pause window, which runs into the next',
    schedule([], ['Sat 08:00-18:00', 'Sat 17:00-24:00', 'Sun 00:00-24:00']),
    null,
    '2026-11-29T23:00:00.000Z',
    'Sat 08:00-18:00',
    'paused by the schedule until Mon 00:00 (Europe/Zurich): pause window Sat 08:00-18:00',
  ],
  [
    'a phase, in a zone far away, next Saturday',
    schedule(['Sat 10:00-12:00'], [], [], 'Asia/Tokyo'),
    'review',
    '2026-12-05T01:00:00.000Z',
    'outside run_windows',
    'paused by the schedule until Sat 2026-12-05 10:00 (Asia/Tokyo, phase review): outside Sat 10:00-12:00',
  ],
  [
    'the next start',
    schedule([], [], ['0 22 * * Mon-Fri', '30 0 4 * * *']),
    null,
    '2026-11-29T03:00:30.000Z',
    'cron 30 0 4 * * *',
    'paused by the schedule until Sun 04:00:30 (Europe/Zurich): the next start by cron 30 0 4 * * *',
  ],
  [
    'for good, which a reload may bring about',
    schedule([], ['00:00-24:00']),
    null,
    null,
    '00:00-24:00',
    'paused by the schedule for good: it never opens (Europe/Zurich): pause window 00:00-24:00',
  ],
])('%s', (_, given, phase, until, active, sentence) => {
  const obstacle = scheduleObstacle(given, phase, NOON, NOON);
  expect(obstacle).toEqual({
    reason: 'schedule',
    until: until === null ? null : Date.parse(until),
    source: 'schedule',
    sentence,
    window: { active_window: active, timezone: given.timezone, phase },
  });
});

describe('nothing is in the way', () => {
  it.each([
    ['without a schedule', schedule([])],
    ['within a window', schedule(['Sat 11:00-13:00'])],
    ['at its first moment', schedule(['Sat 12:00-13:00'])],
    ['beside a pause', schedule([], ['Sat 08:00-12:00'])],
  ])('%s', (_, given) => {
    expect(scheduleObstacle(given, null, NOON, NOON)).toBe(null);
  });

  it('when a start has come, or was missed', () => {
    const nightly = schedule([], [], ['0 12 * * *']);
    expect(scheduleObstacle(nightly, null, NOON, NOON - 1)).toBe(null);
    expect(scheduleObstacle(nightly, null, NOON, NOON - 40 * 24 * 3600 * 1000)).toBe(null);
    expect(scheduleObstacle(nightly, null, NOON, NOON)).not.toBe(null);
  });
});
