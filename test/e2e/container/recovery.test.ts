import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCidfile } from '../../../src/container/control-dir.ts';
import { askEngine, inspectContainer } from '../../../src/container/engine.ts';
import { type ContainedProject, contained, DEAF, RESULT } from '../../support/contained.ts';
import { ENGINE_NAMES, IMAGE, openBench, requireEngine, runningId } from '../../support/engines.ts';
import { until } from '../../support/wait.ts';

/** Only the first round's agent stays; those after a restart end at once. */
const firstStays = (how: string) => `if [ "$AGENT_RUNNER_ROUND_NUM" = 1 ]; then ${how}; fi; cat >/dev/null; ${RESULT}`;
const POLITE = 'trap "exit 0" TERM; echo started; while :; do sleep 0.1; done';
const FIRST_STAYS = firstStays(POLITE);

/** serve killed outright while its agent works. */
async function killedServe(at: ContainedProject): Promise<string> {
  const serve = at.start(['serve']);
  await until('the agent works', () => at.log().includes('started'), 30_000);
  serve.child.kill('SIGKILL');
  await serve.ended;
  const [id = '', ...others] = await at.living();
  expect(others).toEqual([]);
  expect(id).toMatch(/^[0-9a-f]{64}$/);
  return id;
}

describe.each(ENGINE_NAMES)('%s: field bug 26: after kill -9 of the supervisor', (name) => {
  it('the next start leaves no container; a stranger and another owner are not touched', async (context) => {
    const engine = requireEngine(context, name);
    const at = contained(engine, { script: firstStays(name === 'docker' ? DEAF : POLITE) });
    const bench = openBench();
    const stranger = await askEngine(at.access, ['run', '-d', '--rm', ...engine.options, IMAGE, 'sleep', '300']);
    const strangerId = stranger.ok ? (stranger.stdout.trim().split('\n').at(-1) ?? '') : '';
    expect(strangerId).toMatch(/^[0-9a-f]{64}$/);
    try {
      const other = bench.start(engine, ['sleep', '300'], { owner: randomUUID() });
      const otherId = String(await until('the other runs', () => runningId(bench, engine, other), 20_000));
      const id = await killedServe(at);
      const again = await at.run(['serve', '--max-rounds', '1'], { timeoutMs: 60_000 });
      expect(again.code, again.stderr).toBe(0);
      expect(at.events('round_recovered')).toMatchObject([{ round_num: 1, container_id: id }]);
      expect(await at.living()).toEqual([]);
      expect(at.has('round-in-flight.json')).toBe(false);
      expect(at.outcomes()).toEqual(['ok']);
      for (const untouched of [otherId, strangerId])
        expect(await inspectContainer(at.access, untouched)).toMatchObject({ status: 'running' });
    } finally {
      await askEngine(at.access, ['kill', strangerId]);
      await bench.close();
    }
  });
});

describe('what a killed supervisor left', () => {
  it('is found by its record although the configuration has no container any more', async (context) => {
    const at = contained(requireEngine(context, 'docker'), { script: FIRST_STAYS });
    const id = await killedServe(at);
    const record = at.json('round-in-flight.json') as { container: { cidfile: string; folder: string; env: Record<string, string> } };
    expect(readCidfile(record.container.cidfile)).toEqual({ id });
    expect(Object.keys(record.container.env)).toContain('DOCKER_HOST');
    at.edit(/exec_prefix = .*/.exec(at.configText())?.[0] ?? '', 'exec_prefix = []');
    await at.run(['ack', 'config']);
    const again = await at.run(['round'], { timeoutMs: 60_000, env: { DOCKER_HOST: undefined } });
    expect(again.code, again.stderr).toBe(0);
    expect(at.events('round_recovered')).toMatchObject([{ container_id: id }]);
    expect(await at.living()).toEqual([]);
    expect(existsSync(record.container.folder)).toBe(false);
  });

  it('without a record: containers of this log_dir are ended at the start and told, by serve and by round', async (context) => {
    const engine = requireEngine(context, 'docker');
    const ended = async (verb: string[]) => {
      const at = contained(engine, { script: FIRST_STAYS });
      const id = await killedServe(at);
      at.remove('round-in-flight.json');
      const again = await at.run(verb, { timeoutMs: 60_000 });
      expect(again.code, again.stderr).toBe(0);
      expect(at.events('container_orphan_stopped')).toMatchObject([{ container_id: id, ok: true }]);
      expect(again.stderr).toContain(`container ${id.slice(0, 12)} of a round whose supervisor is gone was ended`);
      expect(await at.living()).toEqual([]);
      expect(at.folders()).toEqual([]);
    };
    await Promise.all([ended(['serve', '--max-rounds', '1']), ended(['round'])]);
  });

  it('is ended by `kill` too', async (context) => {
    const at = contained(requireEngine(context, 'docker'), { script: FIRST_STAYS });
    const id = await killedServe(at);
    const { recovered } = JSON.parse((await at.run(['kill', '--json'], { timeoutMs: 60_000 })).stdout);
    expect(recovered).toMatchObject({ roundNum: 1, survivors: [] });
    expect(at.events('round_recovered')).toMatchObject([{ container_id: id }]);
    expect(await at.living()).toEqual([]);
  });

  it('a single round in flight is no orphan for a serve that starts beside it', async (context) => {
    const at = contained(requireEngine(context, 'docker'), {
      script: `if [ "$AGENT_RUNNER_ROUND_NUM" = 1 ]; then echo started; sleep 4; fi; cat >/dev/null; ${RESULT}`,
    });
    const round = at.start(['round']);
    await until('the agent works', () => at.log().includes('started'), 30_000);
    const serve = at.start(['serve', '--max-rounds', '1'], { env: {} });
    expect((await round.ended).code).toBe(0);
    await at.event('round_start', ({ round_num }) => round_num === 2, 40_000);
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(at.events('container_orphan_stopped')).toEqual([]);
  });
});
