import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { kill, type Project, project } from '../../support/project.ts';

interface Check {
  name: string;
  of: string | null;
  status: string;
  summary: string;
  remedy: string | null;
  code: string | null;
  facts: Record<string, unknown>;
}

async function doctor(it: Project, ...args: string[]) {
  const { code, stdout, stderr } = await it.run(['doctor', '--json', ...args]);
  const report = JSON.parse(stdout);
  return {
    code,
    stderr,
    report,
    failed: (report.checks as Check[]).filter(({ status }) => status === 'failed'),
    named: (name: string) => (report.checks as Check[]).filter((check) => check.name === name),
  };
}

/** Every path below the folder with its time of change; git's own index may be refreshed. */
function snapshot(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/.git/'))
    .map((path) => `${path} ${statSync(path).isDirectory() ? 'folder' : statSync(path).mtimeMs}`)
    .sort();
}

it('a project in order: nothing fails, nothing is written, no agent is started, the report has its documented shape', async () => {
  const it = project({ agent: 'touch "$(dirname "$0")/started"', more: '[phases]\nlist = ["build", "check"]\n' });
  const before = snapshot(it.folder);
  const { code, report, failed, stderr } = await doctor(it, '--rounds', '5');
  expect({ code, failed, stderr }).toEqual({ code: 0, failed: [], stderr: '' });
  expect(snapshot(it.folder)).toEqual(before);
  expect(report).toMatchObject({
    schema_version: '1.0',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    checked_at: expect.stringMatching(/Z$/),
    config_path: it.config,
    project: 'work',
    ok: true,
    counts: { failed: 0, ok: expect.any(Number), info: expect.any(Number), warning: expect.any(Number), skipped: expect.any(Number) },
  });
  expect(report.phase_plan.map((round: { round_num: number; phase: string }) => `${round.round_num} ${round.phase}`)).toEqual([
    '1 build',
    '2 check',
    '3 build',
    '4 check',
    '5 build',
  ]);
  for (const check of report.checks as Check[]) {
    expect(Object.keys(check)).toEqual(['name', 'of', 'status', 'summary', 'remedy', 'code', 'facts']);
    expect(check.summary).not.toContain('\n');
  }
});

it('people get one line a check, with the remedy, and a sum', async () => {
  const it = project();
  rmSync(join(it.workDir, 'prompts'), { recursive: true });
  const { code, stdout } = await it.run(['doctor']);
  expect(code).toBe(1);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('FAILED'))).toEqual([
    expect.stringMatching(/^FAILED {3}prompt {9}.*\[AR-CHK-004\] -> create it/),
  ]);
  expect(lines.at(-1)).toMatch(/^1 check\(s\) FAILED/);
});

it('a configuration with problems: all of them, and the checks that need none are made all the same', async () => {
  const it = project({ vcs: { dirty_action: 'commit' }, more: '[goal]\nledger = "x"\n' });
  const { code, report, named } = await doctor(it);
  expect(code).toBe(1);
  expect(report).toMatchObject({ ok: false, project: null, phase_plan: null });
  expect(named('configuration').map(({ status, code: own }) => `${status} ${own}`)).toEqual([
    'failed AR-CFG-011',
    'failed AR-CFG-013',
    'info null',
  ]);
  expect(named('git')).toMatchObject([{ status: 'ok' }]);
  expect(named('agent')).toMatchObject([{ status: 'skipped' }]);
  expect((await it.run(['doctor'])).stdout).toContain("'agent-runner migrate' can do 2 thing(s)");
  expect((await it.run(['doctor', '--config', 'none.toml'])).code).toBe(1);
});

it.each([
  [
    'git does not know who the user is',
    (it: Project) => writeFileSync(join(it.env.HOME as string, '.gitconfig'), '[user]\nuseConfigOnly = true\n'),
    'git_identity',
    null,
  ],
  ['the agent is gone', (it: Project) => rmSync(join(it.folder, 'agent.sh')), 'agent', 'AR-CHK-006'],
  ['work_dir is no repository any more', (it: Project) => rmSync(join(it.workDir, '.git'), { recursive: true }), 'work_dir', 'AR-CHK-003'],
  ['the prompt is too short', (it: Project) => it.write('prompts/main.md', 'do it'), 'prompt', 'AR-CHK-005'],
] as const)('fails when %s', async (_, breakIt, name, code) => {
  const it = project();
  breakIt(it);
  const result = await doctor(it);
  expect(result.code).toBe(1);
  expect(result.failed).toMatchObject([{ name, code, remedy: expect.stringMatching(/\S/) }]);
});

it('an env file and credentials that others may read', async () => {
  const it = project({ agentTable: { env_file: '../agent.env' } });
  const file = join(it.folder, 'agent.env');
  writeFileSync(file, 'KEY=a-secret-value\n', { mode: 0o644 });
  mkdirSync(join(it.env.HOME as string, '.codex'));
  const login = join(it.env.HOME as string, '.codex', 'auth.json');
  writeFileSync(login, '{}', { mode: 0o640 });
  const loose = await doctor(it);
  expect(loose.failed).toMatchObject([{ name: 'env_file', code: 'AR-CFG-031' }]);
  expect(loose.named('credentials')).toMatchObject([
    { status: 'warning', of: login, remedy: `chmod 600 '${login}'`, facts: { mode: '640' } },
  ]);
  expect(JSON.stringify(loose.report)).not.toContain('a-secret-value');
  for (const path of [file, login]) chmodSync(path, 0o600);
  const strict = await doctor(it);
  expect({ code: strict.code, credentials: strict.named('credentials')[0]?.status }).toEqual({ code: 0, credentials: 'ok' });
});

it('finds a process of an earlier round, and not itself', async () => {
  const it = project();
  mkdirSync(it.logDir, { recursive: true });
  const env = { ...it.env, AGENT_RUNNER_LOG_DIR: it.logDir };
  const left = spawn('sleep', ['60'], { env, detached: true, stdio: 'ignore' });
  onTestFinished(() => kill(left.pid as number));
  const { code, named } = await doctor(it);
  expect(code).toBe(0);
  expect(named('leftovers')).toMatchObject([
    { status: 'warning', remedy: `kill ${left.pid}`, facts: { processes: [{ pid: left.pid, name: 'sleep' }] } },
  ]);
  const inside = await it.run(['doctor', '--json'], { env: { AGENT_RUNNER_LOG_DIR: it.logDir } });
  expect((JSON.parse(inside.stdout).checks as Check[]).find(({ name }) => name === 'leftovers')).toMatchObject({
    facts: { processes: [{ pid: left.pid }] },
  });
});

it('while serve runs, and after a change of the file', async () => {
  const it = project({
    vcs: { dirty_action: 'ignore' },
    agent: 'cat >/dev/null; while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.1; done; echo "{\\"type\\":\\"result\\",\\"is_error\\":false}"',
  });
  const serve = it.start(['serve', '--once']);
  await it.event('agent_spawn');
  const during = await doctor(it);
  expect(during.named('service')).toMatchObject([{ status: 'ok', facts: { active: true, pid: serve.pid } }]);
  expect(during.named('in_flight')).toMatchObject([{ status: 'info', facts: { round_num: 1 } }]);
  expect(during.named('leftovers')).toMatchObject([{ status: 'info' }]);
  it.edit('restart_delay_s = 1', 'restart_delay_s = 2');
  it.release();
  await serve.ended;
  const after = await doctor(it);
  expect(after.named('in_force')).toMatchObject([{ status: 'warning', remedy: expect.stringContaining('ack config') }]);
  expect(readFileSync(it.config, 'utf8')).toContain('restart_delay_s = 2');
});
