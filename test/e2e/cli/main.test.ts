import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LATER_VERBS, VERBS } from '../../../src/cli/verbs.ts';
import { cli, testProject } from '../../support/cli.ts';
import { testFolder } from '../../support/folder.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

test.each([['--version'], ['peek', '--version'], ['--version', 'nonsense']])('%s %s prints the version', async (...args) => {
  expect(await cli(args)).toEqual({ code: 0, stdout: `agent-runner ${version}\n`, stderr: '' });
});

test('no verb prints the help and exits 1', async () => {
  const { code, stdout, stderr } = await cli([]);
  expect(code).toBe(1);
  expect(stdout).toContain('Usage: agent-runner');
  for (const { name } of VERBS) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  expect(stderr).toBe('');
});

test.each([[['--help']], [['peek', '--help']], [['--help', 'peek']], [['help', 'peek']], [['-h']]])(
  '%j prints help and exits 0',
  async (args) => {
    const { code, stdout, stderr } = await cli(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: agent-runner');
  },
);

test('an unknown verb or flag: one line, a suggestion, exit 2', async () => {
  expect(await cli(['serv'])).toEqual({
    code: 2,
    stdout: '',
    stderr: "agent-runner: unknown verb 'serv'. Did you mean 'serve'? [AR-CLI-001]\n",
  });
  expect((await cli(['peek', '--evnts', '3'])).stderr).toBe(
    "agent-runner: unknown option '--evnts'. Did you mean '--events'? [AR-CLI-002]\n",
  );
});

test('every verb that is promised and not built says so', async () => {
  const one = await cli([LATER_VERBS[0] ?? '']);
  expect(one.code).toBe(2);
  expect(one.stderr).toContain('is not in this version yet');
});

test('--json: errors are JSON too, before or after the verb', async () => {
  const wanted = { error: { code: 'AR-CLI-001', message: "unknown verb 'serv'", remedy: "Did you mean 'serve'?" } };
  for (const args of [
    ['--json', 'serv'],
    ['serv', '--json'],
  ]) {
    const { code, stdout, stderr } = await cli(args);
    expect(JSON.parse(stdout)).toEqual(wanted);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  }
});

test('--config before or after the verb, any file name, any folder', async () => {
  const project = testProject();
  for (const args of [
    ['--config', project.config, 'status', '--json'],
    ['status', '--json', '--config', project.config],
    ['status', `--config=${project.config}`, '--json'],
  ]) {
    const { code, stdout } = await cli(args, { cwd: '/' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ...{ mode: 'none', active: false, pid: null, uptime_s: null, unit_file: null, system_managed: false },
      ...{ unit: null, unit_state: null },
    });
  }
});

test.each(['status', 'start', 'restart', 'uninstall', 'stop', 'kill', 'pause', 'resume', 'wake', 'reload', 'ack'])(
  '%s without a project: one clear message, exit 78',
  async (verb) => {
    const { code, stdout, stderr } = await cli([verb], { cwd: testFolder() });
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(/^agent-runner: \S+agent-runner\.toml: there is no such file \[AR-CLI-005\]\n {2}.*'agent-runner init'.*\n$/);
  },
);

test('AGENT_RUNNER_DEBUG=1 shows the stack, nothing else does', async () => {
  const plain = await cli(['stop'], { cwd: testFolder() });
  const debug = await cli(['stop'], { cwd: testFolder(), env: { AGENT_RUNNER_DEBUG: '1' } });
  expect(plain.stderr).not.toMatch(/^\s+at /m);
  expect(debug.stderr).toMatch(/^\s+at /m);
});

test('field bug 10: a reader that goes away early is no error', async () => {
  const project = testProject();
  for (let n = 0; n < 3; n++) {
    const { code, stderr } = await cli(['peek', '--json'], { cwd: project.folder, closeStdout: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
});

test('HOME unset is no obstacle', async () => {
  const { code, stderr } = await cli(['peek'], { cwd: testProject().folder, env: { HOME: undefined } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
