import { describe, expect, it } from 'vitest';
import { awayWords, turnsOf } from '../../../../src/observe/peek/away.ts';
import { sentence } from '../../../../src/observe/peek/sentence.ts';
import { asAccounts } from '../../../../src/state/accounts.ts';
import { iso, NOW, running, waiting } from './facts.ts';

process.env.TZ = 'UTC';

const HOUR = 3600;
const away = (...accounts: [string, number][]) =>
  asAccounts({
    throttles: accounts.map(([account, s]) => ({
      account,
      agent: 'claude',
      classification: 'usage_limit',
      since: iso(-60),
      until: iso(s),
    })),
    refusals: [],
  });
const two = { agent: { preset: 'claude', account: 'work', fallback: [{ command: ['/usr/bin/claude'], account: 'home' }] } };
const phased = {
  agent: { command: ['/opt/claude'] },
  phases: { list: ['build', 'test', 'build', 'fix'], phase_policy: 'skip', test: { agent: { preset: 'codex' } } },
};

describe('accounts of turns', () => {
  it.each([
    [two, [{ phase: null, accounts: ['work', 'home'] }]],
    [
      phased,
      [
        { phase: 'build', accounts: ['claude'] },
        { phase: 'test', accounts: ['codex'] },
        { phase: 'fix', accounts: ['claude'] },
      ],
    ],
    [{ agent: 3, phases: { list: 'x', phase_policy: 1 } }, [{ phase: null, accounts: [] }]],
    [{}, [{ phase: null, accounts: [] }]],
  ])('%j', (document, turns) => {
    expect(turnsOf(document).turns).toEqual(turns);
  });
});

describe('who is away', () => {
  it.each([
    ['nobody', two, away(['work', -5]), []],
    ['no account was ever refused', two, null, []],
    ['the first choice', two, away(['work', HOUR]), ['work is limited until 13:00; home stands in']],
    ['both', two, away(['work', HOUR], ['home', HOUR]), ['work is limited until 13:00']],
    ['the fallback alone', two, away(['home', HOUR]), []],
    ['phases that are stepped over', phased, away(['claude', HOUR]), ['phases build, fix wait for claude until 13:00']],
    ['one phase', phased, away(['codex', HOUR]), ['phase test waits for codex until 13:00']],
  ])('%s', (_name, document, accounts, words) => {
    expect(awayWords(turnsOf(document), accounts, NOW)).toEqual(words);
  });

  it('a refused login stands beside a limit', () => {
    const refusals = [{ account: 'work', agent: 'claude', since: iso(-60), next_try: iso(HOUR), consecutive: 1, env_file: null }];
    expect(awayWords(turnsOf(two), { throttles: [], refusals, seen: null }, NOW)).toEqual([
      'work is not tried again, because its login was refused, until 13:00; home stands in',
    ]);
  });

  it('the sentence tells it between rounds and while another phase runs, not where it is told already', () => {
    const more = { turns: turnsOf(two), accounts: away(['work', HOUR]) };
    expect(sentence({ ...waiting('restart_delay', 30), ...more }, NOW)).toMatch(
      /; work is limited until 13:00; home stands in; nobody is needed\.$/,
    );
    const round = running(more);
    expect(sentence(round, NOW)).toContain('; work is limited until 13:00');
    const standIn = { agent: 'claude', account: 'work' };
    const inFlight = round.inFlight === null ? null : { ...round.inFlight, standIn };
    expect(sentence({ ...round, inFlight }, NOW)).not.toContain('stands in');
    expect(sentence({ ...waiting('throttled', 30), ...more }, NOW)).not.toContain('stands in');
  });
});

it('times are told apart where the configuration names another zone than the host has', () => {
  const budget = waiting('budget', HOUR, 'spent $2.00 of $2.00 today');
  const note = "; times are this host's (UTC+00:00), not those of Asia/Tokyo; nobody is needed.";
  expect(sentence({ ...budget, timezone: 'Asia/Tokyo' }, NOW)).toContain(note);
  for (const timezone of [null, 'UTC', 'no/such/zone']) expect(sentence({ ...budget, timezone }, NOW)).not.toContain('this host');
  expect(sentence({ ...waiting('budget', null), timezone: 'Asia/Tokyo' }, NOW)).not.toContain('this host');
});
