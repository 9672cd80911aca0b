import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CRASHES, HELD, held, refused, says, WELL } from '../support/fake-agents.ts';
import { onlooker } from '../support/onlooker.ts';
import { type Project, project } from '../support/project.ts';
import { until } from '../support/wait.ts';

/** Nobody is left, and no file says that somebody is there. */
function expectNothingLeft(at: Project): void {
  expect(at.agents()).toEqual([]);
  for (const name of ['serve.pid', 'serve.lock.holder', 'agent-runner.lock.holder', 'round-in-flight.json']) {
    expect(at.has(name), name).toBe(false);
  }
}

describe('stopping serve', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'scar 3: %s lets the round in flight finish, exits 0 and starts no further one',
    async (signal) => {
      const at = project({ agent: HELD });
      const serve = await held(at, ['serve']);
      expect(serve.stderr()).toContain('round 1 starts');
      serve.child.kill(signal);
      await until('serve says that it drains', () => serve.stderr().includes('draining'));
      expect(at.agents().length).toBeGreaterThan(0);
      at.release();
      expect(await serve.ended).toMatchObject({ code: 0 });
      expect(at.outcomes()).toEqual(['ok']);
      expect(at.events('round_start')).toHaveLength(1);
      expect(at.events('serve_stopped')).toMatchObject([{ reason: 'signal', exit_code: 0, rounds_completed: 1 }]);
      expectNothingLeft(at);
    },
  );

  it('a second SIGTERM ends the round in flight at once by the ladder', async () => {
    const at = project({ agent: HELD, runtime: { round_timeout_s: 60 } });
    const serve = await held(at, ['serve']);
    serve.child.kill('SIGTERM');
    await until('serve drains', () => serve.stderr().includes('draining'));
    serve.child.kill('SIGTERM');
    expect(await serve.ended).toMatchObject({ code: 0 });
    expect(at.outcomes()).toEqual(['stopped']);
    const [receipt] = at.events('round_reaped');
    expect(receipt?.signalled.length).toBeGreaterThan(0);
    expect(receipt?.survivors).toEqual([]);
    expectNothingLeft(at);
  });

  it('SIGTERM during a wait stops at once', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 600 } });
    const serve = at.start(['serve']);
    await at.event('wait_started');
    serve.child.kill('SIGTERM');
    expect((await serve.ended).code).toBe(0);
    expect(at.events('wait_ended')).toMatchObject([{ reason: 'restart_delay', ended_by: 'stopped' }]);
    expectNothingLeft(at);
  });

  it('SIGTERM in the first moments, before any round, stops too', async () => {
    const at = project({ agent: HELD });
    const serve = at.start(['serve']);
    await until('serve has its lock', () => at.has('serve.lock.holder'));
    serve.child.kill('SIGTERM');
    at.release();
    expect((await serve.ended).code).toBe(0);
    expect(at.events('round_start').length).toBeLessThanOrEqual(1);
    expectNothingLeft(at);
  });
});

describe('a long pause', () => {
  it('is one line in the log, however often serve looks again', async () => {
    const at = project({ agent: WELL });
    await at.run(['serve', '--once']);
    await at.run(['pause']);
    const serve = at.start(['serve']);
    await at.event('wait_started');
    for (const times of [1, 2, 3]) {
      await at.run(['reload']);
      await until('serve has looked again', () => serve.stderr().split('reload asked for').length === times + 1);
    }
    expect((await at.run(['stop'])).code).toBe(0);
    await serve.ended;
    expect(serve.stderr().split('paused by a person').length - 1).toBe(1);
  });
});

describe('stop, kill and status', () => {
  it('status names the serve that is up; stop lets its round finish and says that it drains, however often it is said', async () => {
    const at = project({ agent: HELD });
    expect(JSON.parse((await at.run(['status', '--json'])).stdout)).toMatchObject({ mode: 'none', active: false, pid: null });
    const serve = await held(at, ['serve']);
    expect(JSON.parse((await at.run(['status', '--json'])).stdout)).toMatchObject({ mode: 'pid_file', active: true, pid: serve.pid });

    const stop = await at.run(['stop', '--json']);
    expect(JSON.parse(stop.stdout)).toMatchObject({ result: 'draining', pid: serve.pid, round_num: 1 });
    expect(stop.code).toBe(0);
    expect((await at.run(['peek', '--check'])).stdout).toMatch(/^Draining: round 1 /);
    expect(JSON.parse((await at.run(['stop', '--json'])).stdout)).toMatchObject({ result: 'draining', pid: serve.pid, round_num: 1 });
    expect(at.agents().length).toBeGreaterThan(0);
    at.release();
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expectNothingLeft(at);
  });

  it('stop ends an idle serve within moments', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 600 } });
    const serve = at.start(['serve']);
    await at.event('wait_started');
    const { stderr } = await at.run(['stop']);
    expect(stderr).toMatch(/stopping service\.\.\.\n.*stopped \(\d\.\ds\)/);
    expect((await serve.ended).code).toBe(0);
  });

  it('scar 13, reference case 7: kill ends the round in flight and serve by a double TERM, an agent that ignores TERM included', async () => {
    const at = project({ agent: `trap "" TERM; ${HELD}`, runtime: { round_timeout_s: 60 } });
    const serve = await held(at, ['serve']);
    const report = JSON.parse((await at.run(['kill', '--json'])).stdout);
    expect(report).toMatchObject({ result: 'ended', supervisor: { kind: 'serve', pid: serve.pid, killed: false } });
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['stopped']);
    expectNothingLeft(at);
  });

  it('kill ends what a serve that was killed has left', async () => {
    const at = project({ agent: HELD, runtime: { round_timeout_s: 60 } });
    const serve = await held(at, ['serve']);
    serve.child.kill('SIGKILL');
    await serve.ended;
    expect(at.agents().length).toBeGreaterThan(0);
    const kill = await at.run(['kill']);
    expect(kill.code).toBe(0);
    expect(kill.stderr).toContain('round 1 has been ended; none survived');
    expect(at.agents()).toEqual([]);
    expect(at.has('round-in-flight.json') || at.has('serve.pid')).toBe(false);
  });

  it('each of them says so when nothing runs', async () => {
    const at = project();
    expect(await at.run(['stop'])).toMatchObject({ code: 0, stderr: expect.stringContaining('not running') });
    expect(await at.run(['kill'])).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing is running') });
  });

  it('scar 64, field bug 15: a recycled pid in serve.pid is nobody whom they touch, and serve starts over it', async () => {
    const at = project({ agent: WELL });
    const stranger = onlooker();
    mkdirSync(join(at.logDir, 'state'), { recursive: true });
    writeFileSync(join(at.logDir, 'serve.pid'), JSON.stringify({ pid: stranger.pid, create_time: 1_000_000_000 }));
    expect(JSON.parse((await at.run(['status', '--json'])).stdout)).toMatchObject({ active: false, pid: null });
    expect((await at.run(['stop'])).stderr).toContain('not running');
    expect((await at.run(['kill'])).code).toBe(0);
    writeFileSync(join(at.logDir, 'serve.pid'), JSON.stringify({ pid: stranger.pid, create_time: 1_000_000_000 }));
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    expect(stranger.lives()).toBe(true);
    expectNothingLeft(at);
  });
});

describe('.agent-done', () => {
  const done = (plant: string) => `cat >/dev/null; echo working; cd "$AGENT_RUNNER_LOG_DIR"; ${plant}`;

  it('ends serve after the round that wrote it; its reason is told and the file is spent', async () => {
    const at = project({ agent: done('echo "all tasks are done" > .agent-done') });
    expect((await at.run(['serve'])).code).toBe(0);
    expect(at.events('agent_self_terminated')).toMatchObject([{ reason: 'all tasks are done' }]);
    expect(at.events('round_start')).toHaveLength(1);
    expect(at.has('.agent-done')).toBe(false);
    expect(at.json('state/stopped.json')).toMatchObject({ reason: 'agent_done', exit_code: 0 });
    expectNothingLeft(at);
  });

  it('one that is older than serve is removed at the start', async () => {
    const at = project({ agent: WELL });
    mkdirSync(at.logDir);
    writeFileSync(join(at.logDir, '.agent-done'), 'of an earlier night');
    expect((await at.run(['serve', '--max-rounds', '1'])).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.events('agent_self_terminated')).toEqual([]);
  });

  it.each([
    ['a FIFO', 'mkfifo .agent-done', ''],
    ['a symlink to a secret', 'ln -s /etc/passwd .agent-done', ''],
    ['a folder with something in it', 'mkdir -p .agent-done/x', ''],
    ['a megabyte', 'head -c 1048576 /dev/zero | tr "\\0" y > .agent-done', 'y'.repeat(200)],
  ])('%s in its place neither blocks serve nor leaks', async (_what, plant, reason) => {
    const at = project({ agent: done(plant) });
    const { code } = await at.run(['serve'], { timeoutMs: 40_000 });
    expect(code).toBe(0);
    expect(at.events('agent_self_terminated')).toMatchObject([{ reason }]);
    expect(String(at.json('state/stopped.json')?.sentence).length).toBeLessThan(300);
    expect(at.has('.agent-done')).toBe(false);
    expectNothingLeft(at);
    expect((await at.run(['serve', '--once'], { timeoutMs: 40_000 })).code).toBe(0);
  });
});

describe('the planned end', () => {
  it('a stop file ends serve before the next round, and keeps it from starting one until it is removed', async () => {
    const at = project({
      agent: 'cat >/dev/null; echo "enough for today" > STOP',
      runtime: { stop_file: 'STOP' },
      vcs: { dirty_action: 'ignore' },
    });
    expect((await at.run(['serve'])).code).toBe(0);
    expect(at.events('stop_file_detected')).toMatchObject([{ content: 'enough for today', rounds_completed: 1 }]);
    expect((await at.run(['serve'])).code).toBe(0);
    expect(at.events('round_start')).toHaveLength(1);
    rmSync(join(at.workDir, 'STOP'));
    expect((await at.run(['serve', '--max-rounds', '1'])).code).toBe(0);
    expect(at.events('round_start')).toHaveLength(2);
    expectNothingLeft(at);
  });

  it('a stop file that comes during a wait is seen without waiting for its end', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 3600, stop_file: '../STOP' } });
    const serve = at.start(['serve']);
    await at.event('wait_started');
    writeFileSync(join(at.folder, 'STOP'), '');
    // The loop looks every 30 s; a person who is in a hurry wakes it.
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(at.events('round_start')).toHaveLength(1);
  });

  it('max_rounds of the configuration, and --max-rounds over it', async () => {
    const at = project({ agent: WELL, runtime: { max_rounds: 2 } });
    expect((await at.run(['serve'])).code).toBe(0);
    expect(at.events('max_rounds_reached')).toMatchObject([{ rounds_completed: 2, max_rounds: 2 }]);
    expect((await at.run(['serve', '--max-rounds', '1'])).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok', 'ok']);
    expect((await at.run(['serve', '--max-rounds', '0'])).code).toBe(2);
    expectNothingLeft(at);
  });

  it('--once runs one round, whatever becomes of it, and exits 0', async () => {
    const at = project({ agent: CRASHES });
    const { code } = await at.run(['serve', '--once']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['crash']);
    expect(at.json('state/stopped.json')).toMatchObject({ reason: 'once' });
    expectNothingLeft(at);
  });

  it('waits restart_delay_s between two rounds', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 1 } });
    await at.run(['serve', '--max-rounds', '3']);
    const starts = at.events('round_start').map(({ ts }) => Date.parse(ts));
    const ends = at.events('round_end').map(({ ts }) => Date.parse(ts));
    expect(starts).toHaveLength(3);
    for (const i of [1, 2]) {
      const waited = (starts[i] ?? 0) - (ends[i - 1] ?? 0);
      expect(waited).toBeGreaterThanOrEqual(990);
      expect(waited).toBeLessThan(6_000);
    }
  });
});

describe('reference case 12: the exit code of one round', () => {
  const FAILED_TURN = says([refused(404, 'no such model')], 1);

  it.each([
    ['0 after a good turn', WELL, {}, 0],
    ["1 when the agent failed, never the agent's own code", CRASHES, {}, 1],
    ['1 for a turn that says is_error with exit code 0', says([refused(404)], 0), { adapter: 'claude' }, 1],
    ['1 for a failed turn', FAILED_TURN, { adapter: 'claude' }, 1],
    ['1 when the agent dies of a signal', 'cat >/dev/null; echo x; kill -SEGV $$', {}, 1],
  ])('%s', async (_words, agent, agentTable, code) => {
    const at = project({ agent, agentTable });
    expect((await at.run(['round'])).code).toBe(code);
    expectNothingLeft(at);
  });

  it('0 after the hard wall', async () => {
    const at = project({ agent: HELD, runtime: { round_timeout_s: 1 } });
    expect((await at.run(['round'])).code).toBe(0);
    expect(at.events('agent_exit')).toMatchObject([{ exit_code: -15, timed_out: true, exit_cause: 'timeout' }]);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('130 after %s, with nobody left', async (signal) => {
    const at = project({ agent: HELD });
    const round = await held(at, ['round']);
    round.child.kill(signal);
    expect((await round.ended).code).toBe(130);
    expect(at.outcomes()).toEqual(['stopped']);
    expectNothingLeft(at);
  });

  it('78 without a trace for a configuration that is missing or broken', async () => {
    const at = project();
    writeFileSync(at.config, '[agent\n');
    for (const args of [['round'], ['round', '--config', 'nowhere.toml']]) {
      const { code, stderr, stdout } = await at.run(args);
      expect(code).toBe(78);
      expect(stderr + stdout).not.toMatch(/^\s+at /m);
    }
  });

  it('76 when git fails for a reason that may pass', async () => {
    const at = project();
    const bin = join(at.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho "fatal: read error: Input/output error" >&2; exit 128\n', { mode: 0o755 });
    const { code, stderr } = await at.run(['round'], { env: { PATH: `${bin}:${at.env.PATH}` } });
    expect(code).toBe(76);
    expect(stderr).toContain('work_dir_is_git_repo');
    expect(stderr).toContain('Input/output error');
  });

  it.each([
    ['after the agent', 'last_completed_at', [1, 2]],
    ['before the agent', 'supervisor_pid', [1]],
  ])('1 for a bug of our own %s: one line on the terminal, the trace in the log, nobody left', async (_when, field, numbers) => {
    const at = project({ agent: WELL });
    const { code, stderr, stdout } = await at.run(['round'], { nodeArgs: ['--import', sabotage(at, field)] });
    expect(code).toBe(1);
    expect(stderr).toContain('internal error: sabotage; trace in');
    expect(stderr + stdout).not.toMatch(/^\s+at /m);
    expect(readFileSync(join(at.logDir, 'internal-errors.log'), 'utf8')).toMatch(/TypeError: sabotage\n\s+at /);
    expectNothingLeft(at);
    expect((await at.run(['round'])).code).toBe(0);
    expect(at.events('round_start').map(({ round_num }) => round_num)).toEqual(numbers);
  });

  it('scar 50: such a bug counts as a crash in serve, which goes on', async () => {
    const at = project({ agent: WELL });
    const serve = at.start(['serve', '--max-rounds', '2'], { nodeArgs: ['--import', sabotage(at)] });
    await until('the first round is counted', () => at.json('state/streaks.json')?.crash === 1);
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(at.json('state/streaks.json')).toMatchObject({ crash: 2, environment: 0 });
    expect(serve.stderr()).not.toMatch(/^\s+at /m);
    expectNothingLeft(at);
  });

  it('1 with the trace in the log for a bug outside of any round', async () => {
    const at = project({ agent: WELL });
    const path = join(at.folder, 'sabotage.mjs');
    mkdirSync(at.logDir);
    writeFileSync(
      path,
      `const { on } = process; process.on = (name, ...rest) => { if (name === 'SIGTERM') throw new TypeError('sabotage'); return on.call(process, name, ...rest); };`,
    );
    const { code, stderr } = await at.run(['round'], { nodeArgs: ['--import', path] });
    expect(code).toBe(1);
    expect(stderr).toContain('AR-CLI-099');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(readFileSync(join(at.logDir, 'internal-errors.log'), 'utf8')).toMatch(/TypeError: sabotage\n\s+at /);
  });
});

/** A module that makes Node itself throw where a record with this field is written down: a bug, as far as anybody can tell. */
function sabotage(at: Project, field = 'last_completed_at'): string {
  const path = join(at.folder, 'sabotage.mjs');
  writeFileSync(
    path,
    `const { stringify } = JSON;
JSON.stringify = function (value, ...rest) {
  if (value && value.${field}) throw new TypeError('sabotage');
  return stringify(value, ...rest);
};`,
  );
  return path;
}
