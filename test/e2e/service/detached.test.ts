import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HELD } from '../../support/fake-agents.ts';
import { type Project, project } from '../../support/project.ts';
import { until } from '../../support/wait.ts';

/** Without a service manager, whatever the machine has. */
const NO_SYSTEMD = { XDG_RUNTIME_DIR: '/nowhere', DBUS_SESSION_BUS_ADDRESS: '' };

/** What runs detached is nobody's child: the test ends it by our own verb. */
function detachable(options: Parameters<typeof project>[0] = {}): Project {
  const it = project(options);
  onTestFinished(() => it.run(['kill'], { env: NO_SYSTEMD }).then(() => {}));
  return it;
}

const json = async (it: Project, ...args: string[]) => JSON.parse((await it.run([...args, '--json'], { env: NO_SYSTEMD })).stdout);

test('start without a unit: serve runs detached, outlives the terminal, writes serve.log, and says that nothing restarts it', async () => {
  const it = detachable({ agent: HELD });
  const start = await it.run(['start'], { env: NO_SYSTEMD });
  expect(start).toMatchObject({ code: 0, stderr: expect.stringContaining("'agent-runner install' makes it a service") });
  await it.event('agent_spawn');
  const status = await json(it, 'status');
  expect(status).toMatchObject({ mode: 'pid_file', active: true, unit_file: null, unit: null, unit_state: null, system_managed: false });
  // A session of its own: no hang-up of our terminal reaches it.
  const fields = readFileSync(`/proc/${status.pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  expect(Number(fields[3])).toBe(status.pid);
  expect(readFileSync(join(it.logDir, 'serve.log'), 'utf8')).toContain('guards on this host');

  const again = await it.run(['start'], { env: NO_SYSTEMD });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`serve is running already (pid ${status.pid})`) });
  expect(again.stderr).toContain('[AR-SVC-004]');

  it.release();
  const stop = await it.run(['stop'], { env: NO_SYSTEMD });
  expect(stop.stderr).toMatch(/stopped \(\d\.\ds\)|draining/);
  await until('it has gone', async () => !(await json(it, 'status')).active);
});

test('scar 63: restart is refused before anything is stopped', async () => {
  const it = detachable({ agent: HELD });
  expect(await it.run(['restart'], { env: NO_SYSTEMD })).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-011]') });
  await it.run(['start'], { env: NO_SYSTEMD });
  await it.event('agent_spawn');
  const { pid } = await json(it, 'status');
  for (const flags of [[], ['--force']]) {
    const restart = await it.run(['restart', ...flags], { env: NO_SYSTEMD });
    expect(restart).toMatchObject({ code: 1, stderr: expect.stringContaining('would stop it for good [AR-SVC-011]') });
  }
  expect(await json(it, 'status')).toMatchObject({ active: true, pid });
  expect((await it.run(['kill'], { env: NO_SYSTEMD })).code).toBe(0);
  expect(it.agents()).toEqual([]);
});

test('a serve that does not come up is told with its last words', async () => {
  const it = project();
  it.edit('file = "prompts/main.md"', 'file = "prompts/none.md"');
  const start = await it.run(['start'], { env: NO_SYSTEMD });
  expect(start).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-009]') });
  expect(start.stderr).toContain('exit code 78');
  expect(start.stderr).toContain('prompts/none.md');
  expect(start.stderr).toContain('serve.log');
});

test('install without a service manager says what to do instead; uninstall has nothing to take away', async () => {
  const it = project();
  const install = await it.run(['install'], { env: NO_SYSTEMD });
  expect(install).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-001]') });
  expect(install.stderr).toContain('agent-runner start');
  expect(await it.run(['uninstall'], { env: NO_SYSTEMD })).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-008]') });
});

test.for(['install', 'uninstall', 'start', 'restart'])('%s is refused inside a round', async (verb) => {
  const it = project();
  const inside = await it.run([verb], { env: { ...NO_SYSTEMD, AGENT_RUNNER_ROUND_ID: 'x', AGENT_RUNNER_LOG_DIR: it.logDir } });
  expect(inside.code).not.toBe(0);
  expect(inside.stderr).toContain('[AR-CLI-004]');
});
