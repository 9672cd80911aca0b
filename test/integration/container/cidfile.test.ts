import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectContainer } from '../../../src/container/engine.ts';
import { stopContainer } from '../../../src/container/stop.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Bench, nothingLeft, openBench, requireEngine, runningId } from '../../support/engines.ts';
import { until } from '../../support/wait.ts';

const SLEEP = ['sleep', '300'];
const STOP = { graceS: 0, clock: systemClock, interrupted: true };

let bench: Bench;
beforeAll(() => {
  bench = openBench();
});
afterAll(() => bench.close());

describe.each(['docker', 'podman'] as const)('%s: the id that the engine wrote', (name) => {
  it('lies in a private folder outside work_dir and log_dir, and the container is known by it', async (context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(engine, SLEEP);
    const id = await until('it runs', () => runningId(bench, engine, client));
    const cidfile = client.container.cidfile ?? '';
    expect(readFileSync(cidfile, 'utf8').trim()).toBe(id);
    expect(cidfile.startsWith(`${bench.workDir}/`) || cidfile.startsWith(`${bench.logDir}/`)).toBe(false);
    client.signal('SIGKILL');
    expect(await stopContainer(client.container, STOP)).toMatchObject({ containerId: id, ok: true, acted: true });
    expect(await nothingLeft(bench, engine, client, id)).toEqual({ containers: [], processes: [] });
  });

  it("reference case 3: the operator's own file is used and kept", async (context) => {
    const engine = requireEngine(context, name);
    const own = join(bench.workDir, `own-${name}.cid`);
    const client = bench.start(engine, SLEEP, { options: ['--rm', '--cidfile', own] });
    const id = await until('it runs', () => runningId(bench, engine, client));
    expect(client.prepared.argv.filter((token) => token === '--cidfile')).toHaveLength(1);
    client.signal('SIGKILL');
    expect(await stopContainer(client.container, STOP)).toMatchObject({ containerId: id, ok: true, acted: true });
    expect(readFileSync(own, 'utf8').trim()).toBe(id);
  });

  it.for(['--all', 'empty', 'five MiB', 'a link', 'a FIFO', 'missing'])(
    'field bug 23 and scar 17: with a forged file (%s) the label finds it',
    async (kind, context) => {
      const engine = requireEngine(context, name);
      const own = join(bench.workDir, `forged-${name}-${kind.replaceAll(' ', '-')}`);
      const client = bench.start(engine, SLEEP, { options: ['--rm', '--cidfile', own] });
      const id = await until('it runs', () => runningId(bench, engine, client));
      execFileSync('rm', ['-f', own]);
      if (kind === '--all') writeFileSync(own, '--all');
      if (kind === 'empty') writeFileSync(own, '');
      if (kind === 'five MiB') writeFileSync(own, 'a'.repeat(5 * 1024 * 1024));
      if (kind === 'a link') symlinkSync('/etc/passwd', own);
      if (kind === 'a FIFO') execFileSync('mkfifo', [own]);
      client.signal('SIGKILL');
      expect(await stopContainer(client.container, STOP)).toMatchObject({ containerId: id, ok: true, acted: true });
      expect(await nothingLeft(bench, engine, client, id)).toEqual({ containers: [], processes: [] });
    },
  );

  it("a forged file with the id of a stranger's container does not stop the stranger", async (context) => {
    const engine = requireEngine(context, name);
    const stranger = bench.start(engine, SLEEP);
    const strangerId = await until('the stranger runs', () => runningId(bench, engine, stranger));
    const own = join(bench.workDir, `stranger-${name}.cid`);
    const client = bench.start(engine, SLEEP, { options: ['--rm', '--cidfile', own] });
    const id = await until('it runs', () => runningId(bench, engine, client));
    writeFileSync(own, String(strangerId));
    client.signal('SIGKILL');
    expect(await stopContainer(client.container, STOP)).toMatchObject({ containerId: id, ok: true });
    expect(await inspectContainer(bench.access(engine), String(strangerId))).toMatchObject({ status: 'running' });
    stranger.signal('SIGKILL');
    expect(await stopContainer(stranger.container, STOP)).toMatchObject({ ok: true });
  });

  it("field bug 23: a stale file in the round's folder does not keep the engine from starting", async (context) => {
    const engine = requireEngine(context, name);
    const first = bench.start(engine, ['true']);
    await first.end;
    const folder = first.container.folder ?? '';
    expect(existsSync(join(folder, 'cid'))).toBe(true);
    mkdirSync(join(folder, 'control', 'planted'));
    const again = bench.start(engine, ['true'], { roundId: first.container.roundId });
    expect(await again.end).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'control', 'planted'))).toBe(false);
  });
});
