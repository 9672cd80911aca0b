import { describe, expect, it } from 'vitest';
import type { TurnError } from '../../../src/agents/adapter.ts';
import type { Outcome } from '../../../src/round/outcome.ts';
import { delayAfter } from '../../../src/serve/delay.ts';
import { NO_STREAKS } from '../../../src/state/serve-state.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const limit = (classification: string, resetInS: number | null): TurnError => ({
  kind: 'rate_limited',
  classification,
  resetAtEpoch: resetInS === null ? null : NOW / 1000 + resetInS,
  raw: '',
});

function delayS(outcome: Outcome, { crash = 0, provider = 0, error = null as TurnError | null, restartDelayS = 3, random = 0 } = {}) {
  const delay = delayAfter({ outcome, streaks: { ...NO_STREAKS, crash, provider }, restartDelayS, error, now: NOW, random });
  return [delay.reason, delay.ms / 1000];
}

describe('the delay after a round', () => {
  it('restart_delay_s after a good one and after a wall', () => {
    expect(delayS('ok')).toEqual(['restart_delay', 3]);
    expect(delayS('timeout')).toEqual(['restart_delay', 3]);
  });

  it('scar 8: doubles with each crash: 6, 12, 24, 48 s, and never beyond half an hour', () => {
    expect([1, 2, 3, 4].map((crash) => delayS('crash', { crash })[1])).toEqual([6, 12, 24, 48]);
    expect(delayS('crash', { crash: 40 })).toEqual(['crash_backoff', 1800]);
    expect(delayS('no_output', { crash: 2, restartDelayS: 1000 })).toEqual(['crash_backoff', 1800]);
  });

  it('twice the delay, flat, after an error of the agent or the environment', () => {
    expect(delayS('agent_error', { crash: 4 })).toEqual(['error_backoff', 6]);
    expect(delayS('environment')).toEqual(['environment', 6]);
    expect(delayS('auth_error')).toEqual(['error_backoff', 6]);
  });

  it("takes the provider's own word for the end of a limit, plus 5 to 30 s", () => {
    expect(delayS('rate_limited', { error: limit('rate_limit_account', 3600) })).toEqual(['throttled', 3605]);
    expect(delayS('rate_limited', { error: limit('rate_limit_account', 3600), random: 1 })).toEqual(['throttled', 3630]);
  });

  it('believes a stated end for eight hours ahead and no further', () => {
    expect(delayS('rate_limited', { error: limit('rate_limit_account', 30 * 86_400) })).toEqual(['throttled', 8 * 3600 + 5]);
  });

  it('scar 39: a reset in the past, null or not a number is an estimated wait, never none', () => {
    for (const reset of [-10, null, Number.NaN, Number.NEGATIVE_INFINITY]) {
      expect(delayS('rate_limited', { provider: 1, error: limit('rate_limit_model', reset) })).toEqual(['throttled', 65]);
    }
  });

  it('a stated end shorter than the estimate does not undo the growth, but for an account', () => {
    expect(delayS('rate_limited', { provider: 4, error: limit('rate_limit_model', 2) })).toEqual(['throttled', 485]);
    expect(delayS('provider_error', { provider: 1, error: limit('api_transient_5xx', 300) })).toEqual(['throttled', 305]);
    expect(delayS('rate_limited', { provider: 4, error: limit('rate_limit_account', 20) })).toEqual(['throttled', 25]);
  });

  it('estimates 60 s, doubling with each refusal in a row up to half an hour', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map(
      (provider) => delayS('provider_error', { provider, error: limit('api_transient_5xx', null) })[1],
    );
    expect(waits).toEqual([65, 125, 245, 485, 965, 1805, 1805, 1805]);
    expect(delayS('provider_error', { provider: 1, error: limit('api_timeout', null) })).toEqual(['throttled', 35]);
  });
});
