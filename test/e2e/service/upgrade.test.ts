import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Booted, type BootedProject, boot, bootedProject } from '../../support/booted.ts';
import { requirePart } from '../../support/parts.ts';
import { builtPackage, tarballOf, VERSION } from '../../support/registry.ts';
import { until } from '../../support/wait.ts';

let machine: Booted;
beforeAll(async () => {
  if (process.env.AGENT_RUNNER_TEST_SYSTEMD) machine = await boot();
}, 60_000);
afterAll(() => machine?.remove());

const copy = (from: string, to: string) => execFileSync('docker', ['cp', from, `${machine.name}:${to}`], { stdio: 'ignore' });
const PROGRAM = '/home/u1/prefix/lib/node_modules/agent-runner/dist/main.js';

/** This machine's npm, and this program installed by it for u1. */
async function installByNpm(): Promise<void> {
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  copy(dirname(dirname(realpathSync(npm))), '/usr/local/lib/npm');
  await machine.sh(
    'printf \'#!/bin/sh\\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\\n\' >/usr/local/bin/npm; chmod 755 /usr/local/bin/npm; chmod -R a+rX /usr/local/lib/npm',
    { user: 'root' },
  );
  copy(tarballOf(builtPackage(VERSION)), '/srv/base.tgz');
  copy(tarballOf(builtPackage('9.0.0')), '/srv/next.tgz');
  const broken = builtPackage('9.0.1', (path, text) => (path.startsWith('dist/serve-') ? `process.exit(3);\n${text}` : text));
  copy(tarballOf(broken), '/srv/broken.tgz');
  await machine.sh('chmod a+r /srv/*.tgz', { user: 'root' });
  await machine.sh('mkdir prefix; npm install --global --prefix /home/u1/prefix --no-audit --no-fund /srv/base.tgz', {
    cwd: '/home/u1',
    timeoutMs: 120_000,
  });
}

const cli = (project: BootedProject, ...args: string[]) =>
  machine.run(['node', PROGRAM, ...args], { cwd: project.folder, timeoutMs: 120_000 });
const started = async (project: BootedProject) => (await project.events('serve_started')).map(({ version }) => version);

test('upgrade: the service is stopped, replaced and started; one that does not come up is undone, and the old one runs again', {
  timeout: 300_000,
}, async (context) => {
  requirePart(context, 'systemd');
  await installByNpm();
  const project = await bootedProject(machine, 'shop');
  context.onTestFinished(async () => {
    await cli(project, 'kill');
    await cli(project, 'uninstall');
  });
  expect((await cli(project, 'install')).code).toBe(0);
  await project.event('serve_started');

  const up = await cli(project, 'upgrade', '--target', '/srv/next.tgz', '--json');
  expect(up.code, up.stdout + up.stderr).toBe(0);
  expect(JSON.parse(up.stdout)).toMatchObject({
    result: 'upgraded',
    from_version: VERSION,
    to_version: '9.0.0',
    restarted: true,
    restart_command: null,
  });
  await until('the new version serves', async () => (await started(project)).at(-1) === '9.0.0', 20_000);
  expect(await machine.property('user', project.unit, 'ActiveState')).toBe('active');
  expect(await project.events('service_upgraded')).toMatchObject([{ from_version: VERSION, to_version: '9.0.0' }]);

  const down = await cli(project, 'upgrade', '--target', '/srv/broken.tgz');
  expect(down).toMatchObject({ code: 1, stdout: expect.stringContaining('9.0.0 is back and runs again') });
  expect(down.stdout).toContain('did not come up');
  expect(await machine.property('user', project.unit, 'ActiveState')).toBe('active');
  await until('the old version serves again', async () => (await started(project)).length === 3, 20_000);
  expect(await started(project)).toEqual([VERSION, '9.0.0', '9.0.0']);
  expect(await project.events('service_upgrade_rolled_back')).toMatchObject([{ attempted_version: '9.0.1', restored_version: '9.0.0' }]);
  console.log(`upgrade took ${JSON.parse(up.stdout).duration_s} s`);

  const report = JSON.parse((await cli(project, 'doctor', '--json')).stdout);
  const named = (name: string) => report.checks.filter((check: { name: string }) => check.name === name);
  expect(named('service')).toMatchObject([{ status: 'ok', facts: { mode: 'systemd_user', unit_state: 'active (running)' } }]);
  expect(named('linger')).toMatchObject([{ status: 'ok' }]);
  expect(named('stop_budget')).toMatchObject([{ status: 'ok', facts: { key: 'TimeoutStopSec' } }]);
  await machine.sh(`sed -i 's/^TimeoutStopSec=.*/TimeoutStopSec=5/' /home/u1/.config/systemd/user/${project.unit}`);
  const short = JSON.parse((await cli(project, 'doctor', '--json')).stdout);
  expect(short.checks.find((check: { name: string }) => check.name === 'stop_budget')).toMatchObject({
    status: 'failed',
    facts: { given_s: 5 },
  });
});

test('upgrade waits for the round that runs', { timeout: 200_000 }, async (context) => {
  requirePart(context, 'systemd');
  await machine.sh('rm -rf /home/u1/prefix', {});
  await installByNpm();
  const project = await bootedProject(machine, 'drains', { held: true });
  context.onTestFinished(async () => {
    await cli(project, 'kill');
    await cli(project, 'uninstall');
  });
  await cli(project, 'install');
  await project.event('agent_spawn');
  const upgrading = cli(project, 'upgrade', '--target', '/srv/next.tgz');
  await until('the service drains', async () => (await machine.property('user', project.unit, 'ActiveState')) === 'deactivating', 60_000);
  expect(await project.agents()).not.toEqual([]);
  await project.release();
  expect(await upgrading).toMatchObject({ code: 0, stdout: expect.stringContaining('the service runs again') });
  expect((await project.events('agent_exit'))[0]).toMatchObject({ outcome: 'ok' });
});
