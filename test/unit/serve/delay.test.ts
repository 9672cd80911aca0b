import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/round/outcome.ts';
import { delayAfter } from '../../../src/serve/delay.ts';
import { NO_STREAKS } from '../../../src/state/serve-state.ts';

function delayS(outcome: Outcome, { crash = 0, restartDelayS = 3 } = {}) {
  const delay = delayAfter({ outcome, streaks: { ...NO_STREAKS, crash }, restartDelayS });
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

  it('no more than the ordinary one after a refusal of the provider: its account waits, another may run', () => {
    expect(delayS('rate_limited')).toEqual(['restart_delay', 3]);
    expect(delayS('provider_error')).toEqual(['restart_delay', 3]);
  });
});
