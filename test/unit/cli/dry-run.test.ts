import { expect, it } from 'vitest';
import { linesOf } from '../../../src/cli/dry-run.ts';
import { scheduleWords } from '../../../src/serve/schedule/standing.ts';
import { waitsInForce } from '../../../src/serve/waits-in-force.ts';
import { NO_ACCOUNTS, type Throttle } from '../../../src/state/accounts.ts';
import { configOf, fileWith } from '../config/sample.ts';

/** A Monday, 13:00 in Zurich. */
const NOW = Date.UTC(2026, 10, 30, 12);
const later = new Date(NOW + 3_600_000).toISOString();

it.each([
  [[], null],
  [['run_windows = ["08:00-18:00"]'], 'open until Mon 18:00 (Europe/Zurich)'],
  [['pause_windows = ["Tue 12:00-14:00"]'], 'open until Tue 12:00 (Europe/Zurich)'],
  [['run_windows = ["22:00-06:00"]'], 'paused by the schedule until Mon 22:00 (Europe/Zurich, phase build): outside 22:00-06:00'],
  [['cron = "30 13 * * *"'], 'paused by the schedule until Mon 13:30 (Europe/Zurich, phase build): the next start by cron 30 13 * * *'],
])('dry run: the schedule %j is %s', (lines, words) => {
  const { schedule } = configOf(fileWith({ schedule: ['timezone = "Europe/Zurich"', ...lines] }));
  expect(scheduleWords(schedule, 'build', NOW)).toBe(words);
});

it('dry run: waits of a person, of the own accounts, and of serve; those that are over are not told', () => {
  const throttle = (account: string, until: string | null): Throttle => ({
    ...{ account, agent: account, classification: 'rate_limit_account', since: '', until, stated: true },
    ...{ consecutive: 1, network: 0, round_num: 1, phase: null },
  });
  const accounts = { ...NO_ACCOUNTS, throttles: [throttle('work', later), throttle('other', later), throttle('home', null)] };
  const wait = { reason: 'memory', until: null, since: '', source: 'memory', sentence: 'the host is short of memory' };
  const told = waitsInForce({ pause: { until: later, since: '' }, wait, accounts }, ['work', 'home'], NOW);
  expect(told.map((words) => words.replace(/until \w{3} [\d:]+/, 'until T'))).toEqual([
    'paused by a person (until T)',
    expect.stringMatching(/^work: the usage limit of the account; .* \(until T\)$/),
    'the host is short of memory',
  ]);
  expect(waitsInForce({ pause: null, wait: { ...wait, reason: 'throttled' }, accounts: NO_ACCOUNTS }, ['work'], NOW)).toEqual([]);
});

it('dry run: empty lists print nothing, sentences have a line each', () => {
  expect(linesOf('pre_round_hooks', [])).toEqual([]);
  expect(linesOf('schedule', null)).toEqual([]);
  expect(linesOf('argv', ['a b', 'c'])).toEqual(['argv: "a b" "c"']);
  expect(linesOf('limits', ['spent $1.00 of $2.00 today', 'x'])).toEqual(['limits: spent $1.00 of $2.00 today', 'limits: x']);
});
