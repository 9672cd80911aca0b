import { join } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { type Booted, type BootedProject, boot, bootedProject } from '../../support/booted.ts';
import { requirePart } from '../../support/parts.ts';
import { until } from '../../support/wait.ts';

let machine: Booted;
beforeAll(async () => {
  if (process.env.AGENT_RUNNER_TEST_SYSTEMD) machine = await boot();
}, 60_000);
afterAll(() => machine?.remove());

/** A project that is installed as a service of u1 and taken away after the test. */
async function installed(
  context: TestContext,
  name: string,
  options: { held?: boolean; runtime?: string; agent?: string; dropIn?: string } = {},
): Promise<BootedProject> {
  requirePart(context, 'systemd');
  const { dropIn, ...rest } = options;
  const project = await bootedProject(machine, name, rest);
  if (dropIn !== undefined) await addDropIn(project, dropIn);
  context.onTestFinished(async () => {
    await project.cli(['kill']);
    await project.cli(['uninstall']);
  });
  const { code, stderr } = await project.cli(['install']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return project;
}

async function addDropIn({ unit }: BootedProject, text: string): Promise<void> {
  const folder = `/home/u1/.config/systemd/user/${unit}.d`;
  await machine.sh(`mkdir -p '${folder}'; cat >'${folder}/test.conf'; systemctl --user daemon-reload`, { input: `${text}\n` });
}

const state = (project: BootedProject, name = 'ActiveState') => machine.property('user', project.unit, name);
const isState = (project: BootedProject, wanted: string, ms = 20_000) =>
  until(`${project.unit} is ${wanted}`, async () => (await state(project)) === wanted, ms);

test('install: enabled, up, told by peek in every view; the supervisor is in a sub-leaf of a delegated group', async (context) => {
  const project = await installed(context, 'shop', { held: true });
  await project.event('agent_spawn');
  const pid = await project.servePid();
  expect(await project.json(['status'])).toMatchObject({
    mode: 'systemd_user',
    active: true,
    pid,
    unit_file: `/home/u1/.config/systemd/user/${project.unit}`,
    unit: project.unit,
    unit_state: 'active (running)',
    system_managed: false,
  });
  expect(await machine.sh(`systemctl --user is-enabled ${project.unit}`)).toBe('enabled');
  await until('the sentence of peek is the status', async () =>
    (await state(project, 'StatusText')).startsWith('Round 1 has been running'),
  );
  expect(await state(project, 'StatusText')).toContain('nobody is needed');
  expect(await machine.sh(`cat /proc/${pid}/cgroup`)).toMatch(new RegExp(`^0::.*/${project.unit}/supervisor$`, 'm'));
  expect(await state(project, 'NotifyAccess')).toBe('all');
  expect(await state(project, 'TimeoutStopUSec')).toBe('4min 47s');
  // Nobody else than the supervisor may talk to the service manager, or be taken for it.
  const [agent] = await project.agents();
  const environment = await machine.sh(`tr '\\0' '\\n' </proc/${agent}/environ`);
  expect(environment).not.toMatch(/^(NOTIFY_SOCKET|WATCHDOG_)/m);
  expect((await project.cli(['install'])).stdout).toContain('it runs on');
});

test('a round has a control group of its own in the unit: who hides from everything else is ended with it, and it is removed', async (context) => {
  const agent = 'env -i setsid sh -c "trap \'\' TERM; sleep 4711" & cat /proc/self/cgroup; sleep 0.2';
  const project = await installed(context, 'leaf', { agent });
  await project.event('agent_exit');
  await project.event('round_reaped');
  const [reaped] = await project.events('round_reaped');
  expect(reaped).toMatchObject({ survivors: [], leaf: { killed: true, removed: true } });
  expect(reaped?.escaped.map(({ name }: { name: string }) => name)).toContain('sleep');
  expect((await project.events('agent_exit'))[0]).toMatchObject({ outcome: 'ok_leftovers' });
  const [start] = await project.events('round_start');
  const unified = (await machine.read(join(project.logDir, 'round-current.log'))).split('\n').find((line) => line.startsWith('0::'));
  expect(unified).toMatch(new RegExp(`/${project.unit}/round-`));
  expect(await machine.sh(`find /sys/fs/cgroup -type d -name 'round-${start?.round_id}'`)).toBe('');
  const guards = JSON.parse(await machine.read(join(project.logDir, 'state/defenses.json'))) as { name: string; current_state: string }[];
  expect(guards.find(({ name }) => name === 'control group')).toMatchObject({ current_state: 'active' });
});

test('scar 62, field bug 19: stop lets the round finish, says so after five seconds, and leaves an empty control group', async (context) => {
  const project = await installed(context, 'drains', { held: true });
  await project.event('agent_spawn');
  const begun = performance.now();
  const stop = await project.cli(['stop']);
  expect(performance.now() - begun).toBeLessThan(8_000);
  expect(stop).toMatchObject({ code: 0, stderr: expect.stringContaining('draining: serve') });
  expect(await state(project)).toBe('deactivating');
  expect(await project.agents()).toHaveLength(1);
  expect(await project.json(['status'])).toMatchObject({ active: true, unit_state: 'deactivating (stop-sigterm)' });
  await project.release();
  await isState(project, 'inactive');
  expect((await project.events('agent_exit')).map(({ outcome }) => outcome)).toEqual(['ok']);
  expect(await state(project, 'Result')).toBe('success');
  expect(await project.agents()).toEqual([]);
  expect(await machine.sh(`find /sys/fs/cgroup -type d -name '${project.unit}'`)).toBe('');
  expect(await project.json(['status'])).toMatchObject({ mode: 'systemd_user', active: false, pid: null, unit_state: 'inactive (dead)' });
  // An idle one stops at once, and starts again by our own verb.
  expect((await project.cli(['start'])).stderr).toContain(`${project.unit} is started`);
});

test('restart while a round drains: it finishes, then systemd starts serve again by itself', async (context) => {
  const project = await installed(context, 'again', { held: true });
  await project.event('agent_spawn');
  const pid = await project.servePid();
  expect(await project.cli(['restart'])).toMatchObject({ code: 0, stderr: expect.stringContaining('starts again by itself') });
  expect(await project.agents()).toHaveLength(1);
  await project.release();
  await until('a new serve', async () => ![0, pid].includes(await project.servePid()), 20_000);
  await isState(project, 'active');
  expect((await project.events('agent_exit'))[0]).toMatchObject({ outcome: 'ok' });
  expect((await project.events('serve_stopped'))[0]).toMatchObject({ reason: 'signal', exit_code: 0 });
});

test('kill and restart --force end the round at once; the unit is not left failed', async (context) => {
  const project = await installed(context, 'force', { held: true });
  await project.event('agent_spawn');
  const pid = await project.servePid();
  expect(await project.cli(['restart', '--force'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('the round in flight was ended'),
  });
  expect(await project.servePid()).not.toBe(pid);
  await project.event('agent_spawn', 2);
  expect(await project.agents()).toHaveLength(1);
  expect((await project.cli(['kill'])).code).toBe(0);
  expect(await project.agents()).toEqual([]);
  expect(await state(project)).toBe('inactive');
  // Nothing starts it behind our back.
  await machine.sh('sleep 4');
  expect(await state(project)).toBe('inactive');
});

test('kill -9 of serve: systemd ends its agent and starts the next one, which begins where the round was lost', async (context) => {
  const project = await installed(context, 'crash', { held: true });
  await project.event('agent_spawn');
  const [agent] = await project.agents();
  await machine.sh(`kill -9 ${await project.servePid()}`);
  await project.event('agent_spawn', 2);
  expect(await project.agents()).toHaveLength(1);
  expect(await project.agents()).not.toContain(agent);
  expect(await state(project, 'NRestarts')).toBe('1');
  expect(await project.events('round_recovered')).toHaveLength(1);
});

test('a frozen supervisor is killed by the watchdog and comes back without a second agent', async (context) => {
  const project = await installed(context, 'frozen', { held: true, dropIn: '[Service]\nWatchdogSec=3' });
  await project.event('agent_spawn');
  // It is alive all the while.
  await machine.sh('sleep 5');
  expect(await state(project, 'NRestarts')).toBe('0');
  const [agent] = await project.agents();
  const begun = performance.now();
  await machine.sh(`kill -STOP ${await project.servePid()}`);
  await until('systemd has started it again', async () => (await state(project, 'NRestarts')) === '1', 20_000);
  expect(performance.now() - begun).toBeLessThan(10_000);
  await project.event('agent_spawn', 2);
  const agents = await project.agents();
  expect(agents).toHaveLength(1);
  expect(agents).not.toContain(agent);
});

test.for([
  [70, false],
  [75, false],
  [78, false],
  [71, true],
  [1, true],
] as const)('scar 9: exit code %i, restarted: %s', async ([code, restarted], context) => {
  requirePart(context, 'systemd');
  const project = await bootedProject(machine, `exits-${code}`);
  context.onTestFinished(async () => {
    await project.cli(['kill']);
    await project.cli(['uninstall']);
  });
  // The policy of the real unit, with a program that ends so.
  await addDropIn(project, `[Service]\nRestartSec=100ms\nExecStart=\nExecStart=/bin/sh -c "systemd-notify --ready; sleep 1; exit ${code}"`);
  await project.cli(['install']);
  if (restarted) {
    await until('it is started again', async () => Number(await state(project, 'NRestarts')) >= 1);
  } else {
    await isState(project, 'failed');
    await machine.sh('sleep 2');
    expect(await state(project, 'NRestarts')).toBe('0');
    expect(await project.json(['status'])).toMatchObject({ active: false, unit_state: `failed (exit-code ${code})` });
  }
});

test('a configuration that is broken for good is told by install and start, and not tried again', async (context) => {
  const project = await installed(context, 'broken');
  await project.cli(['stop']);
  await machine.sh('mv prompts/main.md prompts/moved.md', { cwd: project.folder });
  const start = await project.cli(['start']);
  expect(start).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-009]') });
  expect(start.stderr).toContain('it ended with exit code 78');
  expect(await state(project)).toBe('failed');
  await machine.sh('mv prompts/moved.md prompts/main.md', { cwd: project.folder });
  expect(await project.cli(['start'])).toMatchObject({ code: 0 });
});

test('five starts in five minutes are the limit; a person may start it all the same', async (context) => {
  const project = await installed(context, 'limit', { held: true, dropIn: '[Service]\nRestartSec=100ms' });
  for (let i = 0; i < 5; i++) {
    await until('it is up', async () => (await state(project)) === 'active' && (await project.servePid()) > 0);
    await machine.sh(`kill -9 ${await project.servePid()}`);
  }
  await isState(project, 'failed');
  expect(await machine.sh(`journalctl -q _UID=1000 -o cat`, { user: 'root' })).toContain(
    `${project.unit}: Start request repeated too quickly.`,
  );
  expect(await project.agents()).toEqual([]);
  expect(await project.cli(['start'])).toMatchObject({ code: 0 });
  expect(await state(project)).toBe('active');
});

test('systemctl reload has a changed configuration adopted between two rounds; the unit is active all the while', async (context) => {
  const project = await installed(context, 'reload');
  await project.event('round_end');
  await project.cli(['pause']);
  await until('it is paused', async () => (await project.json(['peek'])).state === 'paused');
  await machine.sh(`sed -i 's/round_timeout_s = 60/round_timeout_s = 61/' ${project.config}; git commit -qam longer`, {
    cwd: project.folder,
  });
  await machine.sh(`systemctl --user reload ${project.unit}`);
  await project.cli(['resume']);
  await project.event('config_reloaded');
  expect((await project.events('config_reloaded'))[0]?.keys).toEqual(['runtime.round_timeout_s']);
  await isState(project, 'active');
});

test('uninstall waits for nobody and cuts nobody short: while a round drains the unit stays', async (context) => {
  const project = await installed(context, 'gone', { held: true });
  await project.event('agent_spawn');
  const file = `/home/u1/.config/systemd/user/${project.unit}`;
  expect(await project.cli(['uninstall'])).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-013]') });
  expect(await machine.sh(`systemctl --user is-enabled ${project.unit} || true`)).toBe('disabled');
  expect(await machine.sh(`test -e ${file} && echo there`)).toBe('there');
  await project.release();
  await isState(project, 'inactive');
  expect((await project.events('agent_exit'))[0]).toMatchObject({ outcome: 'ok' });
  expect(await project.cli(['uninstall'])).toMatchObject({ code: 0 });
  expect(await machine.sh(`test -e ${file} || echo gone`)).toBe('gone');
  expect(await project.json(['status'])).toMatchObject({ mode: 'none', active: false });
  expect(await project.cli(['uninstall'])).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-008]') });
  expect(await project.cli(['restart'])).toMatchObject({ code: 1, stderr: expect.stringContaining('[AR-SVC-011]') });
});

test('an odd name: spaces, quotes, percent and dollar signs reach serve as they are', async (context) => {
  requirePart(context, 'systemd');
  const name = 'my "best" 50% of $HOME';
  const project = await bootedProject(machine, name, { held: true });
  const unit = 'agent-runner@my\\x20\\x22best\\x22\\x2050\\x25\\x20of\\x20\\x24HOME.service';
  context.onTestFinished(async () => {
    await project.cli(['kill']);
    await project.cli(['uninstall']);
  });
  expect(await project.cli(['install'])).toMatchObject({ code: 0, stderr: '' });
  await project.event('agent_spawn');
  expect(await project.json(['status'])).toMatchObject({ mode: 'systemd_user', unit, active: true });
  expect(await machine.property('user', unit, 'WorkingDirectory')).toBe(`!${project.folder}`);
  const pid = await machine.property('user', unit, 'MainPID');
  expect(await machine.sh(`tr '\\0' '\\n' </proc/${pid}/cmdline | tail -1`)).toBe(project.config);
});

test('secrets come from the environment file of the project', async (context) => {
  requirePart(context, 'systemd');
  const project = await bootedProject(machine, 'secret', { held: true });
  context.onTestFinished(async () => {
    await project.cli(['kill']);
    await project.cli(['uninstall']);
  });
  const file = '/home/u1/.config/agent-runner/secret.env';
  await machine.sh(`mkdir -p "$(dirname ${file})"; echo 'SHOP_API_KEY=abc def' >${file}; chmod 644 ${file}`);
  expect((await project.cli(['install'])).stderr).toContain(`${file} can be read by others: chmod 600 '${file}'`);
  await project.event('agent_spawn');
  const [agent] = await project.agents();
  expect(await machine.sh(`tr '\\0' '\\n' </proc/${agent}/environ`)).toContain('SHOP_API_KEY=abc def');
  expect(await machine.sh(`systemctl --user show ${project.unit}`)).not.toContain('abc def');
});
