import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DoctorCheck, DoctorContext } from '../../../src/doctor/check.ts';
import { agents } from '../../../src/doctor/checks/agents.ts';
import { cgroup } from '../../../src/doctor/checks/cgroup.ts';
import { configuration, inForce } from '../../../src/doctor/checks/configuration.ts';
import { containers } from '../../../src/doctor/checks/containers.ts';
import { disk } from '../../../src/doctor/checks/disk.ts';
import { home, inherited, path } from '../../../src/doctor/checks/environment.ts';
import { guards } from '../../../src/doctor/checks/guards.ts';
import { hooks } from '../../../src/doctor/checks/hooks.ts';
import { logDir } from '../../../src/doctor/checks/log-dir.ts';
import { isAtLeast, node } from '../../../src/doctor/checks/node.ts';
import { git, helpers } from '../../../src/doctor/checks/programs.ts';
import { asked, inFlight, service } from '../../../src/doctor/checks/service.ts';
import { stopBudget } from '../../../src/doctor/checks/stop-budget.ts';
import { CHECKS } from '../../../src/doctor/list.ts';
import { phasePlan } from '../../../src/doctor/plan.ts';
import type { CgroupFacts } from '../../../src/process/cgroup.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { requirePart } from '../../support/parts.ts';
import { mountTmpfs } from '../../support/tmpfs.ts';
import { contextOf } from './context.ts';

const look = async (check: DoctorCheck, context: DoctorContext) => [...(await check.run(context))];

function put(file: string, content: unknown, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode });
}

it.each([
  ['20.19.0', '20.19.0', true],
  ['20.18.9', '20.19.0', false],
  ['24.0.0', '20.19', true],
  ['2.39.5 (Apple Git-154)', '2.31', true],
  ['2.30.2', '2.31', false],
  ['2.9', '2.31', false],
  ['', '1', false],
])('version %s is at least %s: %s', (version, needed, is) => {
  expect(isAtLeast(version, needed)).toBe(is);
});

describe('the environment', () => {
  it('this Node is new enough', async () => {
    expect(await look(node, contextOf())).toMatchObject([{ status: 'ok' }]);
  });

  it.each([
    ['/usr/bin:/bin', 'ok'],
    ['/usr/bin::/bin', 'warning'],
    ['./node_modules/.bin:/bin', 'warning'],
    ['', 'failed'],
    [undefined, 'failed'],
  ])('PATH %s: %s', async (PATH, status) => {
    expect(await look(path, contextOf({}, {}, { PATH }))).toMatchObject([{ status }]);
  });

  it('HOME must be there', async () => {
    const { folder } = contextOf();
    expect(await look(home, contextOf({}, {}, { HOME: folder }))).toMatchObject([{ status: 'ok' }]);
    for (const HOME of [undefined, 'x', join(folder, 'none')])
      expect(await look(home, contextOf({}, {}, { HOME }))).toMatchObject([{ status: 'warning' }]);
  });

  it('names what agents do not get, never its value', async () => {
    const [found] = await look(
      inherited,
      contextOf({}, {}, { NODE_OPTIONS: '--secret', GIT_DIR: '/x', PATH: '/bin', AGENT_RUNNER_X: 'y' }),
    );
    expect(found).toMatchObject({ status: 'info', facts: { names: ['AGENT_RUNNER_X', 'GIT_DIR', 'NODE_OPTIONS'] } });
    expect(JSON.stringify(found)).not.toContain('secret');
  });

  it('git and the helpers are missed by name', async () => {
    const { folder } = contextOf();
    expect(await look(git, contextOf({}, {}, { PATH: folder }))).toMatchObject([{ status: 'failed', code: 'AR-GIT-003' }]);
    expect(await look(helpers, { ...contextOf({}, {}, { PATH: folder }), platform: 'linux' })).toMatchObject([
      { status: 'failed', of: 'flock', code: 'AR-LCK-001' },
      { status: 'warning', of: 'mkfifo' },
    ]);
    put(join(folder, 'git'), '#!/bin/sh\necho git version 2.30.2\n', 0o755);
    expect(await look(git, contextOf({}, {}, { PATH: folder }))).toMatchObject([{ status: 'failed', facts: { version: '2.30.2' } }]);
  });
});

describe('the configuration', () => {
  it('every problem and every warning is a line of its own', async () => {
    const context = contextOf({ 'plugins.raw': ['x = 1'] });
    expect(await look(configuration, context)).toMatchObject([
      { status: 'ok' },
      { status: 'warning', code: 'AR-CFG-023', facts: { key: 'plugins.raw' } },
    ]);
    const problem = {
      code: 'AR-CFG-010',
      file: 'f',
      line: 3,
      column: 1,
      key: 'vcs.x',
      message: 'is not a known key',
      remedy: 'r',
    } as const;
    expect(await look(configuration, { ...context, project: null, problems: [problem] })).toEqual([
      {
        status: 'failed',
        summary: 'line 3: vcs.x: is not a known key',
        remedy: 'r',
        code: 'AR-CFG-010',
        facts: { line: 3, column: 1, key: 'vcs.x' },
      },
    ]);
  });

  it('says when migrate can help', async () => {
    const context = contextOf();
    put(context.configPath, '[vcs]\norphan_action = "stash"\n');
    const problem = { code: 'AR-CFG-013', file: 'f', line: 2, column: 1, key: 'vcs.orphan_action', message: 'm', remedy: 'r' } as const;
    expect(await look(configuration, { ...context, project: null, problems: [problem] })).toMatchObject([
      { status: 'failed' },
      { status: 'info', facts: { transforms: ['orphan-action', 'schema-version'] } },
    ]);
  });

  it.each([
    ['same', 'ok'],
    ['pending', 'info'],
    ['suspect', 'warning'],
  ] as const)('in force: %s is %s', async (file, status) => {
    const context = contextOf();
    context.project.inForce = file;
    expect(await look(inForce, context)).toMatchObject([{ status }]);
  });

  it('checks of the project are skipped without a configuration, and nothing throws', async () => {
    const context = { ...contextOf(), project: null };
    const found = await Promise.all([agents, containers, disk, service, stopBudget, phasePlan].map((check) => look(check, context)));
    for (const findings of found) expect(findings).toMatchObject([{ status: 'skipped' }]);
  });
});

describe('agents', () => {
  it('each phase’s program is named with where it lies and who reads it; a missing one fails with its code', async () => {
    const context = contextOf({ phases: ['list = ["build", "check"]'], 'phases.check.agent': ['command = ["nowhere-to-be-found"]'] });
    put(join(context.folder, 'bin', 'claude'), '#!/bin/sh\n', 0o755);
    context.env = { PATH: join(context.folder, 'bin') };
    expect(await look(agents, context)).toMatchObject([
      {
        status: 'warning',
        of: 'base',
        facts: { identity: 'claude', adapter: 'claude' },
        summary: expect.stringContaining('it lies in work_dir'),
      },
      { status: 'failed', of: 'check', code: 'AR-CHK-006' },
    ]);
  });

  it('a link in work_dir to a program elsewhere, and the first word of a prefix', async () => {
    const context = contextOf({ agent: ['exec_prefix = ["env", "A=1"]', 'command = ["claude"]'] });
    expect(await look(agents, context)).toMatchObject([
      { status: 'ok', facts: { identity: 'claude', exec_prefix: true, program: expect.stringMatching(/\/env$/) } },
    ]);
    const linked = contextOf({ agent: ['command = ["./tool"]'] });
    symlinkSync('/bin/sh', join(linked.folder, 'tool'));
    expect(await look(agents, linked)).toMatchObject([{ status: 'ok', facts: { adapter: 'custom' } }]);
  });

  it('an account that is away is named, in the line of its agent and beside the plan', async () => {
    const context = contextOf({ agent: ['command = ["/bin/sh", "{prompt}"]', 'account = "work"'] });
    const until = new Date(context.clock.now() + 3_600_000).toISOString();
    const since = new Date(context.clock.now()).toISOString();
    const throttle = { account: 'work', agent: 'sh', classification: 'rate_limit_account', since, until };
    put(context.project.paths.accounts, { throttles: [throttle], refusals: [{ account: 'work', agent: 'sh', since, next_try: until }] });
    const [agent] = await look(agents, context);
    expect(agent?.summary).toMatch(
      /^sh \(account work\) by .*; throttled until [\d :-]+ \(rate_limit_account\); its login was refused, tried again at/,
    );
    const [plan] = await look(phasePlan, context);
    expect(plan?.summary).toMatch(
      /; this plan leaves out who is away: work is limited until [\d :-]+, work is left alone after a refused login until [\d :-]+$/,
    );
  });

  it('the plan follows the numbers that were used', async () => {
    const context = contextOf({
      phases: ['list = ["build", "check"]'],
      'phases.check': ['round_timeout_s = 60'],
      runtime: ['work_dir = "."', 'log_dir = "logs"', 'fresh_eyes_every_n = 4'],
    });
    put(join(context.project.paths.rounds, 'R3-20260101T000000.log'), '');
    const [found] = await look(phasePlan, context);
    expect(found?.facts?.rounds).toMatchObject([
      { round_num: 4, phase: 'check', round_timeout_s: 60, fresh_eyes: true },
      { round_num: 5, phase: 'build', round_timeout_s: 1800, fresh_eyes: false },
      { round_num: 6, phase: 'check' },
    ]);
  });
});

describe('the plan goes by the schedules', () => {
  /** A Monday, 12:00 in Zurich. */
  const clock = { ...systemClock, now: () => Date.parse('2026-11-30T11:00Z') };
  const planned = async (tables: Record<string, string[]>) => {
    const context = { ...contextOf(tables), clock };
    const [found] = await look(phasePlan, context);
    return { summary: found?.summary, rounds: found?.facts?.rounds as { phase: string | null; earliest_start: string | null }[] };
  };
  const night = { schedule: ['timezone = "Europe/Zurich"', 'run_windows = ["22:00-06:00"]'] };

  it('windows: at the opening, by the wall of the schedule', async () => {
    const { summary, rounds } = await planned(night);
    expect(summary).toMatch(/^1 \S+ from Mon 22:00, 2 \S+ from Mon 22:00, /);
    expect(rounds[0]).toMatchObject({ earliest_start: '2026-11-30T21:00:00.000Z' });
  });

  it('cron: each at a start of its own', async () => {
    const { rounds } = await planned({ schedule: ['timezone = "Europe/Zurich"', 'cron = ["0 13 * * *", "0 22 * * *"]'] });
    expect(rounds.slice(0, 3).map(({ earliest_start }) => earliest_start)).toEqual([
      '2026-11-30T12:00:00.000Z',
      '2026-11-30T21:00:00.000Z',
      '2026-12-01T12:00:00.000Z',
    ]);
  });

  it.each<[string, string[]]>([
    ['wait', ['build 2026-11-30T21:00:00.000Z', 'check 2026-12-01T05:00:00.000Z', 'build 2026-12-01T21:00:00.000Z']],
    ['skip', ['build 2026-11-30T21:00:00.000Z', 'build 2026-11-30T21:00:00.000Z', 'build 2026-11-30T21:00:00.000Z']],
  ])('phases: %s', async (policy, expected) => {
    const phases = ['list = ["build", "check"]', `phase_policy = "${policy}"`];
    const { rounds } = await planned({ ...night, phases, 'phases.check.schedule': ['run_windows = ["06:00-07:00"]'] });
    expect(rounds.slice(0, 3).map(({ phase, earliest_start }) => `${phase} ${earliest_start}`)).toEqual(expected);
  });
});

describe('facts that are handed in', () => {
  const facts: CgroupFacts = {
    version: 'v2',
    path: '/x',
    folder: '/sys/fs/cgroup/x',
    delegated: true,
    controllers: ['memory'],
    memory: { max: 1024 ** 3, high: null, swapMax: null },
  };

  it('control groups', async () => {
    expect(await look(cgroup, contextOf({}, { cgroup: facts }))).toMatchObject([
      { status: 'ok', summary: expect.stringContaining('memory.max 1024 MB') },
    ]);
    expect(await look(cgroup, contextOf({}, { cgroup: { ...facts, delegated: false } }))).toMatchObject([
      { status: 'info', remedy: expect.stringContaining('Delegate') },
    ]);
    expect(await look(cgroup, contextOf({}, { cgroup: { ...facts, version: 'none' } }))).toMatchObject([{ status: 'info' }]);
  });

  it('containers, only where a prefix is used', async () => {
    const found = [{ of: 'base', severity: 'error' as const, code: 'AR-CON-001', message: 'no -i', remedy: 'add it' }];
    const host = { containers: async () => found };
    expect(await look(containers, contextOf({}, host))).toMatchObject([{ status: 'info' }]);
    const changes = { agent: ['exec_prefix = ["docker", "run", "img"]'] };
    expect(await look(containers, contextOf(changes, host))).toEqual([
      { status: 'failed', of: 'base', code: 'AR-CON-001', summary: 'no -i', remedy: 'add it' },
    ]);
  });

  it('guards', async () => {
    const guard = (name: string, current_state: 'active' | 'degraded' | 'off') => ({ name, value: 'v', current_state });
    expect(await look(guards, contextOf({}, { guards: () => [guard('a', 'active'), guard('b', 'off')] }))).toMatchObject([
      { status: 'ok', summary: '1 active; off by configuration: b' },
    ]);
    expect(await look(guards, contextOf({}, { guards: () => [guard('a', 'degraded')] }))).toMatchObject([
      { status: 'warning', summary: '0 active; degraded: a (v)' },
    ]);
  });

  it('the stop budget against compose: enough, too little, not said', async () => {
    const context = contextOf({}, { stopBudgetS: () => 100 });
    expect(await look(stopBudget, context)).toMatchObject([{ status: 'ok', facts: { budget_s: 100 } }]);
    const file = (grace: string) =>
      put(join(context.folder, 'deploy', 'docker-compose.yml'), `services:\n  agent-runner:\n    build: .\n${grace}`);
    file('    stop_grace_period: 100s\n');
    expect(await look(stopBudget, context)).toMatchObject([{ status: 'ok', facts: { given_s: 100, key: 'stop_grace_period' } }]);
    file('    stop_grace_period: 99s\n');
    expect(await look(stopBudget, context)).toMatchObject([{ status: 'failed', remedy: expect.stringContaining('100s') }]);
    file('');
    expect(await look(stopBudget, context)).toMatchObject([
      { status: 'failed', summary: expect.stringContaining('no stop_grace_period'), remedy: expect.stringContaining('init --compose') },
    ]);
  });
});

describe('log_dir and what it holds', () => {
  it('one that will be made, one that is there, one that cannot be', async () => {
    const context = contextOf();
    expect(await look(logDir, context)).toMatchObject([{ status: 'ok', summary: expect.stringContaining('will be made') }]);
    mkdirSync(context.project.paths.logDir);
    expect(await look(logDir, context)).toMatchObject([{ status: 'ok', summary: expect.stringContaining('working locks') }]);
    const inFile = contextOf({ runtime: ['work_dir = "."', 'log_dir = "file/logs"'] });
    put(join(inFile.folder, 'file'), '');
    expect(await look(logDir, inFile)).toMatchObject([{ status: 'failed', code: 'AR-CHK-001' }]);
  });

  it('a dead supervisor’s round, an open question, a pause, an end by a breaker', async () => {
    const context = contextOf();
    const { paths } = context.project;
    expect(await look(inFlight, context)).toMatchObject([{ status: 'ok' }]);
    expect(await look(asked, context)).toMatchObject([{ status: 'ok' }]);
    expect(await look(service, context)).toMatchObject([{ status: 'info' }]);
    put(paths.inFlight, { round_num: 7, round_id: 'id', token: 'id', started_at: '2026-01-01T00:00:00.000Z' });
    put(paths.needsHuman, { entries: [{ reason: 'auth', since: 's', message: 'log in', command: 'agent-runner ack auth' }] });
    put(paths.pause, { until: null, since: '2026-01-01T00:00:00.000Z' });
    put(paths.stopped, { reason: 'crash_loop', exit_code: 75, at: 'a', sentence: '5 crashes', remedy: 'look', log_path: null });
    expect(await look(inFlight, context)).toMatchObject([{ status: 'warning', facts: { round_num: 7 } }]);
    expect(await look(asked, context)).toMatchObject([
      { status: 'warning', of: 'auth', remedy: 'agent-runner ack auth' },
      { status: 'info', of: 'pause' },
    ]);
    expect(await look(service, context)).toMatchObject([{ status: 'warning', remedy: 'look' }]);
    put(paths.stopped, {
      reason: 'auth',
      exit_code: 78,
      at: 'a',
      sentence: 'refused',
      remedy: 'log in, then start serve again',
      log_path: null,
    });
    expect((await look(asked, context))[0]?.remedy).toBe(
      'log in, then start serve again: agent-runner serve (a service: agent-runner start).',
    );
  });

  it('a disk beyond the thresholds, judged as serve judges it', async (test) => {
    const context = contextOf();
    const [first] = await look(disk, context);
    expect(first).toMatchObject({ of: 'log_dir', status: expect.stringMatching(/^(ok|warning|failed)$/) });
    requirePart(test, 'tmpfs');
    const logDir = context.project?.paths.logDir as string;
    await mountTmpfs(logDir, '1m');
    expect(await look(disk, context)).toContainEqual(expect.objectContaining({ of: 'log_dir', status: 'ok' }));
    writeFileSync(join(logDir, 'fill'), Buffer.alloc(1_000_000));
    const full = (await look(disk, context)).find(({ of }) => of === 'log_dir');
    expect(full).toMatchObject({ status: 'failed', summary: expect.stringContaining('no round starts') });
  });
});

it('every check has a name of its own and says what it looks at', () => {
  expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  for (const { name, what } of CHECKS) {
    expect(name).toMatch(/^[a-z][a-z_\d]*$/);
    expect(what).toMatch(/\S/);
  }
});

describe('hooks', () => {
  it('none, fine ones, one that is not there, one where agents write', async () => {
    expect(await look(hooks, contextOf())).toMatchObject([{ status: 'ok', summary: 'none' }]);
    const env = { PATH: '/usr/bin:/bin' };
    const fine = { hooks: ['pre_round = [["/bin/sh", "-c", "true"]]'], notify: ['command = ["cat"]'] };
    expect(await look(hooks, contextOf(fine, {}, env))).toMatchObject([{ status: 'ok', summary: 'sh, cat' }]);

    const odd = {
      hooks: ['serve_start = [["/none/vpn"]]', 'pre_round = [["hooks/a.sh"], ["sh", "hooks/b.sh"]]'],
      notify: ['command = ["no-such-program"]'],
    };
    const context = contextOf(odd, {}, env);
    const workDir = context.project?.loaded.config.runtime.work_dir ?? '';
    put(join(workDir, 'hooks/a.sh'), '#!/bin/sh\n', 0o755);
    put(join(workDir, 'hooks/b.sh'), 'true\n');
    expect((await look(hooks, context)).map(({ status, of, code }) => [status, of, code])).toEqual([
      ['failed', 'vpn', 'AR-HOK-002'],
      ['warning', 'a.sh', 'AR-HOK-003'],
      ['warning', 'b.sh', 'AR-HOK-003'],
      ['warning', 'no-such-program', 'AR-HOK-002'],
    ]);

    const script = {
      notify: ['command = ["sh", "~/none/nothere.sh"]'],
      hooks: ['pre_round = [["env", "python3", "x.py"], ["sh", "x.sh"]]'],
    };
    expect((await look(hooks, contextOf(script, {}, env))).map(({ status, of, summary }) => [status, of, summary])).toEqual([
      ['warning', 'x.sh', expect.stringMatching(/^there is no \/.*\/x\.sh, which sh is to run$/)],
      ['warning', 'nothere.sh', expect.stringMatching(/^there is no \/.*[^~]\/none\/nothere\.sh, which sh is to run$/)],
    ]);
  });
});
