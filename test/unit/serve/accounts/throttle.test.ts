import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { throttleAfter } from '../../../../src/serve/accounts/throttle.ts';
import type { Throttle } from '../../../../src/state/accounts.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const DAY_S = 86_400;

const found = (classification: string, resetInS: unknown) => ({
  account: 'work',
  agent: 'claude',
  classification,
  resetAtEpoch: typeof resetInS === 'number' ? NOW / 1000 + resetInS : resetInS,
  roundNum: 4,
  phase: null,
});
const throttled = (classification: string, resetInS: unknown = null, previous: Throttle | null = null, random = 0) =>
  throttleAfter(previous, found(classification, resetInS), NOW, random);
const waitS = ({ throttle }: { throttle: Throttle }) => (Date.parse(throttle.until ?? '') - NOW) / 1000;

/** The waits after each of these refusals in a row. */
function row(...classifications: string[]): number[] {
  let previous: Throttle | null = null;
  return classifications.map((classification) => {
    const next = throttled(classification, null, previous);
    previous = next.throttle;
    return waitS(next);
  });
}

describe('how long an account waits', () => {
  it("takes the provider's own word for the end of a limit, plus 5 to 30 s", () => {
    expect(waitS(throttled('rate_limit_account', 3600))).toBe(3605);
    expect(waitS(throttled('rate_limit_account', 3600, null, 1))).toBe(3630);
    expect(throttled('rate_limit_account', 3600)).toMatchObject({ throttle: { stated: true, account: 'work' }, capped: null });
  });

  it('believes a stated end for 35 days ahead; what is further away is looked at again after eight hours, and that is told', () => {
    expect(waitS(throttled('rate_limit_account', 30 * DAY_S))).toBe(30 * DAY_S + 5);
    expect(throttled('rate_limit_account', 35 * DAY_S).capped).toBeNull();
    const misread = throttled('rate_limit_account', 36 * DAY_S);
    expect(waitS(misread)).toBe(8 * 3600 + 5);
    expect(misread.capped).toEqual({
      classification: 'rate_limit_account',
      agent: 'claude',
      account: 'work',
      requested_sleep_s: 36 * DAY_S,
      applied_sleep_s: 8 * 3600,
      original_reset_at_epoch: NOW / 1000 + 36 * DAY_S,
      applied_reset_at_epoch: NOW / 1000 + 8 * 3600,
      consecutive_count: 1,
      capped_by_absolute_max: true,
    });
  });

  it('scar 38: a class that nobody here knows has its end as it was told', () => {
    expect(waitS(throttled('monthly_seat_quota', 20 * DAY_S))).toBe(20 * DAY_S + 5);
    expect(waitS(throttled('constructor'))).toBe(65);
  });

  it.each([-10, null, undefined, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, '', 'soon', {}, []])(
    'scar 39: a reset of %j is an estimated wait, never none and never an exception',
    (reset) => {
      expect(waitS(throttled('rate_limit_account', reset))).toBe(65);
      expect(waitS(throttled('rate_limit_model', reset))).toBe(65);
    },
  );

  it('scar 39: a reset that is a number in quotes counts', () => {
    expect(waitS(throttled('rate_limit_account', String(NOW / 1000 + 900)))).toBe(905);
  });

  it('scar 37: estimates 60 s, doubling with each refusal in a row up to half an hour', () => {
    expect(row(...Array<string>(8).fill('api_transient_5xx'))).toEqual([65, 125, 245, 485, 965, 1805, 1805, 1805]);
    expect(row('api_timeout', 'api_timeout')).toEqual([35, 65]);
    expect(row('billing', 'billing', 'billing')).toEqual([605, 1205, 1805]);
    expect(throttled('api_transient_5xx', null, throttled('api_transient_5xx').throttle).capped).toMatchObject({
      requested_sleep_s: 60,
      applied_sleep_s: 120,
      consecutive_count: 2,
      capped_by_absolute_max: false,
    });
  });

  it('a stated end shorter than the estimate does not undo the growth, but for an account', () => {
    const fourth = { ...throttled('rate_limit_model').throttle, consecutive: 3 };
    expect(waitS(throttled('rate_limit_model', 2, fourth))).toBe(485);
    expect(waitS(throttled('rate_limit_model', 7200, fourth))).toBe(7205);
    expect(waitS(throttled('rate_limit_account', 20, fourth))).toBe(25);
  });

  it('a network that is down is tried again after seconds, and never more than five minutes apart', () => {
    expect(row(...Array<string>(7).fill('network'))).toEqual([15, 30, 60, 120, 240, 300, 300]);
    expect(waitS(throttled('network', null, null, 1))).toBe(20);
  });

  it('and it makes no wait of the provider longer', () => {
    expect(row('api_transient_5xx', 'network', 'network', 'api_transient_5xx', 'network')).toEqual([65, 15, 30, 125, 15]);
  });

  it('for whatever is told: at least as long as the least wait, at most 35 days and the jitter, and a time that can be written', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom('rate_limit_account', 'rate_limit_model', 'network', 'billing'), fc.string()),
        fc.anything(),
        fc.nat(1e9),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (classification, resetAtEpoch, consecutive, random) => {
          const previous = { ...throttled('billing').throttle, consecutive, network: consecutive };
          const next = throttleAfter(previous, { ...found(classification, null), resetAtEpoch }, NOW, random);
          expect(waitS(next)).toBeGreaterThan(0);
          expect(waitS(next)).toBeLessThanOrEqual(35 * DAY_S + 30);
          expect(() => JSON.stringify(next)).not.toThrow();
        },
      ),
    );
  });
});
