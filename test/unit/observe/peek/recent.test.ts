import { expect, test } from 'vitest';
import { degradedBy } from '../../../../src/observe/peek/degraded.ts';
import { rateLimit } from '../../../../src/observe/peek/rate-limit.ts';
import { viewFromEvents } from '../../../../src/observe/peek/round-view.ts';
import type { Throttle } from '../../../../src/state/accounts.ts';
import { NO_STREAKS } from '../../../../src/state/serve-state.ts';
import { iso, NOW } from './facts.ts';

const epoch = (offsetS: number) => NOW / 1000 + offsetS;
const detected = (agent: string, resetS: number | null, more: Record<string, unknown> = {}) => ({
  event: 'transient_error_detected',
  agent,
  classification: 'rate_limit_account',
  round_num: 4,
  phase: null,
  reset_at_epoch: resetS === null ? resetS : epoch(resetS),
  ...more,
});
const recovered = (agent: string) => ({ event: 'transient_error_recovered', agent, classification: 'rate_limit_account' });

test('scar 42: the recovery of one agent does not hide the throttle of another', () => {
  expect(rateLimit(null, [detected('claude', 600, { phase: 'build' }), detected('codex', 60), recovered('codex')], NOW)).toEqual({
    throttled_until_epoch: epoch(600),
    limit_type: 'rate_limit_account',
    agent: 'claude',
    since_round: 4,
    phase: 'build',
    throttled_agents: ['claude'],
  });
});

test('the newest word is shown, all are listed', () => {
  expect(rateLimit(null, [detected('pi', 900), detected('codex', 60), detected('claude', 600)], NOW)).toMatchObject({
    agent: 'claude',
    throttled_agents: ['claude', 'codex', 'pi'],
  });
});

test('when the newest word is a recovery, the one that clears last is shown', () => {
  expect(rateLimit(null, [detected('pi', 900), detected('codex', 60), detected('claude', 600), recovered('claude')], NOW)).toMatchObject({
    agent: 'pi',
  });
});

test('over is over; scar 39: no usable end is no throttle', () => {
  const wrong = ['1e9', null, Number.NaN, Number.POSITIVE_INFINITY].map((reset_at_epoch) => ({ ...detected('pi', 0), reset_at_epoch }));
  expect(rateLimit(null, [detected('claude', -1), ...wrong], NOW)).toBeNull();
  expect(rateLimit(null, [], NOW)).toBeNull();
});

test('where serve keeps account of accounts, its word counts, estimated waits too', () => {
  const throttle = (account: string, sinceS: number, untilS: number | null): Throttle => ({
    account,
    agent: 'claude',
    classification: 'api_transient_5xx',
    since: iso(sinceS),
    until: untilS === null ? null : iso(untilS),
    stated: false,
    consecutive: 1,
    network: 0,
    round_num: 7,
    phase: 'build',
  });
  const state = (...throttles: Throttle[]) => ({ throttles, refusals: [], seen: null });
  expect(rateLimit(state(throttle('work', -3, 77), throttle('home', -9, 500)), [detected('codex', 900)], NOW)).toEqual({
    throttled_until_epoch: epoch(77),
    limit_type: 'api_transient_5xx',
    agent: 'work',
    since_round: 7,
    phase: 'build',
    throttled_agents: ['home', 'work'],
  });
  expect(rateLimit(state(throttle('work', -3, null), throttle('home', -9, 500)), [], NOW)).toMatchObject({ agent: 'home' });
  expect(rateLimit(state(throttle('work', -3, -1), throttle('home', -9, null)), [], NOW)).toBeNull();
});

test('what went wrong since serve started, newest first, taken back where it is', () => {
  const events = [
    { event: 'git_config_tampered', round_num: 1, paths: [] },
    { event: 'serve_started' },
    { event: 'config_reload_failed', reason: 'line 3: unknown key' },
    { event: 'events_degraded', lost: 3, delayed: 1, error: 'ENOSPC' },
    { event: 'events_degraded', lost: 0, delayed: 1, error: 'ENOSPC' },
    { event: 'dirty_unstashable', paths: ['a', 'b'] },
  ];
  expect(degradedBy(events, { ...NO_STREAKS }, 5)).toEqual([
    '2 changed paths cannot be stashed',
    'the changed configuration was not adopted (line 3: unknown key)',
  ]);
  expect(degradedBy([...events, { event: 'config_reloaded' }], { ...NO_STREAKS, unmoved: 6 }, 5)).toEqual([
    'the last 6 rounds changed nothing in the repository',
    '2 changed paths cannot be stashed',
  ]);
});

test('a round is told by its events, and by its log’s name where they are out of sight', () => {
  const path = '/l/rounds/R7-20261129T113000.log';
  expect(viewFromEvents(7, path, [])).toMatchObject({
    round_num: 7,
    started_at: '2026-11-29T11:30:00.000Z',
    phase: null,
    exit_code: null,
    log_path: path,
  });
  const events = [
    { event: 'round_start', ts: iso(-60), round_num: 7, phase: 'plan' },
    { event: 'agent_exit', ts: iso(-30), round_num: 6, exit_code: 1 },
    { event: 'agent_exit', ts: iso(-10), round_num: 7, exit_code: -15, duration_s: 49.5, timed_out: true, outcome: 'timeout' },
  ];
  expect(viewFromEvents(7, path, events)).toMatchObject({
    started_at: iso(-60),
    phase: 'plan',
    duration_so_far_s: 49.5,
    exit_code: -15,
    timed_out: true,
    outcome: 'timeout',
  });
});
