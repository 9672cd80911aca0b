import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GUARDS } from '../../../src/drill/list.ts';
import { contained } from '../../support/contained.ts';
import { requireEngine } from '../../support/engines.ts';

/** Every guard waits for an engine, some for its grace. */
const PATIENCE_MS = 240_000;

it('docker: every guard works behind a container prefix, as another user, and nothing is left', {
  timeout: PATIENCE_MS,
}, async (context) => {
  const engine = requireEngine(context, 'docker');
  const options = ['--rm', '-i', '--init', '-u', '1000:1000', '-e', 'HOME=/tmp'];
  const at = contained(engine, { image: ['agent-runner-test/node:1'], options, command: ['claude'] });
  const before = { tree: readdirSync(at.workDir).sort(), status: at.git('status', '--porcelain') };
  const { code, stdout, stderr } = await at.run(['drill', '--json'], { timeoutMs: PATIENCE_MS });
  const report = JSON.parse(stdout);
  expect(report.guards.filter(({ works }: { works: boolean | null }) => works !== true)).toEqual([]);
  expect(code, stderr).toBe(0);
  expect(report).toMatchObject({ ok: true, exec_prefix: true, cloned: true });
  console.log(`docker: ${GUARDS.length} guards in ${report.duration_s} s`);
  expect({ tree: readdirSync(at.workDir).sort(), status: at.git('status', '--porcelain') }).toEqual(before);
  expect(await at.containers()).toEqual([]);
  expect(existsSync(at.logDir)).toBe(false);
  expect(existsSync(join(at.env.HOME as string, '.local'))).toBe(false);
});

it('docker: an image without Node fails the clean round, and says why', async (context) => {
  const engine = requireEngine(context, 'docker');
  const at = contained(engine);
  const { code, stdout } = await at.run(['drill'], { timeoutMs: 60_000 });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAILS {6}clean round .*container_error.*"node"/);
});

it('docker: doctor names the engine, and every problem of the prefix', async (context) => {
  const engine = requireEngine(context, 'docker');
  const look = async (at: ReturnType<typeof contained>) => {
    const { code, stdout } = await at.run(['doctor', '--json']);
    const checks: { name: string; status: string; code: string | null; summary: string }[] = JSON.parse(stdout).checks;
    return { code, found: checks.filter(({ name }) => name === 'container') };
  };
  const good = await look(contained(engine, { options: ['--rm', '-i', '--init', '-u', '1000:1000'] }));
  expect(good.code).toBe(0);
  expect(good.found).toMatchObject([
    { status: 'ok', summary: expect.stringMatching(/^docker [\d.]+.* answers$/) },
    { status: 'warning', code: 'AR-CON-015' },
  ]);
  const bad = await look(contained(engine, { options: [] }));
  expect(bad.code).toBe(1);
  expect(bad.found.filter(({ status }) => status === 'failed')).toMatchObject([{ code: 'AR-CON-001' }]);
  const gone = contained(engine, { before: ['docker', '-H', 'unix:///nowhere.sock'] });
  expect((await look(gone)).found).toContainEqual(
    expect.objectContaining({ status: 'failed', summary: expect.stringContaining('docker does not answer') }),
  );
});

it('docker: migrate tells what no round could start with, and what only hurts', async (context) => {
  const engine = requireEngine(context, 'docker');
  const at = contained(engine, { verb: ['run', '-d'], options: [] });
  const { code, stdout } = await at.run(['migrate', '--json']);
  const { manual, advice, changed } = JSON.parse(stdout);
  expect({ code, changed }).toEqual({ code: 1, changed: false });
  expect(manual.map(({ id, key, message }: Record<string, string>) => `${id} ${key} ${message}`)).toEqual([
    expect.stringMatching(/^container-prefix agent.exec_prefix .*has no -i/),
    expect.stringMatching(/^container-prefix agent.exec_prefix .*has -d/),
  ]);
  expect(advice.map(({ message }: Record<string, string>) => message)).toContainEqual(expect.stringContaining('no --rm'));
});
