import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../src/process/command.ts';
import { layout } from '../../../src/state/layout.ts';
import { cli, type TestProject, testProject } from '../../support/cli.ts';
import { type Script, startScript } from '../../support/node.ts';
import { requirePart } from '../../support/parts.ts';
import { mountTmpfs } from '../../support/tmpfs.ts';
import { until } from '../../support/wait.ts';

async function fakeServe(project: TestProject, manner: 'stop' | 'drain' | 'stubborn'): Promise<Script> {
  const serve = startScript('fake-serve.ts', project.logDir, manner);
  await until('fake serve is ready', () => serve.output().includes('ready'));
  return serve;
}

/** A process that carries the token of round `token` in its environment, in a session of its own. */
function memberOf(token: string): number {
  const child = spawn('sleep', ['300'], { env: { ...process.env, AGENT_RUNNER_ROUND_ID: token }, detached: true, stdio: 'ignore' });
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  return pid;
}

const alive = (pid: number) => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
const inFlight = (token: string, more: object = {}) => ({
  round_num: 12,
  round_id: token,
  token,
  owner: 'o',
  started_at: new Date().toISOString(),
  container: null,
  ...more,
});
const events = (project: TestProject) => {
  const name = `events-${new Date().toISOString().slice(0, 7)}.jsonl`;
  const text = existsSync(join(project.logDir, name)) ? readFileSync(join(project.logDir, name), 'utf8') : '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

test('stop: the two lines of the predecessor, then it is gone', async () => {
  const project = testProject();
  const serve = await fakeServe(project, 'stop');
  const { code, stdout, stderr } = await cli(['stop'], { cwd: project.folder });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/^agent-runner: stopping service\.\.\.\nagent-runner: stopped \(\d+\.\ds\)\n$/);
  expect(await serve.ended).toBe(0);
  expect((await cli(['stop'], { cwd: project.folder })).stderr).toBe('agent-runner: serve is not running: nothing to stop\n');
});

test('scar 62: stop does not wait for a drain, it reports it after 5 s', async () => {
  const project = testProject();
  const serve = await fakeServe(project, 'drain');
  project.write('round-in-flight.json', inFlight('t'));
  const since = performance.now();
  const { code, stdout, stderr } = await cli(['stop', '--json'], { cwd: project.folder });
  expect(performance.now() - since).toBeLessThan(9_000);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ result: 'draining', pid: serve.child.pid, round_num: 12 });
  expect(stderr).toContain(`draining: serve (pid ${serve.child.pid}) stops when round 12 has ended; 'agent-runner kill' ends it now`);
});

test('scar 64 and field bug 15: a recycled pid is never signalled', async () => {
  const project = testProject();
  const stranger = spawn('sleep', ['300'], { stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  for (const record of [
    { pid: stranger.pid, create_time: 1000 },
    { pid: stranger.pid, create_time: 1000, start_ticks: 5, boot_id: 'other boot' },
    { pid: stranger.pid },
    { pid: true, create_time: 1 },
    { pid: 1, create_time: 1 },
    { pid: -1, create_time: 1 },
  ]) {
    project.write('serve.pid', record);
    for (const verb of ['stop', 'kill', 'reload', 'wake']) await cli([verb], { cwd: project.folder });
    expect(alive(stranger.pid ?? 0)).toBe(true);
    expect(JSON.parse((await cli(['status', '--json'], { cwd: project.folder })).stdout)).toMatchObject({ active: false, pid: null });
  }
});

test('kill: the second TERM ends a drain', async () => {
  const project = testProject();
  const serve = await fakeServe(project, 'drain');
  const { code, stderr } = await cli(['kill'], { cwd: project.folder });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /ending everything now \(pid \d+\)\.\.\.\nagent-runner: serve \(pid \d+\) ended its round and stopped \(\d+\.\ds\)\n$/,
  );
  expect(await serve.ended).toBe(0);
  expect(serve.output()).toContain('SIGTERM 2');
});

test('kill: what ignores TERM is killed, and what lives of its round is ended from outside', async () => {
  const project = testProject();
  const serve = await fakeServe(project, 'stubborn');
  const kill = cli(['kill', '--json'], { cwd: project.folder });
  const { code, stdout } = await kill;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ supervisor: { kind: 'serve', pid: serve.child.pid, killed: true }, recovered: null });
  expect(await serve.ended).toBe('SIGKILL');
  expect(existsSync(layout(project.logDir).servePid)).toBe(false);
  const { stdout: view } = await cli(['peek', '--json'], { cwd: project.folder });
  expect(JSON.parse(view)).toMatchObject({ state: 'stopped', needs_human: null });
});

test('kill after serve died: what is left of its round is ended, and a round_recovered is written', async () => {
  const project = testProject();
  const token = 'a-token-of-the-test';
  const pid = memberOf(token);
  project.write('status.json', { round_num: 12, running: true });
  project.write('serve.pid', { pid: 999_999_999, create_time: 1 });
  project.write('round-in-flight.json', inFlight(token));
  const { code, stderr } = await cli(['kill'], { cwd: project.folder });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'agent-runner: serve had died before; its pid file has been removed\nagent-runner: what was left of round 12 has been ended; none survived\n',
  });
  await until('the member is gone', () => !alive(pid));
  expect(existsSync(layout(project.logDir).inFlight)).toBe(false);
  expect(events(project)).toContainEqual(expect.objectContaining({ event: 'round_recovered', round_num: 12 }));
  expect(JSON.parse((await cli(['peek', '--json'], { cwd: project.folder })).stdout)).toMatchObject({ state: 'stopped' });
});

test('kill with nothing to kill says so and writes nothing', async () => {
  const project = testProject();
  expect(await cli(['kill'], { cwd: project.folder })).toEqual({
    code: 0,
    stdout: '',
    stderr: 'agent-runner: nothing is running here, and nothing was left over\n',
  });
  expect(existsSync(layout(project.logDir).stopped)).toBe(false);
});

test('status', async () => {
  const project = testProject();
  const serve = await fakeServe(project, 'stop');
  const { code, stdout } = await cli(['status'], { cwd: project.folder });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    new RegExp(`^mode: +pid_file\nactive: +yes \\(pid ${serve.child.pid}, up for \\d+ s\\)\nunit file: +none\nsystem managed: no\n$`),
  );
});

test('pause and resume leave their word, their event, and need no running serve', async () => {
  const project = testProject();
  expect((await cli(['pause', '--until', '2h30m'], { cwd: project.folder })).stderr).toMatch(
    /^agent-runner: paused until .*serve is not running now and will wait when it starts\n$/,
  );
  const paused = JSON.parse(readFileSync(layout(project.logDir).pause, 'utf8'));
  expect(Date.parse(paused.until) - Date.parse(paused.since)).toBe(9_000_000);
  expect((await cli(['resume'], { cwd: project.folder })).stderr).toBe('agent-runner: the pause is over\n');
  expect((await cli(['resume'], { cwd: project.folder })).stderr).toBe('agent-runner: there is no pause to end\n');
  expect(existsSync(layout(project.logDir).pause)).toBe(false);
  expect(events(project).map(({ event }) => event)).toEqual(['pause_started', 'pause_ended']);
  const wrong = await cli(['pause', '--until', 'soon'], { cwd: project.folder });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(/^agent-runner: --until "soon" is neither a duration nor a time\. .*\[AR-CLI-010\]\n$/);
});

test('wake and reload speak to serve, and say when there is none', async () => {
  const project = testProject();
  for (const verb of ['wake', 'reload']) {
    const { code, stderr } = await cli([verb], { cwd: project.folder });
    expect(code).toBe(1);
    expect(stderr).toContain('[AR-CLI-006]');
  }
  const serve = await fakeServe(project, 'stop');
  project.write('state/wait.json', { reason: 'throttled', until: null, since: '2026-11-29T11:00:00.000Z', source: 's', sentence: 'w' });
  expect((await cli(['wake'], { cwd: project.folder })).stderr).toBe('agent-runner: the wait (throttled) is ended\n');
  expect(existsSync(layout(project.logDir).wake)).toBe(true);
  expect((await cli(['reload'], { cwd: project.folder })).code).toBe(0);
  await until('serve was told', () => serve.output().includes('SIGHUP'));
});

test('ack answers a reason, lists the open ones, and knows a wrong one', async () => {
  const project = testProject();
  const need = (reason: string) => ({
    reason,
    since: '2026-11-29T11:00:00.000Z',
    message: `see to ${reason}`,
    command: `agent-runner ack ${reason}`,
  });
  project.write('state/needs-human.json', { entries: [need('auth'), need('config'), need('survivors')] });
  expect((await cli(['ack'], { cwd: project.folder })).stdout).toBe(
    'auth: see to auth\nconfig: see to config\nsurvivors: see to survivors\n',
  );
  const wrong = await cli(['ack', 'atuh'], { cwd: project.folder });
  expect(wrong).toEqual({
    code: 2,
    stdout: '',
    stderr: "agent-runner: 'atuh' is not asked of a person now. open are: auth, config, survivors [AR-CLI-009]\n",
  });

  const serve = await fakeServe(project, 'stop');
  const auth = await cli(['ack', 'auth', '--json'], { cwd: project.folder });
  expect(JSON.parse(auth.stdout)).toEqual({ acknowledged: ['auth'], open: ['config', 'survivors'], told: true });
  await cli(['ack', 'config'], { cwd: project.folder });
  await until('serve was told', () => serve.output().includes('SIGHUP'));
  expect((await cli(['ack', 'all'], { cwd: project.folder })).code).toBe(0);
  expect(JSON.parse(readFileSync(layout(project.logDir).needsHuman, 'utf8'))).toEqual({ entries: [] });
  expect(events(project).map(({ reason }) => reason)).toEqual(['auth', 'config', 'survivors']);
  expect(JSON.parse((await cli(['peek', '--json'], { cwd: project.folder })).stdout).needs_human).toBeNull();
});

test.each(['stop', 'kill', 'pause', 'resume', 'wake', 'reload', 'ack'])(
  '%s is refused inside a round of the same log_dir',
  async (verb) => {
    const project = testProject();
    const inside = { AGENT_RUNNER_ROUND_ID: 'r', AGENT_RUNNER_LOG_DIR: `${project.logDir}/.` };
    const { code, stdout, stderr } = await cli([verb], { cwd: project.folder, env: inside });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^agent-runner: '${verb}' is refused inside a round: .* \\[AR-CLI-004\\]\n`));
  },
);

test('inside a round peek and status answer, and another project can be steered', async () => {
  const project = testProject();
  const inside = { AGENT_RUNNER_ROUND_ID: 'r', AGENT_RUNNER_LOG_DIR: project.logDir };
  for (const verb of ['peek', 'status']) expect((await cli([verb], { cwd: project.folder, env: inside })).code).toBe(0);
  expect((await cli(['stop'], { cwd: testProject().folder, env: inside })).code).toBe(0);
});

test('a read-only log_dir: peek and status answer, every verb that must write says why it cannot', async (context) => {
  requirePart(context, 'tmpfs');
  const project = testProject();
  await mountTmpfs(project.logDir, '1m');
  const need = { reason: 'auth', since: '2026-11-29T11:00:00.000Z', message: 'm', command: 'agent-runner ack auth' };
  project.write('state/needs-human.json', { entries: [need] });
  project.write('state/pause.json', { until: null, since: '2026-11-29T11:00:00.000Z' });
  project.write('round-in-flight.json', inFlight('t'));
  const serve = await fakeServe(project, 'stop');
  await runCommand(['mount', '-o', 'remount,ro', project.logDir]);

  for (const verb of ['peek', 'status']) expect((await cli([verb], { cwd: project.folder })).code).toBe(0);
  for (const args of [['pause'], ['resume'], ['wake'], ['ack', 'auth'], ['ack', 'config']]) {
    const { code, stderr } = await cli(args, { cwd: project.folder });
    expect.soft(code, args.join(' ')).toBe(76);
    expect
      .soft(stderr, args.join(' '))
      .toMatch(/^agent-runner: \S+ cannot be (written|changed): EROFS \[AR-(STA-001|CLI-008)\]\n {2}\S.*\n$/);
  }
  expect((await cli(['reload'], { cwd: project.folder })).code).toBe(0);
  expect((await cli(['stop'], { cwd: project.folder })).code).toBe(0);
  await serve.ended;
  const kill = await cli(['kill'], { cwd: project.folder });
  expect(kill.code).toBe(76);
  expect(kill.stderr).toMatch(/^agent-runner: .*EROFS.* \[AR-\w+-\d+\]\n/);
});

test('stop works while the configuration is broken', async () => {
  const project = testProject();
  const serve = await fakeServe(project, 'stop');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(project.config, '[runtime]\nwork_dir = "."\nlog_dir = "logs"\n[agent\n');
  const { code, stderr } = await cli(['stop'], { cwd: project.folder });
  expect(code).toBe(0);
  expect(stderr).toContain('going by its log_dir line');
  expect(await serve.ended).toBe(0);
});
