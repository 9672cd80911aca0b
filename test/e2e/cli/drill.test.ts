import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GUARDS } from '../../../src/drill/list.ts';
import { type Project, project } from '../../support/project.ts';
import { until } from '../../support/wait.ts';

/** Longer than a drill on a busy machine. */
const PATIENCE_MS = 150_000;

/** Everything that could tell that somebody was here. */
function traces(it: Project) {
  return {
    logs: existsSync(it.logDir) ? readdirSync(it.logDir) : null,
    tree: readdirSync(it.workDir).sort(),
    config: readFileSync(it.config, 'utf8'),
    status: it.git('status', '--porcelain'),
    stashes: it.git('stash', 'list'),
    head: it.git('rev-parse', 'HEAD'),
    refs: it.git('for-each-ref'),
  };
}

it('every guard works here, in a clone; nothing of the project is changed, nothing is left', { timeout: PATIENCE_MS }, async () => {
  const it = project({ agent: 'touch "$(dirname "$0")/started"' });
  it.write('half-done.txt', 'somebody’s work');
  const before = traces(it);
  const { code, stdout } = await it.run(['drill', '--json'], { timeoutMs: PATIENCE_MS });
  const report = JSON.parse(stdout);
  expect(report.guards.filter(({ works }: { works: boolean | null }) => works !== true)).toEqual([]);
  expect(code).toBe(0);
  expect(report).toMatchObject({
    schema_version: '1.0',
    ok: true,
    interrupted: false,
    exec_prefix: false,
    cloned: true,
    duration_s: expect.any(Number),
  });
  expect(report.guards.map(({ name }: { name: string }) => name)).toEqual(GUARDS.map(({ name }) => name));
  expect(traces(it)).toEqual(before);
  expect(existsSync(join(it.folder, 'started'))).toBe(false);
  expect(it.agents()).toEqual([]);
});

it('where a round does not work at all, it says so and tries nothing else', async () => {
  const it = project({ agentTable: { exec_prefix: ['env', 'PATH=/nowhere'] } });
  const before = traces(it);
  const { code, stdout } = await it.run(['drill'], { timeoutMs: 60_000 });
  expect(code).toBe(1);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^FAILS {6}clean round .*exit 1\).*node/);
  expect(lines.filter((line) => line.startsWith('not tried'))).toHaveLength(GUARDS.length - 1);
  expect(lines.at(-1)).toContain(`0 of ${GUARDS.length} guards work behind your exec_prefix`);
  expect(traces(it)).toEqual(before);
});

it('interrupted in the middle, it ends what runs and removes what it made', async () => {
  const it = project({ agentTable: { exec_prefix: ['nice'] } });
  const before = traces(it);
  const running = it.start(['drill']);
  await until('the hanging agent is at work', () => it.agents().length > 0 && running.stdout().includes('crash'), 60_000);
  running.child.kill('SIGINT');
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/^works {6}clean round/);
  expect(stdout).toContain('not tried');
  expect(traces(it)).toEqual(before);
  expect(it.agents()).toEqual([]);
});

it('is refused inside a round, and where nothing can be made', async () => {
  const it = project({ logs: '../file/logs' });
  const inside = { AGENT_RUNNER_ROUND_ID: 'x', AGENT_RUNNER_LOG_DIR: it.logDir };
  expect(await it.run(['drill'], { env: inside })).toMatchObject({ code: 1, stderr: expect.stringContaining('AR-CLI-004') });
  it.write('../file', '');
  expect(await it.run(['drill'])).toMatchObject({ code: 76, stderr: expect.stringContaining('AR-DRL-001') });
});
