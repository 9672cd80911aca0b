import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Emit } from '../../../src/events/emit.ts';
import type { RoundResult } from '../../../src/round/types.ts';
import { keepAccounts } from '../../../src/serve/accounts/accounts.ts';
import { keepWait } from '../../../src/serve/wait.ts';
import { writeAcked } from '../../../src/state/acked.ts';
import { type Layout, layout } from '../../../src/state/layout.ts';
import { isoTime } from '../../../src/util/clock.ts';
import { testClock } from '../../support/clock.ts';
import { testFolder } from '../../support/folder.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEARS = 70 * 366 * DAY;

function bench() {
  const paths = layout(testFolder());
  mkdirSync(paths.state);
  const clock = testClock(NOW);
  const boot = () => keepAccounts({ paths, clock, emit: (() => {}) as Emit, random: () => 0, deliberateRestart: false });
  const endsIn = (account = 'claude') => {
    const until = boot().obstacles(account, null).throttle?.until;
    return until == null ? 0 : until - NOW;
  };
  const refuse = (account: string) => {
    const error = { kind: 'rate_limited', classification: 'rate_limit_account', resetAtEpoch: (NOW + HOUR) / 1000, raw: '' };
    boot().afterRound(
      { account, identity: 'claude', outcome: 'rate_limited', phase: null, roundNum: 1, turn: { error } } as RoundResult,
      null,
    );
  };
  return { paths, clock, boot, endsIn, refuse };
}

const log = (paths: Layout, name: string, ...events: object[]) =>
  writeFileSync(join(paths.logDir, name), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
const detected = (ts: string, more: object = {}) => ({
  ts,
  event: 'transient_error_detected',
  agent: 'claude',
  classification: 'api_transient_5xx',
  ...more,
});
const throttle = (since: number, until: number, stated: boolean) => ({
  throttles: [
    { account: 'claude', agent: 'claude', classification: 'x', since: isoTime(since), until: isoTime(until), stated, consecutive: 1 },
  ],
});
const refusal = (since: number) => ({
  throttles: [],
  refusals: [
    { account: 'claude', agent: 'claude', since: isoTime(since), consecutive: 2, next_try: isoTime(since + HOUR), env_file: null },
  ],
});

describe('after a clock that was ahead, serve', () => {
  it.each([HOUR, 20 * DAY, YEARS])('waits as long for an estimate as it would have (%d ms)', (ahead) => {
    const at = bench();
    writeFileSync(at.paths.accounts, JSON.stringify(throttle(NOW + ahead, NOW + ahead + 5 * MINUTE, false)));
    expect(at.endsIn()).toBeLessThanOrEqual(5 * MINUTE);
  });

  it.each([HOUR, 20 * DAY])('waits no longer for a stated end, which may have been read by that clock (%d ms)', (ahead) => {
    const at = bench();
    writeFileSync(at.paths.accounts, JSON.stringify(throttle(NOW + ahead, NOW + ahead + 2 * HOUR, true)));
    expect(at.endsIn()).toBe(2 * HOUR);
  });

  it('takes a stated end that was noted before as it is', () => {
    const at = bench();
    writeFileSync(at.paths.accounts, JSON.stringify(throttle(NOW - HOUR, NOW + 20 * DAY, true)));
    expect(at.endsIn()).toBe(20 * DAY);
  });

  it.each([HOUR, 20 * HOUR])('waits as long after a crash as it would have (%d ms)', (ahead) => {
    const { paths, clock } = bench();
    const wait = {
      reason: 'crash_backoff',
      since: isoTime(NOW + ahead),
      until: isoTime(NOW + ahead + 4 * MINUTE),
      source: '',
      sentence: '',
    };
    writeFileSync(paths.wait, JSON.stringify(wait));
    const kept = keepWait(paths, clock, (() => {}) as Emit, { deliberateRestart: false }).current();
    expect(kept?.until).toBe(isoTime(NOW + 4 * MINUTE));
  });

  it.each([3 * HOUR, YEARS])('tries refused credentials again, and hears `ack auth` (%d ms)', (ahead) => {
    const at = bench();
    writeFileSync(at.paths.accounts, JSON.stringify(refusal(NOW + ahead)));
    const accounts = at.boot();
    expect(accounts.obstacles('claude', null).refusal).toBeNull();
    writeAcked(at.paths, ['auth'], isoTime(NOW));
    accounts.hear(() => {});
    expect(accounts.refusals('claude')).toBe(0);
  });

  it('is not told by an answer of that time that all refusals to come are answered', () => {
    const at = bench();
    writeFileSync(at.paths.accounts, JSON.stringify(refusal(NOW - MINUTE)));
    writeAcked(at.paths, ['auth', 'billing'], isoTime(NOW + YEARS));
    const accounts = at.boot();
    accounts.hear(() => {});
    expect(accounts.refusals('claude')).toBe(2);
  });
});

describe('an event log with times of another world', () => {
  it('no time in it throws or holds an account for longer than the limit', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), fc.constantFrom<object>({}, { stated: true, reset_at_epoch: 1e18 }), (date, more) => {
        const at = bench();
        log(at.paths, 'events-2026-11.jsonl', detected(date.toISOString(), more));
        expect(at.endsIn()).toBeLessThanOrEqual(8 * HOUR + MINUTE);
      }),
      {
        numRuns: 60,
        examples: [
          [new Date(8.64e15), {}],
          [new Date(-8.64e15), {}],
          [new Date('2099-01-01'), {}],
        ],
      },
    );
  });

  it.each(['events-2099-01.jsonl', 'events-9999-12.jsonl'])('%s hides no limit that was met since', (name) => {
    const at = bench();
    log(at.paths, name, detected(`${name.slice(7, 14)}-01T00:00:00.000Z`, { agent: 'pi' }));
    at.boot();
    log(at.paths, 'events-2026-11.jsonl', detected(isoTime(NOW - 1000)));
    expect(at.endsIn()).toBe(MINUTE + 5_000 - 1_000);
    rmSync(at.paths.accounts);
    log(at.paths, 'events-9998-12.jsonl');
    expect(at.endsIn()).toBe(MINUTE + 5_000 - 1_000);
    expect(at.endsIn('pi')).toBe(0);
  });

  it('thousands of accounts in it make no state file that the next start must refuse', () => {
    const at = bench();
    const many = Array.from({ length: 2_000 }, (_, i) =>
      detected(isoTime(NOW - 1000), { account: `${'x'.repeat(i < 100 ? 10_000 : 900)}${i}` }),
    );
    log(at.paths, 'events-2026-11.jsonl', ...many, detected(isoTime(NOW - 1000)));
    expect(at.endsIn()).toBeGreaterThan(0);
    expect(statSync(at.paths.accounts).size).toBeLessThan(512 * 1024);
    expect(at.endsIn()).toBeGreaterThan(0);
    at.refuse('real');
    expect(at.endsIn('real')).toBe(HOUR + 5_000);
  });
});
