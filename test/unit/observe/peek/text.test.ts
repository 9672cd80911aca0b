import { expect, it } from 'vitest';
import { viewFromEvents } from '../../../../src/observe/peek/round-view.ts';
import type { Snapshot } from '../../../../src/observe/peek/snapshot.ts';
import { peekText } from '../../../../src/observe/peek/text.ts';
import { iso, NOW } from './facts.ts';

const start = { event: 'round_start', ts: iso(-60), round_num: 12, phase: 'build', agent: 'claude', account: 'home', fallback: 1 };
const exit = { event: 'agent_exit', round_num: 12, duration_s: 50, exit_code: 0, timed_out: false, outcome: 'ok' };

function shown(events: Record<string, unknown>[], budget: Snapshot['budget']): string[] {
  const view = {
    sentence: 'All is well.',
    healthy: true,
    project: 'shop',
    config_path: '/w/agent-runner.toml',
    log_dir: '/w/logs',
    status: {},
    service: { active: false },
    current_round: viewFromEvents(12, '/w/logs/rounds/R12.log', events),
    last_receipt: null,
    orphan: null,
    orphan_stashes: 0,
    defenses: [],
    recent_events: [],
    system: { mem_available_mb: 1024, mem_total_mb: 2048, disk_used_pct: 1, disk_free_gb: 1, load_1m: null },
    budget,
  } as unknown as Snapshot;
  return peekText(view, NOW, (_format, text) => text).split('\n');
}

it('the round says who had it when that was not the first choice', () => {
  expect(shown([start, exit], null)).toContain(
    'round    12 (build) by fallback claude (account home), ok after 50 s; /w/logs/rounds/R12.log',
  );
  expect(shown([{ ...start, account: 'claude' }, exit], null)).toContain(
    'round    12 (build) by fallback claude, ok after 50 s; /w/logs/rounds/R12.log',
  );
  expect(shown([{ ...start, fallback: 0 }, exit], null)).toContain('round    12 (build), ok after 50 s; /w/logs/rounds/R12.log');
});

it('limits are told before they are used up, and only where there are some', () => {
  const total = { cost_usd: 1.2, tokens: 0, unknown_rounds: 0, since: null };
  const limit = {
    limit: 'max_cost_usd_per_day',
    spent: 1.2,
    allowed: 50,
    unit: 'usd',
    used_up: false,
    until: null,
    unknown_rounds: 0,
  } as const;
  const budget = { limits: [{ ...limit, words: 'spent $1.20 of $50.00 today' }], total, unproductive_rounds: 0 };
  expect(shown([], budget)).toContain('limits   spent $1.20 of $50.00 today');
  expect(shown([], { ...budget, limits: [] }).some((line) => line.startsWith('limits'))).toBe(false);
});
