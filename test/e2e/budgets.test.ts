import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says } from '../support/fake-agents.ts';
import { type Project, project } from '../support/project.ts';
import { until } from '../support/wait.ts';

/** claude's own record of a turn that cost two dollars. */
const COSTS = says([
  {
    type: 'result',
    subtype: 'success',
    is_error: false,
    total_cost_usd: 2,
    usage: { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 5000, cache_creation_input_tokens: 0 },
  },
]);
const limited = (limits: string, agent = COSTS) => project({ agent, agentTable: { adapter: 'claude' }, more: `[limits]\n${limits}\n` });
const peek = async (at: Project) => JSON.parse((await at.run(['peek', '--json'])).stdout);
const waiting = (at: Project) => until('serve waits for its budget', () => at.json('state/wait.json')?.reason === 'budget');

describe('limits that wait', () => {
  it('a day’s cost: waits until midnight with numbers, over kill -9 and a lost ledger; ack budget goes on at once', async () => {
    const at = limited('max_cost_usd_per_day = 3.5');
    const first = at.start(['serve']);
    await waiting(at);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(at.events('budget_exhausted')).toMatchObject([
      { limit: 'limits.max_cost_usd_per_day', spent: 4, allowed: 3.5, unit: 'usd', message: 'spent $4.00 of $3.50 today' },
    ]);
    first.child.kill('SIGKILL');
    await first.ended;

    // As torn as a power cut leaves it.
    writeFileSync(join(at.logDir, 'state/ledger.json'), '{"version": 1, "pla');
    const second = at.start(['serve']);
    await until('it waits again', () => at.events('budget_exhausted').length === 2);
    expect(at.outcomes()).toHaveLength(2);
    expect(at.events('state_file_set_aside')).toHaveLength(1);
    expect(await peek(at)).toMatchObject({
      state: 'budget',
      until: at.events('budget_exhausted')[1]?.until,
      needs_human: null,
      sentence: expect.stringContaining('spent $4.00 of $3.50 today'),
      budget: { limits: [{ limit: 'max_cost_usd_per_day', spent: 4, allowed: 3.5, used_up: true }] },
    });

    expect((await at.run(['ack', 'budget'])).stderr).toContain('limits.max_cost_usd_per_day');
    await until('two more rounds', () => at.outcomes().length === 4);
    await until('and it waits again', () => at.events('budget_exhausted').length === 3);
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
  });

  it('rounds an hour: the end is the hour of the oldest round', async () => {
    const at = limited('max_rounds_per_hour = 2');
    const running = at.start(['serve']);
    await waiting(at);
    const [first] = at.events('round_start');
    expect(Date.parse(String(at.json('state/wait.json')?.until))).toBe(Date.parse(first?.ts ?? '') + 3_600_000);
    expect((await at.run(['peek'])).stdout).toContain('started 2 of 2 rounds within the hour');
    at.edit('max_rounds_per_hour = 2', 'max_rounds_per_hour = 3');
    await at.run(['reload']);
    await until('a raised limit is in force at once', () => at.outcomes().length === 3);
    await waiting(at);
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
  });
});

describe('limits that stop', () => {
  it('the total: 75, again at each start, until ack budget; never more because files are gone', async () => {
    const at = limited('max_cost_usd_total = 4\nmax_unproductive_rounds = 2');
    const first = await at.run(['serve']);
    expect(first.code).toBe(75);
    expect(at.outcomes()).toHaveLength(2);
    expect(at.events('budget_exhausted').map(({ limit }) => limit)).toEqual([
      'limits.max_cost_usd_total',
      'limits.max_unproductive_rounds',
    ]);
    expect(at.events('needs_human')).toMatchObject([{ reason: 'budget', command: 'agent-runner ack budget' }]);
    expect(JSON.parse(first.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      reason: 'budget',
      msg: expect.stringContaining('agent-runner ack budget'),
    });
    expect(await peek(at)).toMatchObject({
      state: 'stopped_on_purpose',
      needs_human: { reason: 'budget', command: 'agent-runner ack budget' },
      sentence: expect.stringContaining('spent $4.00 of $4.00 in all, 2 of 2 rounds in a row made no commit'),
    });

    for (const name of readdirSync(at.logDir).filter((name) => name.startsWith('events-'))) rmSync(join(at.logDir, name));
    expect((await at.run(['serve'])).code).toBe(75);
    expect(at.outcomes()).toHaveLength(0);

    const acked = await at.run(['ack', 'budget']);
    expect(acked).toMatchObject({ code: 0, stderr: expect.stringContaining('forgotten: spent $4.00 of $4.00 in all') });
    // A second one by accident.
    expect(await at.run(['ack', 'budget'])).toMatchObject({ code: 2, stderr: expect.stringContaining('[AR-CLI-009]') });
    expect(at.json('state/needs-human.json')).toEqual({ entries: [] });
    expect((await peek(at)).needs_human).toMatchObject({ command: expect.stringMatching(/^agent-runner serve/) });
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    expect(at.outcomes()).toHaveLength(1);
  });

  it('a round that makes a commit is a productive one', async () => {
    const at = limited(
      'max_unproductive_rounds = 2',
      `cd "$PWD"; [ $AGENT_RUNNER_ROUND_NUM = 2 ] && git commit -q --allow-empty -m work; ${COSTS}`,
    );
    expect((await at.run(['serve'])).code).toBe(75);
    expect(at.outcomes()).toHaveLength(4);
  });
});

describe('limits that nobody can keep', () => {
  it('a CLI that tells no cost makes a cost limit a start-up error that names it', async () => {
    const at = project({ more: '[limits]\nmax_cost_usd_total = 4\n' });
    const { code, stderr } = await at.run(['serve']);
    expect(code).toBe(78);
    expect(stderr).toContain('limits.max_cost_usd_total cannot be kept: no cost is told by agent');
    expect(stderr).toContain('AR-CHK-015');
    expect(at.events('round_start')).toEqual([]);
    expect((await at.run(['doctor'])).stdout).toContain('AR-CHK-015');
  });

  it('a CLI that could tell and does not is noticed after three rounds: 78', async () => {
    const at = limited('max_cost_usd_total = 4', `cat >/dev/null; date +%N > work.txt; echo done`);
    const { code, stderr } = await at.run(['serve']);
    expect(code).toBe(78);
    expect(at.outcomes()).toEqual(['ok', 'ok', 'ok']);
    expect(stderr).toContain('3 rounds in a row ended well and agent.sh told no usage');
  });

  it('the same with `serve --once`, again and again', async () => {
    const at = limited('max_cost_usd_total = 4', `cat >/dev/null; date +%N > work.txt; echo done`);
    const codes: (number | null)[] = [];
    for (let i = 0; i < 4; i++) codes.push((await at.run(['serve', '--once'])).code);
    expect(codes).toEqual([0, 0, 78, 78]);
  });

  it('ack budget where nothing was ever counted is refused', async () => {
    const at = limited('max_cost_usd_total = 4');
    expect((await at.run(['ack', 'budget'])).code).not.toBe(0);
  });
});
