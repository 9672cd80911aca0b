import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLiving } from '../../../src/process/proc.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type ContainedProject, contained, DEAF, QUICK, RESULT } from '../../support/contained.ts';
import { ENGINE_NAMES, requireEngine } from '../../support/engines.ts';
import { requirePart } from '../../support/parts.ts';
import type { Running } from '../../support/project.ts';
import { until } from '../../support/wait.ts';

const GRACE_MS = QUICK.sigterm_grace_s * 1000;

/** From the wall to the end of the round, by the clock of its events. */
function overtimeMs(at: ContainedProject, wallS: number): number {
  const at_ = (kind: string) => Date.parse(at.events(kind)[0]?.ts ?? '');
  return at_('agent_exit') - at_('agent_spawn') - wallS * 1000;
}

async function expectGone(at: ContainedProject) {
  expect(await at.containers()).toEqual([]);
  expect(at.has('round-in-flight.json')).toBe(false);
}

describe.each(ENGINE_NAMES)('%s: a time-out', (name) => {
  it('scar 14, reference case 3, field bug 22, field bug 24: a container that ignores TERM is gone within the grace + 2 s', async (context) => {
    const engine = requireEngine(context, name);
    const at = contained(engine, { script: DEAF, runtime: { round_timeout_s: 5 } });
    const result = await at.run(['round'], { timeoutMs: 60_000 });
    expect(result.code, result.stderr).toBe(0);
    expect(at.log()).toContain('started');
    expect(at.outcomes()).toEqual(['timeout']);
    await expectGone(at);
    const id = at.events('round_reaped')[0]?.container_id;
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(at.events('round_container_orphan_risk')).toMatchObject([
      { round_num: 1, runtime: engine.runtime, container_id: id, stop_ok: true },
    ]);
    const ms = overtimeMs(at, 5);
    console.log(`${name}: a deaf container ended ${Math.round(ms)} ms after the wall, grace ${GRACE_MS} ms`);
    expect(ms).toBeLessThan(GRACE_MS + 2_000);
  });
});

it.for(['docker', 'podman'] as const)('%s: a container that listens ends by TERM alone, in order', async (name, context) => {
  const engine = requireEngine(context, name);
  const script = 'trap "echo bye; exit 0" TERM; echo started; while :; do sleep 0.1; done';
  const at = contained(engine, { script, runtime: { round_timeout_s: 5 }, agentTable: { sigterm_grace_s: 10 } });
  await at.run(['round'], { timeoutMs: 60_000 });
  expect(at.outcomes()).toEqual(['timeout']);
  expect(at.log()).toContain('bye');
  await expectGone(at);
  console.log(`${name}: a polite container ended ${Math.round(overtimeMs(at, 5))} ms after the wall`);
});

it.for(['docker', 'podman'] as const)(
  '%s: field bug 25: a stop while the container is being made leaves nothing, whenever it comes',
  async (name, context) => {
    const engine = requireEngine(context, name);
    const stopped = async (delay: number) => {
      const at = contained(engine, { script: DEAF });
      const serve = at.start(['serve']);
      await at.event('agent_spawn');
      await systemClock.sleep(delay);
      await endNow(serve);
      expect((await serve.ended).code, serve.stderr()).toBe(0);
      expect(at.outcomes(), `after ${delay} ms`).toEqual(['stopped']);
      await systemClock.sleep(500);
      await expectGone(at);
    };
    await Promise.all([0, 60, 150].map(stopped));
  },
);

/** As two TERMs of an impatient person. */
async function endNow(serve: Running): Promise<void> {
  for (const word of ['draining', 'ending the round']) {
    serve.child.kill('SIGTERM');
    await until(word, () => serve.stderr().includes(word));
  }
}

describe('the id that the engine writes', () => {
  it("field bug 23, scar 17, reference case 4: an operator's own file that is stale, empty, forged or gone: the label finds the container, and the file stays", async (context) => {
    const engine = requireEngine(context, 'docker');
    const forged = async (forge: (path: string) => void) => {
      const at = contained(engine, { script: DEAF, options: ['--rm', '-i', '--cidfile', '../own.cid'] });
      const own = join(at.folder, 'own.cid');
      const serve = at.start(['serve', '--once']);
      await until('the agent works', () => at.log().includes('started'), 30_000);
      execFileSync('rm', ['-f', own]);
      forge(own);
      const before = existsSync(own);
      await endNow(serve);
      await serve.ended;
      expect(at.outcomes()).toEqual(['stopped']);
      await expectGone(at);
      expect(existsSync(own)).toBe(before);
    };
    await Promise.all([
      forged((path) => writeFileSync(path, 'a1'.repeat(32))),
      forged((path) => writeFileSync(path, '')),
      forged((path) => writeFileSync(path, '--all')),
      forged((path) => writeFileSync(path, 'a'.repeat(5 * 1024 * 1024))),
      forged((path) => symlinkSync('/etc/passwd', path)),
      forged(() => {}),
    ]);
  });

  it("reference case 3, scar 16: an operator's own file is read and kept; while it is there the engine starts no second round", async (context) => {
    const engine = requireEngine(context, 'docker');
    const at = contained(engine, { options: ['-i', '--cidfile', '../own.cid'] });
    const first = await at.run(['round']);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('[AR-CON-019]') });
    expect(readFileSync(join(at.folder, 'own.cid'), 'utf8')).toBe(at.events('round_reaped')[0]?.container_id);
    const second = await at.run(['round']);
    expect(second).toMatchObject({ code: 76, stderr: expect.stringContaining('docker did not run the agent to its end (exit 125)') });
    expect(at.outcomes()).toEqual(['ok', 'container_error']);
  });
});

describe('the words before `run` are those for everything else', () => {
  const HOST = process.env.DOCKER_HOST ?? '';
  const FORMS: Record<string, string[]> = {
    sudo: ['sudo', '-n', 'docker', '-H', HOST],
    'sudo -u root env': ['sudo', '-n', '-u', 'root', 'env', `DOCKER_HOST=${HOST}`, 'docker'],
    'env -i': ['env', '-i', `DOCKER_HOST=${HOST}`, 'PATH=/usr/local/bin:/usr/bin:/bin', 'docker'],
    '--context': ['env', '-u', 'DOCKER_HOST', 'DOCKER_CONFIG=../docker', 'docker', '--context', 'bench'],
    'container run': ['docker', 'container'],
    '--runtime runc': ['docker'],
  };

  it('reference case 3: sudo, env, --context, container run and --runtime runc are stopped by the same words', async (context) => {
    const engine = requireEngine(context, 'docker');
    const timedOut = async ([form, before]: [string, string[]]) => {
      const options = ['--rm', '-i', ...(form.startsWith('--runtime') ? form.split(' ') : [])];
      const at = contained(engine, { script: DEAF, before, options, runtime: { round_timeout_s: 5 } });
      if (form === '--context') {
        mkdirSync(join(at.folder, 'docker'));
        const env = { ...process.env, DOCKER_CONFIG: join(at.folder, 'docker'), DOCKER_HOST: '' };
        execFileSync('docker', ['context', 'create', 'bench', '--docker', `host=${HOST}`], { env, stdio: 'ignore' });
      }
      const result = await at.run(['round'], { timeoutMs: 60_000 });
      expect(result.code, `${form}: ${result.stderr}`).toBe(0);
      expect(at.log(), form).toContain('started');
      expect(at.outcomes(), form).toEqual(['timeout']);
      expect(at.events('round_container_orphan_risk'), form).toMatchObject([{ stop_ok: true }]);
      await expectGone(at);
    };
    await Promise.all(Object.entries(FORMS).map(timedOut));
  });
});

it('a client that dies alone does not leave its container to work on', async (context) => {
  const engine = requireEngine(context, 'docker');
  const at = contained(engine, { script: DEAF });
  const round = at.start(['round']);
  await until('the agent works', () => at.log().includes('started'), 30_000);
  const { pid, start_ticks: startTicks } = at.json('round-in-flight.json') as { pid: number; start_ticks: number };
  expect(isLiving({ pid, startTicks })).toBe(true);
  process.kill(pid, 'SIGKILL');
  await round.ended;
  await expectGone(at);
  expect(at.events('round_container_orphan_risk')).toMatchObject([{ stop_ok: true }]);
});

it('a client that belongs to root, as behind sudo, gets no signal of ours: the engine stops its container in order, and it ends with that', async (context) => {
  requirePart(context, 'root');
  const engine = requireEngine(context, 'docker');
  const script = 'trap "echo bye; exit 0" TERM; echo started; while :; do sleep 0.1; done';
  const at = contained(engine, { script, before: ['../shim/docker'], runtime: { round_timeout_s: 5 } });
  const rootly = join(at.folder, 'rootly');
  const become = '$< = 0; $> = 0; $( = 0; $) = 0; $ENV{PATH} = "/usr/bin:/bin"; exec "/usr/bin/docker", map { /(.*)/s; $1 } @ARGV';
  at.write('../shim/docker', `#!/bin/sh\nexec ${rootly} -e '${become}' -- "$@"\n`, 0o755);
  copyFileSync('/usr/bin/perl', rootly);
  at.handTo('nobody');
  execFileSync('chown', ['root', rootly]);
  chmodSync(rootly, 0o4755);
  const wrapper = ['setpriv', '--reuid', 'nobody', '--clear-groups'];
  const result = await at.run(['round'], { wrapper, timeoutMs: 60_000 });
  expect(result.code, result.stderr).toBe(0);
  expect(at.outcomes()).toEqual(['timeout']);
  expect(at.log()).toContain('bye');
  expect(at.events('round_reaped')).toMatchObject([{ signalled: [], survivors: [] }]);
  expect(at.events('round_container_orphan_risk')).toMatchObject([{ stop_ok: true }]);
  await expectGone(at);
  console.log(`a client of root's: ended ${Math.round(overtimeMs(at, 5))} ms after the wall`);
});

it('scar 15: a container that is gone already costs nothing and is no failure', async (context) => {
  const engine = requireEngine(context, 'docker');
  const at = contained(engine, { script: `cat >/dev/null; ${RESULT}; exit 0` });
  expect(await at.run(['serve', '--max-rounds', '2'])).toMatchObject({ code: 0 });
  expect(at.outcomes()).toEqual(['ok', 'ok']);
  for (const { survivors, duration_ms } of at.events('round_reaped')) {
    expect(survivors).toEqual([]);
    expect(duration_ms).toBeLessThan(2_000);
  }
  expect(at.events('survivors_remain')).toEqual([]);
});

describe('an engine that does not answer', () => {
  it('keeps the next round away, tells, and goes on when it answers again', async (context) => {
    const engine = requireEngine(context, 'docker');
    const shim =
      'case " $* " in *" run "*) ;; *) [ ! -e "$(dirname "$0")/down" ] || { echo "cannot connect" >&2; exit 1; };; esac; exec docker "$@"';
    const at = contained(engine, { script: DEAF, before: ['../shim/docker'], runtime: { round_timeout_s: 5 } });
    at.write('../shim/docker', `#!/bin/sh\n${shim}\n`, 0o755);
    const serve = at.start(['serve', '--max-rounds', '2']);
    await until('the agent works', () => at.log().includes('started'), 30_000);
    writeFileSync(join(at.folder, 'shim', 'down'), '');
    const { survivors } = await at.event('survivors_remain', () => true, 40_000);
    expect(survivors).toMatchObject([{ pid: 0, name: expect.stringMatching(/^docker container [0-9a-f]{12}: /) }]);
    await until('the wait is told', () => at.json('state/wait.json')?.reason === 'survivors', 40_000);
    expect((await at.run(['peek'])).stdout).toContain('docker container');
    expect(at.json('round-in-flight.json')).toMatchObject({ round_num: 1, container: { runtime: 'docker' } });
    expect(at.events('round_start')).toHaveLength(1);
    execFileSync('rm', [join(at.folder, 'shim', 'down')]);
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(at.events('round_start')).toHaveLength(2);
    await expectGone(at);
  });
});
