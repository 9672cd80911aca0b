import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCidfile } from '../../../src/container/control-dir.ts';
import type { Container } from '../../../src/container/prepare.ts';
import { containerStopBudgetS, stopContainer } from '../../../src/container/stop.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Bench, type Client, ENGINE_NAMES, nothingLeft, openBench, requireEngine, runningId } from '../../support/engines.ts';
import { until } from '../../support/wait.ts';

const DEAF = ['sh', '-c', 'trap "" TERM INT HUP; while :; do sleep 1; done'];
const POLITE = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.05; done'];

/** Milliseconds after the client's start: before there is a container, while it is made, just started. */
const MOMENTS = { SIGKILL: [10, 25, 60, 110, 150, 220], SIGTERM: [25, 80, 150] };

let bench: Bench;
beforeAll(() => {
  bench = openBench();
});
afterAll(() => bench.close());

/** As the ladder of a hard wall: TERM to the client's group, which relays it; KILL after the grace. Then the container, with what is left. */
async function hardWall(client: Client, graceS: number) {
  const began = systemClock.monotonic();
  client.signal('SIGTERM');
  await Promise.race([client.end, systemClock.sleep(graceS * 1000)]);
  client.signal('SIGKILL');
  await client.end;
  const left = Math.max(0, graceS - (systemClock.monotonic() - began) / 1000);
  const report = await stopContainer(client.container, { graceS: left, clock: systemClock, interrupted: true });
  return { report, ms: systemClock.monotonic() - began };
}

describe.each(ENGINE_NAMES)('%s: a container is ended', (name) => {
  it('scar 14: one that ends on TERM is gone at once', async (context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(engine, POLITE);
    const id = await until('it runs', () => runningId(bench, engine, client));
    const { report, ms } = await hardWall(client, 5);
    expect(report).toMatchObject({ ok: true });
    expect(await nothingLeft(bench, engine, client, id)).toEqual({ containers: [], processes: [] });
    expect(ms).toBeLessThan(4_500);
    console.log(`${name}: polite container ended in ${Math.round(ms)} ms (${report.detail})`);
  });

  it('field bugs 22 and 24: one that ignores TERM is gone within the grace + 2 s', async (context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(engine, DEAF);
    const id = await until('it runs', () => runningId(bench, engine, client));
    const { report, ms } = await hardWall(client, 2);
    expect(report).toMatchObject({ containerId: id, ok: true, acted: true });
    expect(await nothingLeft(bench, engine, client, id)).toEqual({ containers: [], processes: [] });
    expect(ms).toBeLessThan(4_000);
    console.log(`${name}: deaf container ended in ${Math.round(ms)} ms with a grace of 2 s (${report.detail})`);
  });

  it('field bug 22: a client that is killed outright leaves nothing', async (context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(engine, DEAF, { options: ['-i'] });
    const id = await until('it runs', () => runningId(bench, engine, client));
    client.signal('SIGKILL');
    await client.end;
    const report = await stopContainer(client.container, { graceS: 0, clock: systemClock, interrupted: true });
    expect(report).toMatchObject({ containerId: id, ok: true, acted: true });
    // Without --rm the stopped container stays for the operator, but nobody lives in it.
    expect((await nothingLeft(bench, engine, client, id)).processes).toEqual([]);
  });

  it('scar 15 and reference case 4: one that is gone already is success, and nothing is done', async (context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(engine, ['true']);
    expect((await client.end).code).toBe(0);
    const began = systemClock.monotonic();
    const report = await stopContainer(client.container, { graceS: 5, clock: systemClock, interrupted: false });
    expect(report).toMatchObject({ ok: true, acted: false });
    console.log(`${name}: confirming a clean end took ${Math.round(systemClock.monotonic() - began)} ms`);
  });

  it('field bug 25: a client that is ended while the container is being made leaves nothing, at any moment', {
    timeout: 120_000,
  }, async (context) => {
    const engine = requireEngine(context, name);
    for (const [signal, delays] of Object.entries(MOMENTS)) {
      for (const delay of delays) {
        const client = bench.start(engine, DEAF);
        await systemClock.sleep(delay);
        client.signal(signal as NodeJS.Signals);
        await Promise.race([client.end, systemClock.sleep(300)]);
        client.signal('SIGKILL');
        await client.end;
        const written = client.container.cidfile === null ? null : readCidfile(client.container.cidfile).id;
        const report = await stopContainer(client.container, { graceS: 0, clock: systemClock, interrupted: true });
        expect(report, `${signal} after ${delay} ms`).toMatchObject({ ok: true });
        await systemClock.sleep(300);
        const id = report.containerId ?? written;
        expect(await nothingLeft(bench, engine, client, id), `${signal} after ${delay} ms: ${report.detail}`).toEqual({
          containers: [],
          processes: [],
        });
      }
    }
  });
});

describe('an engine that does not answer', () => {
  const container = (control: string[]): Container => ({
    runtime: 'docker',
    control,
    env: { PATH: process.env.PATH ?? '' },
    cwd: bench.workDir,
    roundId: 'r',
    owner: 'o',
    cidfile: join(bench.folder, 'cid'),
    cidfileIsOperators: false,
    controlDir: null,
    folder: null,
    removesItself: true,
    memoryLimited: false,
  });

  it('holds a stop up no longer than its bound', { timeout: 30_000 }, async () => {
    writeFileSync(join(bench.folder, 'cid'), 'a1'.repeat(32));
    const began = systemClock.monotonic();
    const report = await stopContainer(container(['sleep', '300', '#']), { graceS: 0, clock: systemClock, interrupted: true });
    // `sleep 300 # stop …` refuses at once; a client that hangs needs a shell.
    expect(report.ok).toBe(false);
    const hung = await stopContainer(container(['sh', '-c', 'trap "" TERM; sleep 300', 'sh']), {
      graceS: 0,
      clock: systemClock,
      interrupted: true,
    });
    expect(hung).toMatchObject({ ok: false, acted: true });
    const ms = systemClock.monotonic() - began;
    console.log(`an engine that hangs: given up after ${Math.round(ms)} ms, bound ${containerStopBudgetS(0)} s`);
    expect(ms).toBeLessThan(containerStopBudgetS(0) * 1000 + 1_500);
  });

  it('is told from one that has no such container', async () => {
    rmSync(join(bench.folder, 'cid'), { force: true });
    const dead = await stopContainer(container(['sh', '-c', 'echo cannot connect >&2; exit 1', 'sh']), {
      graceS: 0,
      clock: systemClock,
      interrupted: false,
    });
    expect(dead).toEqual({ containerId: null, ok: false, acted: false, detail: 'the engine could not be asked for the container' });
    const gone = await stopContainer(container(['true']), { graceS: 0, clock: systemClock, interrupted: false });
    expect(gone).toEqual({ containerId: null, ok: true, acted: false, detail: 'no container' });
    const absent = await stopContainer(container(['/nonexistent/docker']), { graceS: 0, clock: systemClock, interrupted: false });
    expect(absent.ok).toBe(false);
  });
});
