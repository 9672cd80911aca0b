import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../../src/events/stored.ts';
import { foldAccounts } from '../../../../src/serve/accounts/fold.ts';
import { NO_ACCOUNTS } from '../../../../src/state/accounts.ts';

const START = Date.parse('2026-11-29T12:00:00Z');
const at = (minute: number) => new Date(START + minute * 60_000).toISOString();
const epoch = (minute: number) => START / 1000 + minute * 60;
const event = (minute: number, kind: string, fields: object): StoredEvent => ({ ts: at(minute), event: kind, ...fields });
const detected = (minute: number, agent: string, reset: unknown, more: object = {}) =>
  event(minute, 'transient_error_detected', {
    agent,
    classification: 'rate_limit_account',
    reset_at_epoch: reset,
    round_num: 3,
    raw: '',
    ...more,
  });
const recovered = (minute: number, agent: string, more: object = {}) => event(minute, 'transient_error_recovered', { agent, ...more });
const usage = (minute: number, agent: string, success = true) => event(minute, 'agent_usage_recorded', { agent, success });

/** Who is throttled, and until which minute (without the jitter of 5 s). */
const fold = (...events: StoredEvent[]) =>
  Object.fromEntries(
    foldAccounts(NO_ACCOUNTS, events).throttles.map(({ account, until }) => [
      account,
      until === null ? null : (Date.parse(until) - 5_000 - START) / 60_000,
    ]),
  );

describe('reference case 16: the accounts as the events leave them', () => {
  it('the predecessor’s limit is taken over, to its stated end', () => {
    expect(fold(detected(0, 'claude', epoch(300)))).toEqual({ claude: 300 });
  });

  it('by account: two accounts of one agent wait apart', () => {
    expect(fold(detected(0, 'claude', epoch(300), { account: 'work' }), detected(1, 'claude', epoch(60), { account: 'home' }))).toEqual({
      work: 300,
      home: 60,
    });
  });

  it('scar 42: the recovery of one agent does not hide the limit of another', () => {
    expect(fold(detected(0, 'claude', epoch(300)), detected(1, 'codex', epoch(60)), recovered(61, 'codex'))).toEqual({
      claude: 300,
      codex: null,
    });
  });

  it('a success ends it and its count', () => {
    expect(fold(detected(0, 'claude', epoch(300)), usage(2, 'claude'))).toEqual({});
    expect(fold(detected(0, 'claude', epoch(300)), usage(2, 'claude', false), usage(2, 'codex'))).toEqual({ claude: 300 });
  });

  it('`wake` ended all of them', () => {
    const woken = (reason: string) => event(5, 'wait_ended', { reason, waited_for_s: 3, ended_by: 'woken' });
    expect(fold(detected(0, 'claude', epoch(300)), woken('throttled'))).toEqual({ claude: null });
    expect(fold(detected(0, 'claude', epoch(300)), woken('crash_backoff'))).toEqual({ claude: 300 });
    expect(fold(detected(0, 'claude', epoch(300)), { ...woken('throttled'), ended_by: 'stopped' })).toEqual({ claude: 300 });
  });

  it('estimated waits grow over the refusals in a row, whatever end the event names', () => {
    const overloaded = (minute: number) => detected(minute, 'claude', epoch(minute + 1), { classification: 'api_transient_5xx' });
    expect(fold(overloaded(0), recovered(1, 'claude'), overloaded(2), recovered(4, 'claude'), overloaded(5))).toEqual({ claude: 9 });
    expect(fold(overloaded(0), usage(1, 'claude'), overloaded(5))).toEqual({ claude: 6 });
  });

  it.each([null, undefined, 'soon', {}, true, -1, Number.POSITIVE_INFINITY])('scar 39: reset_at_epoch %j is an estimate', (reset) => {
    expect(fold(detected(0, 'claude', reset))).toEqual({ claude: 1 });
  });

  it('what is no time, no agent, no kind is left out', () => {
    expect(
      fold({ ...detected(0, 'claude', epoch(3)), ts: 'yesterday' }, detected(0, '', epoch(3)), event(0, 'round_start', { agent: 'x' })),
    ).toEqual({});
  });

  it('events that are folded in two parts give what they give as one', () => {
    const anyEvent = fc.oneof(
      fc.tuple(fc.nat(50), fc.constantFrom('a', 'b'), fc.nat(400)).map(([minute, agent, reset]) => detected(minute, agent, epoch(reset))),
      fc.tuple(fc.nat(50), fc.constantFrom('a', 'b')).map(([minute, agent]) => recovered(minute, agent)),
      fc.tuple(fc.nat(50), fc.constantFrom('a', 'b')).map(([minute, agent]) => usage(minute, agent)),
    );
    fc.assert(
      fc.property(fc.array(anyEvent), fc.nat(), (events, cut) => {
        const where = events.length === 0 ? 0 : cut % events.length;
        const parts = foldAccounts(foldAccounts(NO_ACCOUNTS, events.slice(0, where)), events.slice(where));
        expect(parts).toEqual(foldAccounts(NO_ACCOUNTS, events));
      }),
    );
  });

  it('never throws, whatever lies in the log', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc
            .record({ ts: fc.string(), event: fc.constantFrom('transient_error_detected', 'wait_ended', 'agent_usage_recorded') })
            .chain((known) =>
              fc
                .dictionary(
                  fc.constantFrom('agent', 'account', 'classification', 'reset_at_epoch', 'stated', 'phase', 'round_num'),
                  fc.anything(),
                )
                .map((more) => ({ ...more, ...known, ts: at(1) })),
            ),
        ),
        (events) => {
          foldAccounts(NO_ACCOUNTS, events as StoredEvent[]);
        },
      ),
    );
  });
});
