import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askEngine, inspectContainer } from '../../../src/container/engine.ts';
import { containerEvidence } from '../../../src/container/evidence.ts';
import { type ContainerVerdict, containerVerdict } from '../../../src/container/verdict.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Bench, type Client, openBench, requireEngine, runningId } from '../../support/engines.ts';
import { until } from '../../support/wait.ts';

let bench: Bench;
beforeAll(() => {
  bench = openBench();
});
afterAll(() => bench.close());

async function verdictOf(client: Client): Promise<{ code: number | null; verdict: ContainerVerdict; ms: number }> {
  const { code } = await client.end;
  const began = systemClock.monotonic();
  const evidence = await containerEvidence(client.container, code, systemClock);
  return { code, verdict: containerVerdict(code, false, evidence), ms: Math.round(systemClock.monotonic() - began) };
}

const say = (code: number) => ['sh', '-c', `exit ${code}`];
const EAT = ['tail', '/dev/zero'];
const CHILD_EATS = ['sh', '-c', 'tail /dev/zero; exit 5'];
const MEMORY = ['--rm', '--memory', '16m', '--memory-swap', '16m'];

describe.each(['docker', 'podman'] as const)('%s: field bugs 28 and 29: what an exit code means', (name) => {
  it.for<[string, string[], string[], number, ContainerVerdict]>([
    ['an agent that exits 125', say(125), ['--rm'], 125, 'agent'],
    ['an agent that exits 126', say(126), ['--rm'], 126, 'agent'],
    ['an agent that exits 127', say(127), ['--rm'], 127, 'agent'],
    ['an agent that exits 127, container kept', say(127), [], 127, 'agent'],
    ['an agent that exits 3', say(3), ['--rm'], 3, 'agent'],
    ['a mount that the engine refuses', say(0), ['--rm', '-v', '/usr:/x:nonsense'], 125, 'container_error'],
    ['a program that is not in the image', ['no-such-program'], ['--rm'], 127, 'container_error'],
    ['a program that is no program', ['/etc/passwd'], ['--rm'], 126, 'container_error'],
    ['main process killed for memory', EAT, MEMORY, 137, 'oom_killed'],
    [
      'main process killed for memory, with an init',
      EAT,
      [...MEMORY, ...(name === 'docker' ? ['--init'] : ['--init', '--init-path', '/usr/bin/tini-static'])],
      137,
      'oom_killed',
    ],
    ['a child killed for memory', CHILD_EATS, MEMORY, 5, 'agent'],
    ['an agent that exits 137', say(137), ['--rm'], 137, 'foreign_kill'],
  ])('%s', async ([, command, options, code, verdict], context) => {
    const engine = requireEngine(context, name);
    const seen = await verdictOf(bench.start(engine, command, { options }));
    expect(seen).toMatchObject({ code, verdict });
  });

  it('an image that is not there', async (context) => {
    const engine = requireEngine(context, name);
    const seen = await verdictOf(bench.start(engine, say(0), { options: ['--rm', 'agent-runner-test/absent:1'] }));
    expect(seen).toMatchObject({ code: 125, verdict: 'container_error' });
  });

  it('somebody else kills it: through the engine, and from the host', async (context) => {
    const engine = requireEngine(context, name);
    const access = bench.access(engine);
    for (const how of ['engine', 'host'] as const) {
      const client = bench.start(engine, ['sleep', '300'], { options: ['--rm', '--memory', '64m'] });
      const id = String(await until('it runs', () => runningId(bench, engine, client)));
      const state = await inspectContainer(access, id);
      if (state === null || state === 'unknown') throw new Error('it ended by itself');
      if (how === 'engine') expect(await askEngine(access, ['kill', id])).toMatchObject({ ok: true });
      else process.kill(state.pid, 'SIGKILL');
      expect(await verdictOf(client), how).toMatchObject({ code: 137, verdict: 'foreign_kill' });
    }
  });

  it('how long the evidence takes', async (context) => {
    const engine = requireEngine(context, name);
    const seen = await verdictOf(bench.start(engine, say(125)));
    console.log(`${name}: evidence for exit 125 took ${seen.ms} ms`);
    expect(seen.ms).toBeLessThan(2_000);
    expect(await verdictOf(bench.start(engine, say(0)))).toMatchObject({ verdict: 'agent' });
  });

  it('our own kill is ours', () => {
    expect(containerVerdict(137, true, null)).toBe('own_kill');
  });
});
