import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TurnError } from '../../../src/agents/adapter.ts';
import { openEvents } from '../../../src/events/writer.ts';
import type { Outcome } from '../../../src/round/outcome.ts';
import type { RoundResult } from '../../../src/round/types.ts';
import { type Accounts, keepAccounts } from '../../../src/serve/accounts/accounts.ts';
import { writeAcked } from '../../../src/state/acked.ts';
import { layout } from '../../../src/state/layout.ts';
import { isoTime } from '../../../src/util/clock.ts';
import { testFolder } from '../../support/folder.ts';

const START = Date.parse('2026-11-29T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A supervisor’s account of accounts in a folder of its own, under clocks that the test moves: the wall’s and the other. */
function bench(start = START) {
  const logDir = testFolder();
  const paths = layout(logDir);
  mkdirSync(paths.state, { recursive: true });
  let wall = start;
  let monotonic = 1_000_000;
  const clock = { now: () => wall, monotonic: () => monotonic, sleep: async () => {} };
  const told: { kind: string; [field: string]: unknown }[] = [];
  const log = openEvents(logDir, clock);
  const emit = ((kind: string, fields: object) => {
    told.push({ kind, ...fields });
    log.emit(kind as 'serve_parked', fields as never);
  }) as typeof log.emit;
  const boot = (deliberateRestart = false) => keepAccounts({ paths, clock, emit, random: () => 0, deliberateRestart });
  return {
    paths,
    told,
    boot,
    emit,
    start: boot(),
    events: (kind: string) => told.filter((event) => event.kind === kind),
    /** Time goes by. */
    pass(ms: number) {
      wall += ms;
      monotonic += ms;
    },
    /** The wall clock is set, or the machine slept. */
    jump(ms: number) {
      wall += ms;
    },
    now: () => wall,
    line: (fields: object) => appendFileSync(join(logDir, `events-${isoTime(wall).slice(0, 7)}.jsonl`), `${JSON.stringify(fields)}\n`),
  };
}

/** Whether an answer of a person ended a wait. */
function heard(accounts: Accounts): boolean {
  let ended = false;
  accounts.hear(() => {
    ended = true;
  });
  return ended;
}

const error = (kind: TurnError['kind'], classification: string, resetAtEpoch: number | null = null): TurnError => ({
  kind,
  classification,
  resetAtEpoch,
  raw: '',
});
const result = (outcome: Outcome, turnError: TurnError | null = null, account = 'claude'): RoundResult => ({
  outcome,
  roundNum: 1,
  phase: null,
  durationMs: 1000,
  moved: false,
  turn: { finished: null, error: turnError, usage: null },
  identity: 'claude',
  account,
  fallback: 0,
  logPath: null,
  head: null,
  tail: '',
  survivors: [],
  problems: [],
});
const limited = (until: number, account?: string) =>
  result('rate_limited', error('rate_limited', 'rate_limit_account', until / 1000), account);
const isThrottled = (accounts: ReturnType<typeof keepAccounts>, account = 'claude') => accounts.obstacles(account, null).throttle !== null;

describe('a throttle', () => {
  let at: ReturnType<typeof bench>;
  beforeEach(() => {
    at = bench();
  });

  it('of one account leaves another alone, though both are the same agent’s', () => {
    at.start.afterRound(limited(START + HOUR, 'work'), null);
    expect(at.start.obstacles('work', null).throttle).toMatchObject({
      reason: 'throttled',
      until: START + HOUR + 5_000,
      source: 'work',
      sentence: "work: the usage limit of the account; the end is the provider's own word",
    });
    expect(isThrottled(at.start, 'home')).toBe(false);
  });

  it('outlives the supervisor to the second, and a stop on purpose', () => {
    at.start.afterRound(limited(START + HOUR), null);
    at.pass(HOUR / 2);
    for (const deliberate of [false, true]) {
      expect(at.boot(deliberate).obstacles('claude', null).throttle?.until).toBe(START + HOUR + 5_000);
    }
  });

  it('of 30 days ends then and not before', () => {
    at.start.afterRound(limited(START + 30 * DAY), null);
    at.pass(30 * DAY);
    expect(isThrottled(at.start)).toBe(true);
    expect(isThrottled(at.boot())).toBe(true);
    at.pass(5_000);
    expect(isThrottled(at.start)).toBe(false);
  });

  it('ends on time when the wall clock jumps ahead or the machine slept, and no later when it jumps back', () => {
    at.start.afterRound(limited(START + 8 * HOUR), null);
    at.jump(8 * HOUR + 5_000);
    expect(isThrottled(at.start)).toBe(false);
    const other = bench();
    other.start.afterRound(limited(START + HOUR), null);
    other.jump(-8 * HOUR);
    other.pass(HOUR);
    expect(isThrottled(other.start)).toBe(true);
    other.pass(5_000);
    expect(isThrottled(other.start)).toBe(false);
  });

  it('reference case 16: a completed wait has one recovery for each account, scar 43: an interrupted one none', () => {
    at.start.afterRound(limited(START + HOUR, 'work'), null);
    at.start.afterRound(limited(START + HOUR, 'home'), null);
    at.pass(60_000);
    const second = at.boot();
    second.endLapsed();
    expect(at.events('transient_error_recovered')).toEqual([]);
    at.pass(2 * HOUR);
    second.endLapsed();
    second.endLapsed();
    at.boot().endLapsed();
    expect(at.events('transient_error_recovered')).toMatchObject([
      { account: 'work', agent: 'claude', classification: 'rate_limit_account', throttled_for_s: 2 * 3600 + 60 },
      { account: 'home' },
    ]);
  });

  it('`wake` ends all of them once, recovers nothing, and forgets no growth', () => {
    const overloaded = result('provider_error', error('provider_error', 'api_transient_5xx'));
    at.start.afterRound(limited(START + HOUR, 'work'), null);
    at.start.afterRound(overloaded, null);
    at.start.wake();
    expect([isThrottled(at.start), isThrottled(at.start, 'work'), isThrottled(at.boot())]).toEqual([false, false, false]);
    at.start.endLapsed();
    expect(at.events('transient_error_recovered')).toEqual([]);
    at.start.afterRound(overloaded, null);
    expect(at.start.obstacles('claude', null).throttle?.until).toBe(START + 125_000);
    at.start.afterRound(result('ok'), null);
    at.start.afterRound(overloaded, null);
    expect(at.start.obstacles('claude', null).throttle?.until).toBe(START + 65_000);
  });

  it('for want of money is ended by `ack billing`, another is not', () => {
    at.start.afterRound(result('provider_error', error('provider_error', 'billing')), null);
    at.start.afterRound(limited(START + HOUR, 'work'), null);
    expect(at.start.stillAsked()).toEqual(['billing']);
    expect(heard(at.start)).toBe(false);
    writeAcked(at.paths, ['billing'], isoTime(START));
    expect(heard(at.start)).toBe(true);
    expect([isThrottled(at.start), isThrottled(at.start, 'work')]).toEqual([false, true]);
    at.pass(60_000);
    at.start.afterRound(result('provider_error', error('provider_error', 'billing')), null);
    expect([heard(at.start), isThrottled(at.start)]).toEqual([false, true]);
  });
});

it('an answer for one account does not end the wait of another at the next start', () => {
  const at = bench();
  at.start.afterRound(limited(START + 5 * HOUR, 'work'), null);
  at.start.afterRound(result('auth_error', error('auth_error', 'auth')), null);
  writeAcked(at.paths, ['auth'], isoTime(START));
  at.start.hear(() => at.emit('wait_ended', { reason: 'refused', waited_for_s: 0, ended_by: 'woken' }));
  const next = at.boot();
  expect([next.refusals('claude'), isThrottled(next, 'work')]).toEqual([0, true]);
});

describe('the event log', () => {
  const detected = { event: 'transient_error_detected', classification: 'rate_limit_account', agent: 'claude', round_num: 9, raw: '' };

  it('scar 41: gives back what the state file has lost, over the month’s end', () => {
    const at = bench(Date.parse('2026-10-31T23:50:00Z'));
    at.line({ ts: '2026-10-31T23:50:00.000Z', ...detected, reset_at_epoch: Date.parse('2026-11-01T04:00:00Z') / 1000 });
    at.pass(HOUR);
    at.line({ ts: '2026-11-01T00:50:00.000Z', event: 'round_start', round_num: 10, phase: null });
    rmSync(at.paths.accounts, { force: true });
    expect(at.boot().obstacles('claude', null).throttle?.until).toBe(Date.parse('2026-11-01T04:00:05Z'));
  });

  it('scar 41: of a limit of thirty days that was met at the end of January, in March too', () => {
    const at = bench(Date.parse('2026-01-30T22:00:00Z'));
    const end = Date.parse('2026-03-01T22:00:00Z');
    at.line({ ts: isoTime(at.now()), ...detected, reset_at_epoch: end / 1000 });
    for (const days of [10, 19.5]) {
      at.pass(days * DAY);
      at.line({ ts: isoTime(at.now()), event: 'round_start', round_num: days, phase: null });
    }
    rmSync(at.paths.accounts, { force: true });
    expect(at.boot().obstacles('claude', null).throttle?.until).toBe(end + 5_000);
  });

  it('scar 40: ten thousand rounds of healthy siblings do not scroll it out', () => {
    const at = bench();
    at.line({ ts: isoTime(START), ...detected, reset_at_epoch: START / 1000 + 18_000 });
    const usage = JSON.stringify({ ts: isoTime(START), event: 'agent_usage_recorded', agent: 'codex', success: true, x: 'y'.repeat(400) });
    appendFileSync(join(at.paths.logDir, 'events-2026-11.jsonl'), `${usage}\n`.repeat(20_000));
    rmSync(at.paths.accounts, { force: true });
    expect(isThrottled(at.boot())).toBe(true);
  });

  it.each([
    [40_000, true],
    [60_000, false],
  ])(
    'is searched for fifty thousand words and no further, so that a forged log does not hold up a start: behind %i of them',
    (count, found) => {
      const at = bench();
      const word = (account: string) =>
        `${JSON.stringify({ ts: isoTime(START), ...detected, account, reset_at_epoch: START / 1000 + 18_000 })}\n`;
      appendFileSync(join(at.paths.logDir, 'events-2026-11.jsonl'), word('old') + word('forged').repeat(count));
      rmSync(at.paths.accounts, { force: true });
      const accounts = at.boot();
      expect([isThrottled(accounts, 'forged'), isThrottled(accounts, 'old')]).toEqual([true, found]);
    },
  );

  it('gives what a supervisor was killed before it could write, and what single rounds met meanwhile', () => {
    const at = bench();
    at.start.afterRound(limited(START + HOUR, 'work'), null);
    at.pass(1000);
    at.line({ ts: isoTime(at.now()), ...detected, account: 'home', reset_at_epoch: START / 1000 + 600, stated: true });
    const second = at.boot();
    expect([isThrottled(second, 'work'), isThrottled(second, 'home')]).toEqual([true, true]);
    expect(JSON.parse(readFileSync(at.paths.accounts, 'utf8')).throttles).toHaveLength(2);
  });

  it('is not asked again about what is known: a wait that was woken stays ended', () => {
    const at = bench();
    at.emit('transient_error_detected', {
      round_num: 1,
      classification: 'rate_limit_account',
      agent: 'claude',
      reset_at_epoch: START / 1000 + 3600,
      raw: '',
      stated: true,
    });
    at.start.afterRound(limited(START + HOUR), null);
    at.start.wake();
    expect(isThrottled(at.boot())).toBe(false);
    at.emit('wait_ended', { reason: 'throttled', waited_for_s: 0, ended_by: 'woken' });
    rmSync(at.paths.accounts);
    expect(isThrottled(at.boot())).toBe(false);
  });
});

describe('a state file that nobody can have written', () => {
  it.each([
    '{',
    '[]',
    '{"throttles": 3}',
    '{"throttles":[{"account":"claude","since":"2026-11-29T12:00:00Z","until":"2036-01-01T00:00:00Z"}]}',
  ])('%s is set aside, and the events count', (text) => {
    const at = bench();
    at.line({
      ts: isoTime(START),
      event: 'transient_error_detected',
      classification: 'rate_limit_account',
      agent: 'pi',
      reset_at_epoch: START / 1000 + 60,
    });
    writeFileSync(at.paths.accounts, text);
    const second = at.boot();
    expect(at.events('state_file_set_aside')).toHaveLength(1);
    expect([isThrottled(second), isThrottled(second, 'pi')]).toEqual([false, true]);
    expect(existsSync(at.paths.accounts)).toBe(true);
  });
});

describe('refused credentials', () => {
  const refused = result('auth_error', error('auth_error', 'auth'));
  const isRefused = (accounts: ReturnType<typeof keepAccounts>, envFile: string | null = null) =>
    accounts.obstacles('claude', envFile).refusal !== null;

  it('are left alone for an hour, counted by account, forgotten at a success', () => {
    const at = bench();
    at.start.afterRound(refused, null);
    at.start.afterRound(result('auth_error', error('auth_error', 'auth'), 'work'), null);
    at.start.afterRound(refused, null);
    expect([at.start.refusals('claude'), at.start.refusals('work'), at.start.refusals('home')]).toEqual([2, 1, 0]);
    expect(at.start.obstacles('claude', null).refusal).toMatchObject({ reason: 'refused', until: START + HOUR });
    at.pass(HOUR);
    expect(isRefused(at.start)).toBe(false);
    at.start.afterRound(result('ok'), null);
    expect(at.start.refusals('claude')).toBe(0);
    expect(at.start.stillAsked()).toEqual(['auth']);
  });

  it('survive a crash of serve; `ack auth`, a start after a stop, a changed configuration and `wake` give them another try', () => {
    const at = bench();
    at.start.afterRound(refused, null);
    expect(isRefused(at.boot())).toBe(true);
    expect(isRefused(at.boot(true))).toBe(false);
    at.start.afterRound(refused, null);
    writeAcked(at.paths, ['auth'], isoTime(START + 1));
    expect(heard(at.start)).toBe(true);
    expect([isRefused(at.start), at.start.refusals('claude')]).toEqual([false, 0]);
    at.pass(10);
    at.start.afterRound(refused, null);
    at.start.forgiveRefusals();
    expect(at.start.refusals('claude')).toBe(0);
    at.start.afterRound(refused, null);
    at.start.wake();
    expect([isRefused(at.start), at.start.refusals('claude')]).toEqual([false, 1]);
  });

  it('count anew with another env_file', () => {
    const at = bench();
    const file = join(at.paths.logDir, 'key.env');
    writeFileSync(file, 'KEY=old\n');
    at.start.afterRound(refused, file);
    at.start.afterRound(refused, file);
    expect([isRefused(at.start, file), at.start.refusals('claude')]).toEqual([true, 2]);
    writeFileSync(file, 'KEY=new1\n');
    utimesSync(file, 1, 1);
    expect(isRefused(at.start, file)).toBe(false);
    at.start.afterRound(refused, file);
    expect(at.start.refusals('claude')).toBe(1);
  });
});
