import { describe, expect, it } from 'vitest';
import type { LimitState } from '../../../src/budget/limits.ts';
import type { GateView } from '../../../src/serve/gates/gate.ts';
import { askGates } from '../../../src/serve/gates/list.ts';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const LATER = '2026-11-29T13:00:00.000Z';
const EARLIER = '2026-11-29T11:00:00.000Z';
const view = (part: Partial<GateView>): GateView => ({ now: NOW, pause: null, survivors: [], limits: [], turn: null, wait: null, ...part });
const wait = (until: string | null) => ({
  reason: 'throttled',
  until,
  since: EARLIER,
  source: 'claude rate_limit_account',
  sentence: 'usage limit',
});
const turn = { reason: 'schedule' as const, until: Date.parse(LATER), source: '22:00-06:00', sentence: 'outside its window' };
const limit = (change: Partial<LimitState>): LimitState => ({
  limit: 'max_cost_usd_per_day',
  when_used_up: 'wait',
  unit: 'usd',
  spent: 4,
  allowed: 4,
  used_up: true,
  until: Date.parse(LATER),
  unknown_rounds: 0,
  sentence: 'spent $4.00 of $4.00 today',
  ...change,
});
const pause = (until: string | null) => ({ until, since: EARLIER });

describe('the gates, in their documented order', () => {
  it('are open when nothing holds', () => {
    expect(askGates(view({}))).toEqual({ open: true });
  });

  it.each([
    ['a wait that runs', view({ wait: wait(LATER) }), 'throttled', Date.parse(LATER)],
    ['a pause with an end', view({ pause: pause(LATER) }), 'paused', Date.parse(LATER)],
    ['a pause without one', view({ pause: pause(null) }), 'paused', null],
    ['a day that is spent', view({ limits: [limit({})] }), 'budget', Date.parse(LATER)],
    ['of two the one that opens last', view({ limits: [limit({ until: NOW + 1 }), limit({})] }), 'budget', Date.parse(LATER)],
    ['a pause before a budget', view({ pause: pause(null), limits: [limit({})] }), 'paused', null],
    ['survivors', view({ survivors: [{ pid: 7, name: 'node' }] }), 'survivors', null],
    [
      'survivors before a pause before a wait',
      view({ survivors: [{ pid: 7, name: 'x' }], pause: pause(null), wait: wait(LATER) }),
      'survivors',
      null,
    ],
    ['nobody to take the turn', view({ turn }), 'schedule', Date.parse(LATER)],
    ['a turn that nobody takes before the delay after a round', view({ turn, wait: wait(LATER) }), 'schedule', Date.parse(LATER)],
    ['a pause before a turn that nobody takes', view({ turn, pause: pause(null) }), 'paused', null],
    ['a pause before a wait', view({ pause: pause(null), wait: wait(LATER) }), 'paused', null],
  ])('%s closes', (_name, input, reason, until) => {
    expect(askGates(input)).toMatchObject({ open: false, reason, until });
  });

  it.each([
    ['a pause that is over', view({ pause: pause(EARLIER) })],
    ['a limit that is not used up', view({ limits: [limit({ used_up: false, until: null })] })],
    ['a limit that ends serve, which is no gate', view({ limits: [limit({ when_used_up: 'stop', until: null })] })],
    ['a wait that is over', view({ wait: wait(EARLIER) })],
    ['a wait that ends this very moment', view({ wait: wait(new Date(NOW).toISOString()) })],
    ['a wait without an end (nobody could ever open it)', view({ wait: wait(null) })],
  ])('%s does not close', (_name, input) => {
    expect(askGates(input)).toEqual({ open: true });
  });
});
