import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CRASHES } from '../support/fake-agents.ts';
import { type Project, project, type Running } from '../support/project.ts';
import { until } from '../support/wait.ts';

const FAST = { restart_delay_s: 1 };
const env = { AGENT_RUNNER_RESTART_COMMAND: 'docker-compose restart agent-runner' };

async function untilParked(at: Project, serve: Running, timeoutMs = 60_000): Promise<void> {
  await until('serve is parked', () => serve.stderr().includes('parked:') && at.has('serve.pid'), timeoutMs);
}

it('a crash loop parks: up, idle, unhealthy, with the reason and the command; SIGTERM ends it with 0; a restart clears it', async () => {
  const at = project({ agent: CRASHES, runtime: FAST });
  const serve = at.start(['serve', '--park'], { env });
  await untilParked(at, serve);
  expect(at.events('crash_loop')).toMatchObject([{ consecutive: 5, exit_code: 75 }]);
  expect(at.events('serve_stopped')).toMatchObject([{ reason: 'crash_loop', exit_code: 75 }]);
  expect(at.events('serve_parked')).toMatchObject([{ reason: 'crash_loop', exit_code: 75, command: env.AGENT_RUNNER_RESTART_COMMAND }]);

  const check = await at.run(['peek', '--check']);
  expect(check.code).toBe(1);
  expect(check.stdout).toMatch(
    new RegExp(
      `^Parked: serve \\(pid ${serve.pid}\\) stays up and starts no round, stopped for good just now by crash_loop \\(exit 75\\): the agent failed 5 times .*; ` +
        'a person is needed: read the log of the last round, mend the cause, then start serve again: `docker-compose restart agent-runner`\\.\n$',
    ),
  );
  const view = JSON.parse((await at.run(['peek', '--json'])).stdout);
  expect(view).toMatchObject({ state: 'parked', healthy: false, until: null, service: { active: true, pid: serve.pid } });
  expect(JSON.parse((await at.run(['status', '--json'])).stdout)).toMatchObject({ active: true, pid: serve.pid });
  // Its lock is still held: nobody starts beside it.
  expect((await at.run(['serve', '--once'])).stderr).toContain('AR-SRV-001');
  const rounds = at.events('round_start').length;

  serve.child.kill('SIGTERM');
  expect(await serve.ended).toMatchObject({ code: 0, signal: null });
  expect(at.has('serve.pid')).toBe(false);
  expect((await at.run(['peek', '--check'])).stdout).toContain('Stopped for good');

  const again = at.start(['serve', '--park'], { env });
  await until('the next round has started', () => at.events('round_start').length > rounds);
  expect((await at.run(['peek', '--json'])).stdout).not.toContain('"parked"');
  // A deliberate stop: the streaks begin anew, so one more crash does not stop it at once.
  await until('that round is counted', () => at.json('state/streaks.json') !== null);
  expect(at.json('state/streaks.json')).toMatchObject({ crash: 1 });
  again.child.kill('SIGTERM');
  expect((await again.ended).code).toBe(0);
}, 120_000);

it('without --park the same ends with 75; a clean end is never parked', async () => {
  const at = project({ agent: CRASHES, runtime: FAST });
  expect((await at.run(['serve'], { timeoutMs: 60_000 })).code).toBe(75);
  expect(at.events('serve_parked')).toEqual([]);
  at.setAgent('cat >/dev/null; echo done > $AGENT_RUNNER_LOG_DIR/.agent-done; echo hello');
  expect((await at.run(['serve', '--park'])).code).toBe(0);
  expect((await at.run(['serve', '--park', '--max-rounds', '1'])).code).toBe(0);
}, 90_000);

it('a check that fails for good at start parks with 78', async () => {
  const at = project();
  rmSync(join(at.workDir, 'prompts/main.md'));
  const serve = at.start(['serve', '--park'], { env });
  await untilParked(at, serve);
  const { code, stdout } = await at.run(['peek', '--check']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Parked: .* by config_broken \(exit 78\): prompt file \S+ does not exist \[AR-CHK-004\]/);
  expect(stdout).toContain('`docker-compose restart agent-runner`');
  expect((await at.run(['stop'])).stderr).toContain('stopped');
  expect((await serve.ended).code).toBe(0);
});

it.each([
  [
    'that still tells log_dir',
    'colour = 1\n',
    /^Parked: .* by config_broken \(exit 78\): .*agent\.colour: is not a known key; a person is needed: mend that/,
  ],
  ['that nobody can read', '', /^Nothing can be told: /],
])('a configuration %s parks with 78 before serve has begun', async (_name, line, sentence) => {
  const at = project();
  if (line === '') writeFileSync(at.config, '= = =\n');
  else at.edit('[agent]\n', `[agent]\n${line}`);
  const serve = at.start(['serve', '--park']);
  await until('serve is parked', () => serve.stderr().includes('parked:'));
  expect(serve.stderr()).toContain('AR-CFG-');
  const { code, stdout } = await at.run(['peek', '--check']);
  expect(code).toBe(1);
  expect(stdout).toMatch(sentence);
  serve.child.kill('SIGTERM');
  expect(await serve.ended).toMatchObject({ code: 0, signal: null });
});

it('SIGKILL of a parked serve leaves no healthy face', async () => {
  const at = project();
  rmSync(join(at.workDir, 'prompts/main.md'));
  const serve = at.start(['serve', '--park']);
  await untilParked(at, serve);
  serve.child.kill('SIGKILL');
  await serve.ended;
  const { code, stdout } = await at.run(['peek', '--check']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Stopped for good /);
});
