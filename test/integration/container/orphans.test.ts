import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectContainer } from '../../../src/container/engine.ts';
import { stopOrphans } from '../../../src/container/orphans.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Bench, type Client, ENGINE_NAMES, type Engine, openBench, requireEngine, runningId } from '../../support/engines.ts';
import { until } from '../../support/wait.ts';

let bench: Bench;
beforeAll(() => {
  bench = openBench();
});
afterAll(() => bench.close());

const SLEEP = ['sleep', '300'];

async function running(engine: Engine, client: Client): Promise<string> {
  return String(await until('it runs', () => runningId(bench, engine, client)));
}

describe.each(ENGINE_NAMES)('%s: field bug 26: after a supervisor was killed', (name) => {
  it('its containers are stopped at the next start; a round in flight, another owner and a stranger are not touched', async (context) => {
    const engine = requireEngine(context, name);
    const inFlight = randomUUID();
    const lost = bench.start(engine, SLEEP);
    const kept = bench.start(engine, SLEEP, { roundId: inFlight });
    const other = bench.start(engine, SLEEP, { owner: randomUUID() });
    const ids = { lost: await running(engine, lost), kept: await running(engine, kept), other: await running(engine, other) };
    // The whole process group of a killed supervisor may be gone with it, or the client lives on: either way the container stays.
    lost.signal('SIGKILL');

    const began = systemClock.monotonic();
    const orphans = await stopOrphans({
      access: bench.access(engine),
      owner: bench.owner,
      keepRoundId: inFlight,
      graceS: 0,
      clock: systemClock,
    });
    console.log(`${name}: one orphan ended in ${Math.round(systemClock.monotonic() - began)} ms`);
    expect(orphans).toEqual([{ containerId: ids.lost, roundId: lost.container.roundId, ok: true, detail: 'stop' }]);
    for (const id of [ids.kept, ids.other]) expect(await inspectContainer(bench.access(engine), id)).toMatchObject({ status: 'running' });

    const rest = await stopOrphans({ access: bench.access(engine), owner: bench.owner, keepRoundId: null, graceS: 0, clock: systemClock });
    expect(rest).toMatchObject([{ containerId: ids.kept, roundId: inFlight, ok: true }]);
    expect(
      await stopOrphans({ access: bench.access(engine), owner: bench.owner, keepRoundId: null, graceS: 0, clock: systemClock }),
    ).toEqual([]);
  });

  it('an engine that does not answer is said, not guessed', async (context) => {
    const engine = requireEngine(context, name);
    const access = { ...bench.access(engine), control: ['sh', '-c', 'echo "cannot connect" >&2; exit 1'] };
    expect(await stopOrphans({ access, owner: bench.owner, keepRoundId: null, graceS: 0, clock: systemClock })).toBe('unknown');
  });
});
