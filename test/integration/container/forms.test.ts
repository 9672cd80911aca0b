import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerEvidence } from '../../../src/container/evidence.ts';
import { stopContainer } from '../../../src/container/stop.ts';
import { containerVerdict } from '../../../src/container/verdict.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Bench, type Engine, nothingLeft, openBench, requireEngine, runningId } from '../../support/engines.ts';
import { until } from '../../support/wait.ts';

let bench: Bench;
let dockerConfig: string;
beforeAll(() => {
  bench = openBench();
  dockerConfig = mkdtempSync(join(tmpdir(), 'agent-runner-docker-'));
});
afterAll(async () => {
  await bench.close();
  rmSync(dockerConfig, { recursive: true, force: true });
});

const HOST = process.env.DOCKER_HOST ?? '';
const FORMS: Record<string, () => string[]> = {
  'sudo with the host as a flag': () => ['sudo', '-n', 'docker', '-H', HOST],
  'sudo -E': () => ['sudo', '-n', '-E', 'docker'],
  'sudo -u root and env': () => ['sudo', '-n', '-u', 'root', 'env', `DOCKER_HOST=${HOST}`, 'docker'],
  'env -i': () => ['env', '-i', `DOCKER_HOST=${HOST}`, 'PATH=/usr/local/bin:/usr/bin:/bin', 'docker'],
  '--context': () => {
    const env = { ...process.env, DOCKER_CONFIG: dockerConfig, DOCKER_HOST: '' };
    execFileSync('docker', ['context', 'create', 'bench', '--docker', `host=${HOST}`], { env, stdio: 'ignore' });
    return ['env', '-u', 'DOCKER_HOST', `DOCKER_CONFIG=${dockerConfig}`, 'docker', '--context', 'bench'];
  },
  'timeout and nice': () => ['timeout', '-k', '5', '600', 'nice', '-n', '1', 'docker'],
  'the management word': () => ['docker', 'container'],
};

describe('a container is known and stopped by the words before `run`', () => {
  it.for(Object.keys(FORMS))('docker, %s', async (form, context) => {
    const base = requireEngine(context, 'docker');
    const before = FORMS[form]?.() ?? [];
    const engine: Engine = { ...base, before: before.at(-1) === 'container' ? before.slice(0, -1) : before };
    const client = bench.start({ ...base, before }, [
      'sh',
      '-c',
      'trap "" TERM; echo "round $AGENT_RUNNER_ROUND_NUM in $AGENT_RUNNER_LOG_DIR"; sleep 300',
    ]);
    const id = await until('it runs', () => runningId(bench, base, client));
    expect(client.container.control).toEqual(engine.before);
    // sudo without -E and env -i empty the client's environment: our names arrive all the same.
    await until('our names arrive', () => client.output().includes('round 7 in /run/agent-runner'));
    client.signal('SIGKILL');
    expect(await stopContainer(client.container, { graceS: 1, clock: systemClock, interrupted: true })).toMatchObject({
      containerId: id,
      ok: true,
      acted: true,
    });
    expect(await nothingLeft(bench, base, client, id)).toEqual({ containers: [], processes: [] });
  });

  it('nerdctl (a shim over docker): the same words, and no events', async (context) => {
    const base = requireEngine(context, 'docker');
    const shim = join(bench.folder, 'nerdctl');
    writeFileSync(shim, '#!/bin/sh\n[ "$1" = events ] && exit 1\nexec docker "$@"\n', { mode: 0o755 });
    const engine: Engine = { ...base, before: [shim] };
    const client = bench.start(engine, ['sleep', '300']);
    const id = await until('it runs', () => runningId(bench, base, client));
    expect(client.container.runtime).toBe('nerdctl');
    client.signal('SIGKILL');
    expect(await stopContainer(client.container, { graceS: 0, clock: systemClock, interrupted: true })).toMatchObject({
      containerId: id,
      ok: true,
      acted: true,
    });
    const failed = bench.start(engine, ['exit'], { options: ['--rm', '--nonsense'] });
    const { code } = await failed.end;
    expect(containerVerdict(code, false, await containerEvidence(failed.container, code, systemClock))).toBe('container_error');
    const said = bench.start(engine, ['sh', '-c', 'exit 125']);
    expect(await said.end).toMatchObject({ code: 125 });
    expect(containerVerdict(125, false, await containerEvidence(said.container, 125, systemClock))).toBe('agent');
  });

  it('podman with global flags, and `sudo podman`', async (context) => {
    const base = requireEngine(context, 'podman');
    for (const before of [base.before, ['sudo', '-n', ...base.before]]) {
      const client = bench.start({ ...base, before }, ['sleep', '300']);
      const id = await until('it runs', () => runningId(bench, base, client));
      client.signal('SIGKILL');
      expect(await stopContainer(client.container, { graceS: 0, clock: systemClock, interrupted: true })).toMatchObject({
        containerId: id,
        ok: true,
        acted: true,
      });
      expect(await nothingLeft(bench, base, client, id)).toEqual({ containers: [], processes: [] });
    }
  });
});
