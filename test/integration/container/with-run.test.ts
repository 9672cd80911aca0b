import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareContainer } from '../../../src/container/prepare.ts';
import { stopContainer } from '../../../src/container/stop.ts';
import { startRun } from '../../../src/run/run.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Bench, type Engine, IMAGE, nothingLeft, openBench, requireEngine } from '../../support/engines.ts';

const MARK = 'AGENT_RUNNER_ROUND_ID';
const GRACE_MS = 2_000;

let bench: Bench;
beforeAll(() => {
  bench = openBench();
});
afterAll(() => bench.close());

/** A round as its body will run it: prepared, supervised by run/, then the container's own end. */
async function round(engine: Engine, roundId: string, command: string[], walls: { hardTimeoutMs: number; stop?: AbortSignal }) {
  const prefix = [...engine.before, 'run', '--rm', '-i', ...engine.options, IMAGE];
  const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const prepared = prepareContainer({
    argv: [...prefix, ...command],
    prefixLength: prefix.length,
    roundId,
    owner: bench.owner,
    workDir: bench.workDir,
    logDir: bench.logDir,
    env: { ...env, [MARK]: roundId },
    hostEnv: { ...process.env, XDG_STATE_HOME: join(bench.folder, 'state') },
  });
  if (prepared === null) throw new Error('not a container run');
  const logPath = join(bench.logDir, `${roundId}.log`);
  const began = systemClock.monotonic();
  const run = await startRun({
    argv: prepared.argv as [string, ...string[]],
    env: prepared.container.env,
    cwd: bench.workDir,
    stdin: 'do it\n',
    mark: { name: MARK, value: roundId },
    log: { path: logPath, maxBytes: 1024 * 1024 },
    idleTimeoutMs: 0,
    graceAfterResultMs: 0,
    ignorePatterns: [],
    termGraceMs: GRACE_MS,
    stopSignal: 'SIGTERM',
    ...walls,
  });
  const left = Math.max(0, GRACE_MS - run.receipt.durationMs) / 1000;
  const stop = await stopContainer(prepared.container, { graceS: left, clock: systemClock, interrupted: run.end !== 'exit' });
  const ms = systemClock.monotonic() - began;
  const rest = await nothingLeft(bench, engine, { container: prepared.container } as Parameters<typeof nothingLeft>[2], stop.containerId);
  return { run, stop, ms, rest, log: readFileSync(logPath, 'utf8') };
}

describe.each(['docker', 'podman'] as const)('%s under the supervisor of one process', (name) => {
  const nothing = { containers: [], processes: [] };

  it('a prompt goes in, output and exit code come out, nothing has to be ended', async (context) => {
    const engine = requireEngine(context, name);
    const seen = await round(engine, `clean-${name}`, ['sh', '-c', 'read line; echo "got: $line"; exit 3'], { hardTimeoutMs: 30_000 });
    expect(seen).toMatchObject({ run: { end: 'exit', exitCode: 3 }, stop: { ok: true, acted: false }, rest: nothing });
    expect(seen.run.receipt.survivors).toEqual([]);
    expect(seen.log).toContain('got: do it');
    console.log(`${name}: a round of 'echo' took ${Math.round(seen.ms)} ms`);
  });

  it('reference case 3: a time-out ends a container that ignores TERM within the grace + 2 s', async (context) => {
    const engine = requireEngine(context, name);
    const wall = 1_500;
    const seen = await round(engine, `deaf-${name}`, ['sh', '-c', 'trap "" TERM INT; while :; do sleep 1; done'], { hardTimeoutMs: wall });
    expect(seen).toMatchObject({ run: { end: 'timeout' }, stop: { ok: true }, rest: nothing });
    expect(seen.ms - wall).toBeLessThan(GRACE_MS + 2_000);
    console.log(
      `${name}: deaf, from the wall to the end ${Math.round(seen.ms - wall)} ms with a grace of ${GRACE_MS} ms; ${seen.stop.detail}`,
    );
  });

  it('a time-out lets a container that listens end by itself', async (context) => {
    const engine = requireEngine(context, name);
    const wall = 1_500;
    const seen = await round(engine, `polite-${name}`, ['sh', '-c', 'trap "echo bye; exit 0" TERM; while :; do sleep 0.1; done'], {
      hardTimeoutMs: wall,
    });
    expect(seen).toMatchObject({ run: { end: 'timeout' }, stop: { ok: true, acted: false }, rest: nothing });
    expect(seen.log).toContain('bye');
    console.log(`${name}: polite, from the wall to the end ${Math.round(seen.ms - wall)} ms`);
  });

  it('field bug 25: a stop while the container is being made leaves nothing', async (context) => {
    const engine = requireEngine(context, name);
    for (const delay of [30, 120]) {
      const stop = new AbortController();
      setTimeout(() => stop.abort('stopped'), delay);
      const seen = await round(engine, `early-${name}-${delay}`, ['sleep', '300'], { hardTimeoutMs: 30_000, stop: stop.signal });
      expect(seen, `after ${delay} ms`).toMatchObject({ run: { end: 'stopped' }, stop: { ok: true }, rest: nothing });
    }
    expect(existsSync(bench.logDir)).toBe(true);
  });
});
