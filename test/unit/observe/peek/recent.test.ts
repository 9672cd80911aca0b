import { expect, test } from 'vitest';
import { degradedBy } from '../../../../src/observe/peek/degraded.ts';
import { rateLimit } from '../../../../src/observe/peek/rate-limit.ts';
import { viewFromEvents } from '../../../../src/observe/peek/round-view.ts';
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
  expect(rateLimit([detected('claude', 600, { phase: 'build' }), detected('codex', 60), recovered('codex')], null, NOW)).toEqual({
    throttled_until_epoch: epoch(600),
    limit_type: 'rate_limit_account',
    agent: 'claude',
    since_round: 4,
    phase: 'build',
    throttled_agents: ['claude'],
  });
});

test('the newest word is shown, all are listed', () => {
  expect(rateLimit([detected('pi', 900), detected('codex', 60), detected('claude', 600)], null, NOW)).toMatchObject({
    agent: 'claude',
    throttled_agents: ['claude', 'codex', 'pi'],
  });
});

test('when the newest word is a recovery, the one that clears last is shown', () => {
  expect(rateLimit([detected('pi', 900), detected('codex', 60), detected('claude', 600), recovered('claude')], null, NOW)).toMatchObject({
    agent: 'pi',
  });
});

test('over is over; scar 39: no usable end is no throttle', () => {
  const wrong = ['1e9', null, Number.NaN, Number.POSITIVE_INFINITY].map((reset_at_epoch) => ({ ...detected('pi', 0), reset_at_epoch }));
  expect(rateLimit([detected('claude', -1), ...wrong], null, NOW)).toBeNull();
  expect(rateLimit([], null, NOW)).toBeNull();
});

test('an estimated wait has the end of the wait of serve', () => {
  const wait = { reason: 'throttled', until: iso(77), since: iso(-3), source: 'claude api_transient_5xx', sentence: '' };
  expect(rateLimit([detected('claude', null, { reset_at_epoch: 0 })], wait, NOW)).toMatchObject({
    throttled_until_epoch: epoch(77),
    agent: 'claude',
  });
  expect(rateLimit([detected('codex', null, { reset_at_epoch: 0 })], wait, NOW)).toBeNull();
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
