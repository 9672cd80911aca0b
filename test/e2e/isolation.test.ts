import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { cgroupFacts } from '../../src/process/cgroup.ts';
import { readProcess } from '../../src/process/proc.ts';
import { isAlive } from '../../src/process/stat.ts';
import { HELD, WELL } from '../support/fake-agents.ts';
import { testLeaf } from '../support/leaf.ts';
import { namespaceHere } from '../support/namespace.ts';
import { onlooker } from '../support/onlooker.ts';
import { requirePart } from '../support/parts.ts';
import { CLI, kill, type Project, project } from '../support/project.ts';
import { agent } from '../support/run.ts';
import { until } from '../support/wait.ts';

const RESULT = 'echo \'{"type":"result","is_error":false}\'';
/** Starts a tool that only the kernel's own lists can find, and waits until it has hidden. */
const HIDES = `cat >/dev/null; S=$AGENT_RUNNER_LOG_DIR; export SCENE=$S SECONDS_OF_TOOL=${process.pid}77; rm -f $S/tool; ${agent('hide.py')} session+orphan+bare+deaf exit`;
const LIMIT = '[limits]\nround_memory_max_mb = 100\n';

/** Living tools of `HIDES`; a test that fails must not leave them. */
function tools(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const entry = readProcess(pid);
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${process.pid}77\0` && entry !== null && isAlive(entry);
      } catch {
        return false;
      }
    });
}

function hiding(options: Parameters<typeof project>[0] = {}): Project {
  const at = project({ agent: `${HIDES}; ${RESULT}`, ...options });
  onTestFinished(() => {
    for (const pid of tools()) kill(pid);
  });
  return at;
}

const guard = (at: Project, name: string) =>
  (at.json('state/defenses.json') as unknown as { name: string; value: string; current_state: string }[]).find((one) => one.name === name);
const leafOf = (at: Project) => join(cgroupFacts().folder ?? '', `round-${at.events('round_start').at(-1)?.round_id}`);

describe('a control group for each round', () => {
  it('ends who hides from everything else; the receipt, the event and the guard say so', async (context) => {
    requirePart(context, 'cgroup2', 'python3');
    const at = hiding();
    const { code } = await at.run(['serve', '--once']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['ok_leftovers']);
    const [reaped] = at.events('round_reaped');
    expect(reaped).toMatchObject({ survivors: [], leaf: { killed: true, removed: true } });
    expect(reaped?.signalled).toContainEqual(expect.objectContaining({ name: 'sleep' }));
    expect(tools()).toEqual([]);
    expect(existsSync(leafOf(at))).toBe(false);
    expect(guard(at, 'control group')).toMatchObject({ current_state: 'active', value: expect.stringContaining('killed as one') });
  });

  it('field bug 18: one that a killed supervisor left is emptied and removed by the next start', async (context) => {
    requirePart(context, 'cgroup2', 'python3');
    const at = hiding({ agent: `if mkdir $AGENT_RUNNER_LOG_DIR/first 2>/dev/null; then ${HIDES}; : > $S/hidden; sleep 60; fi; ${WELL}` });
    const serve = at.start(['serve', '--once']);
    await until('the tool has hidden', () => at.has('hidden'));
    const leaf = leafOf(at);
    expect(at.json('round-in-flight.json')).toMatchObject({ leaf });
    serve.child.kill('SIGKILL');
    await serve.ended;
    expect(tools()).toHaveLength(1);
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    expect(at.events('round_recovered')[0]?.reaped).toContainEqual(expect.objectContaining({ name: 'sleep' }));
    expect(tools()).toEqual([]);
    expect(existsSync(leaf)).toBe(false);
    expect(at.outcomes()).toEqual(['ok']);
  });

  it('a record that names another’s group ends nobody in it', async (context) => {
    requirePart(context, 'cgroup2');
    const at = project({ agent: WELL });
    const stranger = onlooker();
    const leaf = testLeaf();
    writeFileSync(leaf.procs, String(stranger.pid), { flag: 'r+' });
    mkdirSync(at.logDir, { recursive: true });
    const record = {
      round_num: 1,
      round_id: 'a',
      token: 'a',
      owner: 'o',
      started_at: '2026-01-01T00:00:00.000Z',
      leaf: leaf.folder,
      container: null,
    };
    writeFileSync(join(at.logDir, 'round-in-flight.json'), JSON.stringify(record));
    expect((await at.run(['round'])).code).toBe(0);
    expect(at.events('round_recovered')).toHaveLength(1);
    expect(stranger.lives()).toBe(true);
    expect(leaf.members()).toEqual([stranger.pid]);
  });

  it('a host that gives none costs no round, and serve says why', async (context) => {
    const at = project({ agent: WELL });
    const { code, stderr } = await at.run(['serve', '--once'], { wrapper: ofNobody(at, context) });
    expect(code, stderr).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.events('round_reaped')[0]).not.toHaveProperty('leaf');
    expect(guard(at, 'control group')).toMatchObject({ current_state: 'degraded', value: expect.stringMatching(/^none: \w+/) });
  });
});

const AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

/** Gives the project to an ordinary user, and what to put before a command that is to run as that user. */
function ofNobody(at: Project, context: Pick<TestContext, 'skip'>): string[] {
  requirePart(context, 'root');
  const readable = spawnSync(AS_NOBODY[0] as string, [...AS_NOBODY.slice(1), 'test', '-r', CLI, '-a', '-x', process.execPath]).status === 0;
  if (!readable) context.skip(`an ordinary user may not read ${CLI}`);
  execFileSync('chown', ['-R', '65534:65534', at.folder]);
  chmodSync(at.folder, 0o755);
  return AS_NOBODY;
}

describe('runtime.pid_namespace', () => {
  const inside = { runtime: { pid_namespace: true } };

  it('ends everybody with the agent', async (context) => {
    await namespaceHere(context);
    const at = hiding({ ...inside, agent: `${HIDES}; readlink /proc/self/ns/pid; echo "pid $$"; ${RESULT}` });
    const { code, stderr } = await at.run(['serve', '--once']);
    expect(code, stderr).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(tools()).toEqual([]);
    expect(at.log()).toMatch(/pid [23]\n/);
    expect(guard(at, 'PID namespace')).toMatchObject({ current_state: 'active' });
  });

  it('as an ordinary user, with the ids as they are', async (context) => {
    await namespaceHere(context);
    const at = hiding({ ...inside, agent: `${HIDES}; id -u; exit 3` });
    const { code } = await at.run(['round'], { wrapper: ofNobody(at, context) });
    expect(code).toBe(1);
    expect(at.events('agent_exit')).toMatchObject([{ exit_code: 3, outcome: 'crash' }]);
    expect(at.log()).toContain('65534\n');
    expect(tools()).toEqual([]);
  });

  it('a stop reaches the agent inside, which ends in order', async (context) => {
    await namespaceHere(context);
    const at = project({ ...inside, agent: `trap 'echo told; exit 0' TERM; ${HELD}` });
    const serve = at.start(['serve']);
    await until('the agent is in the middle of its turn', () => at.log().includes('started'));
    serve.child.kill('SIGTERM');
    await until('it drains', () => serve.stderr().includes('draining'));
    serve.child.kill('SIGTERM');
    await serve.ended;
    expect(at.log()).toContain('told\n');
    expect(at.events('round_reaped')[0]).toMatchObject({ survivors: [] });
  });

  it('field bug 18: after the death of the supervisor the next start ends the namespace', async (context) => {
    await namespaceHere(context);
    const at = hiding({
      ...inside,
      agent: `if mkdir $AGENT_RUNNER_LOG_DIR/first 2>/dev/null; then ${HIDES}; : > $S/hidden; sleep 60; fi; ${WELL}`,
    });
    const serve = at.start(['serve', '--once']);
    await until('the tool has hidden', () => at.has('hidden'));
    serve.child.kill('SIGKILL');
    await serve.ended;
    expect(tools()).toHaveLength(1);
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    expect(tools()).toEqual([]);
    expect(at.outcomes()).toEqual(['ok']);
  });

  it('goes around a prefix, and is refused with one that cannot work', async (context) => {
    await namespaceHere(context);
    const nice = project({ ...inside, agentTable: { exec_prefix: ['nice', '-n', '5'] }, agent: `cat >/dev/null; nice; ${RESULT}` });
    expect((await nice.run(['round'])).code).toBe(0);
    expect(nice.log()).toMatch(/^5$/m);
    const docker = project({ ...inside, agentTable: { exec_prefix: ['docker', 'run', '--rm', '-i', 'image'] } });
    const refused = await docker.run(['round']);
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain('AR-CHK-013');
    expect(docker.events('agent_spawn')).toEqual([]);
  });

  it('where it cannot be had nothing starts: 78, the reason and the remedy', async (context) => {
    requirePart(context, 'linux');
    const at = project(inside);
    const shims = join(at.folder, 'shims');
    mkdirSync(shims);
    writeFileSync(join(shims, 'unshare'), '#!/bin/sh\necho "unshare: unshare failed: Operation not permitted" >&2\nexit 1\n', {
      mode: 0o755,
    });
    for (const verb of [['round'], ['serve', '--once'], ['round', '--dry-run']]) {
      const { code, stdout, stderr } = await at.run(verb, { env: { PATH: `${shims}:${process.env.PATH}` } });
      expect(code).toBe(78);
      expect(stdout + stderr).toMatch(/AR-CHK-012/);
      expect(stdout + stderr).toContain('Operation not permitted');
    }
    const skipping = { PATH: `${shims}:${process.env.PATH}`, AGENT_RUNNER_SKIP_STARTUP_CHECK: '1' };
    expect((await at.run(['round'], { env: skipping })).code).toBe(78);
    expect(at.events('round_reaped')).toEqual([]);
  });
});

describe('limits.round_memory_max_mb', () => {
  it('ends a round that has more, tells how much, and goes on with the next', async (context) => {
    requirePart(context, 'linux', 'python3');
    const at = project({ more: LIMIT, agent: `cat >/dev/null; ${agent('allocate.py')} 200` });
    const { code } = await at.run(['serve', '--max-rounds', '2']);
    expect(code).toBe(0);
    if (guard(at, 'memory of a round')?.current_state === 'active') return; // A host with the controller: test/e2e/memory-vm.test.ts.
    expect(at.outcomes()).toEqual(['mem_terminated', 'mem_terminated']);
    const [terminated] = at.events('round_mem_terminated');
    expect(terminated).toMatchObject({ signal: 'round_memory_max_mb', consecutive: 1, context: { limit_mb: 100 } });
    expect(terminated?.context.measured_mb).toBeGreaterThan(100);
    expect(guard(at, 'memory of a round')).toMatchObject({
      current_state: 'degraded',
      value: expect.stringContaining('measured every second'),
    });
  });

  it('is shown by a dry run, and refused with a container', async (context) => {
    requirePart(context, 'linux');
    const at = project({ more: LIMIT });
    expect((await at.run(['round', '--dry-run'])).stdout).toContain('round_memory_max_mb: 100');
    const docker = project({ more: LIMIT, agentTable: { exec_prefix: ['sudo', 'podman', 'run', '-i', 'image'] } });
    const refused = await docker.run(['round']);
    expect(refused.code).toBe(78);
    expect(refused.stderr).toMatch(/AR-CHK-014.*--memory/);
  });
});
