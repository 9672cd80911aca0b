import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/util/clock.ts';
import { limited, refused, says, WELL } from '../support/fake-agents.ts';
import { type Project, type ProjectOptions, project } from '../support/project.ts';
import { until } from '../support/wait.ts';

const IN_AN_HOUR = Math.floor(systemClock.now() / 1000) + 3600;
const LIMITED = says(limited(IN_AN_HOUR), 1);
const REFUSED = says([refused(401)], 1);

/** `../other.sh` beside the project's own agent. */
function withOther(options: ProjectOptions, script: string): Project {
  const at = project(options);
  writeFileSync(join(at.folder, 'other.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return at;
}

const OTHER = { command: ['../other.sh'], adapter: 'claude', account: 'home', prompt_delivery: 'stdin' };
const agentTable = { adapter: 'claude', account: 'work', fallback: [OTHER] };

/** Throttles that a serve before has left. */
function leaveThrottles(at: Project, ends: Record<string, number>): void {
  const iso = (s: number) => new Date(systemClock.now() + s * 1000).toISOString();
  const throttles = Object.entries(ends).map(([account, end]) => ({
    account,
    agent: 'agent.sh',
    classification: 'rate_limit_account',
    since: iso(-60),
    until: iso(end),
    stated: true,
    consecutive: 1,
  }));
  mkdirSync(join(at.logDir, 'state'), { recursive: true });
  writeFileSync(join(at.logDir, 'state/accounts.json'), JSON.stringify({ throttles }));
}

const who = (at: Project) => at.events('round_start').map(({ account }) => account);
const sentence = async (at: Project) => (await at.run(['peek', '--check'])).stdout;
const throttles = (at: Project) => at.json('state/accounts.json')?.throttles as { account: string; until: string }[];

describe('a fallback', () => {
  it('takes over at a limit: two accounts wait apart, and usage, peek and events say who runs', async () => {
    const at = withOther({ agent: LIMITED, agentTable }, `${WELL}; sleep 2`);
    const serve = at.start(['serve', '--max-rounds', '2']);
    await at.event('agent_spawn', ({ round_num }) => round_num === 2);
    expect(await sentence(at)).toMatch(/^Round 2 has been running .* with other\.sh as fallback for work until /);
    const { rate_limit: limit } = JSON.parse((await at.run(['peek', '--json'])).stdout).service;
    expect(limit).toMatchObject({ agent: 'work', limit_type: 'rate_limit_account', throttled_agents: ['work'] });
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['rate_limited', 'ok']);
    expect(at.events('round_start')).toMatchObject([
      { agent: 'agent.sh', account: 'work', fallback: 0 },
      { agent: 'other.sh', account: 'home', fallback: 1 },
    ]);
  });

  it('hands back on time, over a kill -9 in the middle, and the recovery is told once', async () => {
    const at = withOther({ agent: WELL, agentTable }, WELL);
    leaveThrottles(at, { work: 7 });
    const end = Date.parse(throttles(at)[0]?.until ?? '');
    const first = at.start(['serve']);
    await at.event('round_end');
    first.child.kill('SIGKILL');
    await first.ended;
    expect(new Set(who(at))).toEqual(new Set(['home']));
    const second = at.start(['serve']);
    await at.event('round_start', ({ account }) => account === 'work');
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
    const back = at.events('round_start').find(({ account }) => account === 'work');
    expect(Date.parse(back?.ts ?? '')).toBeGreaterThanOrEqual(end);
    expect(Date.parse(back?.ts ?? '')).toBeLessThan(end + 6_000);
    expect(at.events('transient_error_recovered')).toMatchObject([{ account: 'work' }]);
  });

  it('takes over where a login is refused, a person is asked, and `ack auth` tries the first choice again', async () => {
    const at = withOther({ agent: REFUSED, agentTable }, WELL);
    const serve = at.start(['serve']);
    await at.event('round_end', ({ round_num }) => round_num === 3);
    expect(who(at).slice(0, 3)).toEqual(['work', 'home', 'home']);
    expect(await sentence(at)).toContain('agent-runner ack auth');
    await at.run(['ack', 'auth']);
    await until('the first choice is tried again', () => who(at).filter((account) => account === 'work').length === 2);
    await at.event('round_start', ({ round_num }) => round_num === who(at).lastIndexOf('work') + 2);
    expect(who(at).at(-1)).toBe('home');
    serve.child.kill('SIGTERM');
    expect((await serve.ended).code).toBe(0);
  });

  it('that is refused too leaves nobody: the third refusal of one account stops serve with 78', async () => {
    const at = withOther({ agent: REFUSED, agentTable }, REFUSED);
    const { code, stderr } = await at.run(['serve'], { timeoutMs: 60_000 });
    expect(code).toBe(78);
    expect(who(at)).toEqual(['work', 'home', 'work', 'work']);
    expect(stderr).toContain('3 times in a row');
  });

  it('is looked at before anything starts, and shown by a dry run', async () => {
    const at = project({ agent: WELL, agentTable });
    const { code, stderr } = await at.run(['serve', '--once']);
    expect([code, stderr]).toEqual([78, expect.stringContaining('agent_cli_in_path:fallback1')]);
    const dry = withOther({ agent: WELL, agentTable }, WELL);
    const plan = JSON.parse((await dry.run(['round', '--dry-run', '--json'])).stdout);
    expect(plan).toMatchObject({ account: 'work', fallbacks: ['other.sh (account home)'] });
    const broken = withOther({ agent: WELL, agentTable: { ...agentTable, fallback: [{ ...OTHER, adapter: './none.mjs' }] } }, WELL);
    const refusal = await broken.run(['serve', '--once']);
    expect([refusal.code, refusal.stderr]).toEqual([78, expect.stringContaining('AR-AGT-002')]);
  });
});

describe('phase_policy = "skip"', () => {
  const more =
    '\n[phases]\nlist = ["plan", "build"]\nphase_policy = "skip"\n[phases.build.agent]\ncommand = ["../other.sh"]\naccount = "home"\n';

  it('steps over a phase whose agent is throttled; scar 44: with all of them throttled it waits for the first and never spins', async () => {
    const at = withOther({ agent: WELL, agentTable: { adapter: 'claude', account: 'work' }, more }, LIMITED);
    leaveThrottles(at, { work: 7200 });
    const serve = at.start(['serve']);
    await at.event('wait_started', ({ reason }) => reason === 'throttled');
    expect(at.events('round_start').map(({ phase }) => phase)).toEqual(['build']);
    await systemClock.sleep(1500);
    expect(at.events('wait_started').filter(({ reason }) => reason === 'throttled')).toHaveLength(1);
    const home = throttles(at).find(({ account }) => account === 'home');
    expect(at.json('state/wait.json')).toMatchObject({ reason: 'throttled', source: 'home', until: home?.until });
    serve.child.kill('SIGTERM');
    expect((await serve.ended).code).toBe(0);
    expect(at.events('transient_error_recovered')).toEqual([]);
  });
});

describe('a network that is down', () => {
  it('costs no round, no streak and nobody’s sleep', async () => {
    const at = project({ agent: 'cat >/dev/null; echo "Error: getaddrinfo ENOTFOUND api.example.com"; exit 1' });
    const serve = at.start(['serve', '--max-rounds', '1']);
    await at.event('wait_started', ({ reason }) => reason === 'network');
    expect(await sentence(at)).toMatch(/^Waiting until .*: nothing answers \(.*nobody is needed/);
    expect(at.outcomes()).toEqual(['provider_error']);
    at.setAgent(WELL);
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['provider_error', 'ok']);
    expect(at.json('state/needs-human.json')?.entries ?? []).toEqual([]);
  });
});
