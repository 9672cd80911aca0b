import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { type Booted, type BootedProject, boot, bootedProject, type RunOptions } from '../../support/booted.ts';
import { requirePart } from '../../support/parts.ts';
import { until } from '../../support/wait.ts';

let machine: Booted;
beforeAll(async () => {
  if (process.env.AGENT_RUNNER_TEST_SYSTEMD) machine = await boot();
}, 60_000);
afterAll(() => machine?.remove());

/** As `sudo agent-runner` of u1. */
const SUDO: RunOptions = { user: 'root', env: { SUDO_USER: 'u1' } };
const ROOT: RunOptions = { user: 'root' };

async function projectOf(context: TestContext, name: string, options: { held?: boolean; runtime?: string } = {}): Promise<BootedProject> {
  requirePart(context, 'systemd');
  const project = await bootedProject(machine, name, options);
  context.onTestFinished(async () => {
    for (const as of [SUDO, {}]) {
      await project.cli(['kill'], as);
      await project.cli(['uninstall'], as);
    }
  });
  return project;
}

const state = (project: BootedProject, name = 'ActiveState') => machine.property('system', project.unit, name);

test('a system service: enabled and left to root to start; runs as the user who called sudo, steered by root', async (context) => {
  const project = await projectOf(context, 'system', { held: true });
  expect(await project.cli(['install', '--system'])).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-005]') });
  const install = await project.cli(['install', '--system'], SUDO);
  expect(install).toMatchObject({ code: 0, stderr: '' });
  expect(install.stdout).toContain("enabled; 'sudo agent-runner start' starts it now");
  expect(await state(project)).toBe('inactive');
  expect(await machine.sh(`systemctl is-enabled ${project.unit}`, ROOT)).toBe('enabled');
  expect(await project.json(['status'])).toMatchObject({ mode: 'systemd_system', active: false, system_managed: true });

  expect((await project.cli(['start'], SUDO)).stderr).toContain('is started');
  await project.event('agent_spawn');
  const pid = await project.servePid('system');
  expect(await machine.sh(`ps -o user= -p ${pid}`, ROOT)).toBe('u1');
  expect(await project.json(['status'])).toMatchObject({
    mode: 'systemd_system',
    active: true,
    pid,
    unit_file: `/etc/systemd/system/${project.unit}`,
  });
  expect(await machine.sh(`cat /proc/${pid}/cgroup`, ROOT)).toMatch(new RegExp(`^0::.*/system.slice/.*${project.unit}/supervisor$`, 'm'));
  expect((await machine.sh(`ls -ld "$(dirname ${project.logDir}/x)"`, ROOT)).includes(' u1 ')).toBe(true);

  for (const verb of ['stop', 'restart', 'uninstall']) {
    expect(await project.cli([verb]), verb).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-005]') });
  }
  expect(await project.cli(['install'])).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-003]') });
  const stop = project.cli(['stop'], SUDO);
  await until('it drains', async () => (await state(project)) === 'deactivating');
  await project.release();
  expect((await stop).stderr).toMatch(/stopped \(\d\.\ds\)/);
  expect((await project.events('agent_exit')).map(({ outcome }) => outcome)).toEqual(['ok']);
  expect(await state(project)).toBe('inactive');
  expect(await project.cli(['uninstall'], SUDO)).toMatchObject({ code: 0 });
  expect(await machine.sh(`systemctl show -p LoadState --value ${project.unit}`, ROOT)).toBe('not-found');
});

test('a system service that crashes comes back without its old agent', async (context) => {
  const project = await projectOf(context, 'system-crash', { held: true });
  await project.cli(['install', '--system'], SUDO);
  await project.cli(['start'], SUDO);
  await project.event('agent_spawn');
  const [agent] = await project.agents();
  await machine.sh(`kill -9 ${await project.servePid('system')}`, ROOT);
  await project.event('agent_spawn', 2);
  expect(await project.agents()).toHaveLength(1);
  expect(await project.agents()).not.toContain(agent);
  expect((await project.cli(['kill'], SUDO)).code).toBe(0);
  expect(await project.agents()).toEqual([]);
  expect(await state(project)).toBe('inactive');
});

test('a system service is never run as root: without SUDO_USER the owner of work_dir is taken, and root is refused', async (context) => {
  const project = await projectOf(context, 'owned');
  expect((await project.cli(['install', '--system'], ROOT)).code).toBe(0);
  expect(await state(project, 'User')).toBe('u1');
  await machine.sh(`chown -R root ${project.folder}`, ROOT);
  const refused = await project.cli(['install', '--system'], { ...ROOT, env: { SUDO_USER: 'root' } });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-006]') });
  await machine.sh(`chown -R u1 ${project.folder}`, ROOT);
});

test('field bug 20: without lingering install refuses and names the fix; --force goes on and says so', async (context) => {
  const project = await projectOf(context, 'linger');
  const config = project.config;
  await machine.sh('chmod -R a+rX /home/u1; git config --system --add safe.directory "*"', ROOT);
  const asU2 = (args: string[]) => project.cli([...args, '--config', config], { user: 'u2' });
  // Nobody of u2 is logged in: no manager at all.
  expect(await asU2(['install'])).toMatchObject({ code: 1, stderr: expect.stringMatching(/\[AR-SVC-001\]\n.*enable-linger/) });
  await machine.sh('systemctl start user@1001.service', ROOT);
  expect(await asU2(['install'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/\[AR-SVC-002\]\n {2}sudo loginctl enable-linger u2\n/),
  });
  expect(await machine.sh('ls /home/u2/.config/systemd/user 2>/dev/null | wc -l', ROOT)).toBe('0');
  const forced = await asU2(['install', '--force']);
  expect(forced.stderr).toContain('warning: lingering is off for u2');
  expect(await machine.sh('ls /home/u2/.config/systemd/user', ROOT)).toContain(project.unit);
  await machine.sh('systemctl stop user@1001.service', ROOT);
});

test('su without a login: XDG_RUNTIME_DIR is missing, and found', async (context) => {
  const project = await projectOf(context, 'su');
  expect(await project.cli(['install'], { env: { XDG_RUNTIME_DIR: '' } })).toMatchObject({ code: 0 });
  expect(await project.json(['status'], { env: { XDG_RUNTIME_DIR: '' } })).toMatchObject({ active: true, unit_state: 'active (running)' });
});

test("root is told that a user service is that user's own", async (context) => {
  const project = await projectOf(context, 'theirs', { held: true });
  await project.cli(['install']);
  await project.event('agent_spawn');
  for (const verb of ['stop', 'kill', 'restart', 'uninstall']) {
    expect(await project.cli([verb], ROOT), verb).toMatchObject({ code: 1, stderr: expect.stringMatching(/\(uid 1000\) \[AR-SVC-014\]/) });
  }
  expect(await project.json(['status'], ROOT)).toMatchObject({ mode: 'systemd_user', active: true });
  expect(await project.agents()).toHaveLength(1);
});

test('a unit of the same name that is not ours is not overwritten, unless a person says so', async (context) => {
  const project = await projectOf(context, 'foreign');
  const file = `/home/u1/.config/systemd/user/${project.unit}`;
  await machine.sh(`mkdir -p "$(dirname ${file})"; printf '[Service]\\nExecStart=/bin/true\\n' >${file}`);
  expect(await project.cli(['install'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not written by agent-runner [AR-SVC-003]'),
  });
  expect(await machine.sh(`cat ${file}`)).toBe('[Service]\nExecStart=/bin/true');
  expect(await project.json(['status'])).toMatchObject({ mode: 'none', unit_file: null });
  expect(await project.cli(['install', '--force'])).toMatchObject({ code: 0 });
  // Another project whose folder has the same name.
  const other = `/home/u1/other/foreign`;
  await machine.sh(`mkdir -p /home/u1/other; cp -r ${project.folder} ${other}`);
  const refused = await project.cli(['install', '--config', `${other}/agent-runner.toml`]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`is the unit of ${project.config} [AR-SVC-003]`) });
});

test('serve that runs outside keeps install and start away', async (context) => {
  const project = await projectOf(context, 'outside', { held: true });
  expect(await project.cli(['start'])).toMatchObject({ code: 0, stderr: expect.stringContaining('serve runs detached') });
  expect(await project.cli(['install'])).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-004]') });
  expect(await project.json(['status'])).toMatchObject({ mode: 'pid_file', active: true });
  expect((await project.cli(['kill'])).code).toBe(0);
  expect(await project.cli(['install'])).toMatchObject({ code: 0 });
});

test('scar 11: a drop-in that leaves a round less time than it needs is told before anything starts', async (context) => {
  const project = await projectOf(context, 'patience');
  const folder = `/home/u1/.config/systemd/user/${project.unit}.d`;
  await machine.sh(`mkdir -p ${folder}; printf '[Service]\\nTimeoutStopSec=30\\n' >${folder}/short.conf`);
  const refused = await project.cli(['install']);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('sets TimeoutStopSec to 30 s; a graceful stop may take 287 s [AR-SVC-012]'),
  });
  expect(await machine.property('user', project.unit, 'ActiveState')).toBe('inactive');
  await machine.sh(`rm -r ${folder}`);
  expect(await project.cli(['install'])).toMatchObject({ code: 0 });
});

test('scar 65: a project whose folder has a line break in its name is refused before a unit is written', async (context) => {
  const project = await projectOf(context, 'plain');
  const evil = '/home/u1/evil\nExecStartPre=touch pwned';
  await machine.run(['cp', '-r', project.folder, evil]);
  const refused = await project.cli(['install', '--config', `${evil}/agent-runner.toml`]);
  expect(refused.code).toBe(78);
  expect(refused.stderr).toMatch(/\[AR-(SVC-010|CFG-\d+)\]/);
});
