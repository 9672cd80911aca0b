import { expect, type TestContext, test } from 'vitest';
import { type Booted, type BootedProject, boot, bootedProject } from '../../support/booted.ts';
import { requirePart } from '../../support/parts.ts';
import { until } from '../../support/wait.ts';

async function bootFor(context: TestContext): Promise<Booted> {
  requirePart(context, 'systemd');
  const machine = await boot();
  context.onTestFinished(() => machine.remove());
  return machine;
}

/** The round was ended on request, by the supervisor itself, and everything is written down. */
async function endedInOrder(project: BootedProject): Promise<void> {
  expect((await project.events('agent_exit')).map(({ outcome }) => outcome)).toEqual(['stopped']);
  expect((await project.events('serve_stopped')).map(({ reason, exit_code }) => ({ reason, exit_code }))).toEqual([
    { reason: 'signal', exit_code: 0 },
  ]);
}

test('the machine goes down: a user service ends its round at once, in order', async (context) => {
  const machine = await bootFor(context);
  const project = await bootedProject(machine, 'down', { held: true });
  await project.cli(['install']);
  await project.event('agent_spawn');
  expect(await machine.shutDown(60)).toBeLessThan(15_000);
  await endedInOrder(project);
});

test('the machine goes down: a system service does the same', async (context) => {
  const machine = await bootFor(context);
  const project = await bootedProject(machine, 'down', { held: true });
  const sudo = { user: 'root', env: { SUDO_USER: 'u1' } } as const;
  await project.cli(['install', '--system'], sudo);
  await project.cli(['start'], sudo);
  await project.event('agent_spawn');
  expect(await machine.shutDown(60)).toBeLessThan(15_000);
  await endedInOrder(project);
});

test("the user's own manager goes down alone (the last logout without lingering): the same", async (context) => {
  const machine = await bootFor(context);
  const project = await bootedProject(machine, 'logout', { held: true });
  await project.cli(['install']);
  await project.event('agent_spawn');
  const begun = performance.now();
  await machine.sh('systemctl stop user@1000.service', { user: 'root' });
  expect(performance.now() - begun).toBeLessThan(15_000);
  await until('its end is written', async () => (await project.events('serve_stopped')).length === 1);
  await endedInOrder(project);
});

test('at boot an enabled service starts by itself, for a user who lingers', async (context) => {
  const machine = await bootFor(context);
  const project = await bootedProject(machine, 'boot', { held: true });
  await project.cli(['install']);
  await project.event('agent_spawn');
  await machine.sh('systemctl stop user@1000.service', { user: 'root' });
  await machine.sh('systemctl start user@1000.service', { user: 'root' });
  await project.event('agent_spawn', 2);
  expect(await project.json(['status'])).toMatchObject({ mode: 'systemd_user', active: true });
});
