import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../../../src/process/command.ts';
import { HELD } from '../../support/fake-agents.ts';
import { project } from '../../support/project.ts';
import { builtPackage, npmEnvironment, startRegistry, VERSION } from '../../support/registry.ts';

it('replaces itself while it runs, tells it in the event log, and undoes what does not come up', async () => {
  const it = project();
  mkdirSync(it.logDir, { recursive: true });
  const broken = builtPackage('9.0.1', (name, text) => (name.startsWith('dist/peek') ? `throw new Error('torn');\n${text}` : text));
  const registry = await startRegistry([builtPackage(VERSION), builtPackage('9.0.0'), broken]);
  const npm = npmEnvironment(it.env.HOME as string, registry.url);
  const prefix = join(it.folder, 'prefix');
  // Not synchronously: the registry answers from this very process.
  const command = (argv: [string, ...string[]]) =>
    runCommand(argv, { cwd: it.workDir, env: { ...npm, AGENT_RUNNER_UPGRADE_SOURCE: 'agent-runner' }, timeoutMs: 60_000 });
  await command(['npm', 'install', '--global', '--prefix', prefix, `agent-runner@${VERSION}`]);
  const run = (...args: string[]) => command([join(prefix, 'bin', 'agent-runner'), ...args]);
  expect((await run('--version')).stdout).toBe(`agent-runner ${VERSION}\n`);

  const up = await run('upgrade', '--target', '9.0.0', '--json');
  expect(up.code, up.stdout).toBe(0);
  expect(JSON.parse(up.stdout)).toMatchObject({ result: 'upgraded', from_version: VERSION, to_version: '9.0.0', restarted: false });
  expect((await run('--version')).stdout).toBe('agent-runner 9.0.0\n');

  const down = await run('upgrade', '--target', '9.0.1');
  expect(down).toMatchObject({ code: 1, stdout: expect.stringContaining('9.0.1 did not come up: peek --json ended with exit 1') });
  expect((await run('--version')).stdout).toBe('agent-runner 9.0.0\n');
  expect(JSON.parse((await run('peek', '--json')).stdout)).toMatchObject({ schema_version: '1.11' });
  expect(it.events().map(({ event }) => event)).toEqual(['package_upgraded', 'service_upgrade_rolled_back']);

  it.setAgent(HELD);
  const serve = it.start(['serve', '--once']);
  await it.event('agent_spawn');
  expect(await run('upgrade', '--target', VERSION)).toMatchObject({ code: 1, stderr: expect.stringContaining('AR-UPG-010') });
  expect((await run('--version')).stdout).toBe('agent-runner 9.0.0\n');
  it.release();
  await serve.ended;
});

it('says how to name a source when nobody has, and that a checkout is none of npm’s', async () => {
  const it = project();
  const none = await it.run(['upgrade']);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('AGENT_RUNNER_UPGRADE_SOURCE') });
  expect(none.stderr).toContain('AR-UPG-001');
  expect(await it.run(['upgrade', '--target', './x.tgz'])).toMatchObject({ code: 1, stderr: expect.stringContaining('AR-UPG-003') });
});
