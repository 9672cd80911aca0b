import { describe, expect, it } from 'vitest';
import { askEngine, inspectContainer } from '../../../src/container/engine.ts';
import { type ContainedOptions, contained, RESULT } from '../../support/contained.ts';
import { requireEngine } from '../../support/engines.ts';
import { hurry } from '../../support/hurry.ts';
import { until } from '../../support/wait.ts';

const says = (code: number): ContainedOptions => ({ script: `cat >/dev/null; exit ${code}` });
const MEMORY = ['--rm', '-i', '--memory', '16m', '--memory-swap', '16m'];

describe.each(['docker', 'podman'] as const)(
  '%s: field bug 28, field bug 29: engine, kernel and agent are told apart by the end of a round',
  (name) => {
    const init = name === 'docker' ? ['--init'] : ['--init', '--init-path', '/usr/bin/tini-static'];

    it.for<[string, ContainedOptions, string, number]>([
      ['an agent that exits 125', says(125), 'crash', 1],
      ['an agent that exits 126', says(126), 'crash', 1],
      ['an agent that exits 127', says(127), 'crash', 1],
      ['a mount that the engine refuses', { options: ['--rm', '-i', '-v', '/usr:/x:nonsense'] }, 'container_error', 76],
      ['a program that is no program', { command: ['/etc/passwd'] }, 'container_error', 76],
      ['a program that is not in the image', { command: ['no-such-program'] }, 'container_error', 76],
      ['the main process killed for memory', { script: 'tail /dev/zero', options: [...MEMORY, ...init] }, 'oom_killed', 1],
      ['a child killed for memory', { script: 'tail /dev/zero; exit 5', options: MEMORY }, 'crash', 1],
      ['a child killed for memory, and the turn ended well', { script: `tail /dev/zero; ${RESULT}`, options: MEMORY }, 'ok', 0],
      ['an agent that exits 137', says(137), 'crash', 1],
    ])('%s', async ([, options, outcome, exit], context) => {
      const at = contained(requireEngine(context, name), options);
      const result = await at.run(['round'], { timeoutMs: 60_000 });
      expect({ outcomes: at.outcomes(), exit: result.code }, result.stderr).toEqual({ outcomes: [outcome], exit });
      if (outcome === 'container_error') expect(result.stderr).toContain(`${name} did not run the agent to its end (exit 12`);
      if (outcome === 'oom_killed') expect(result.stderr).toContain('for memory');
      expect(await at.containers()).toEqual([]);
    });

    it('a kill by somebody else, by the engine and from the host, is a crash and not for memory', async (context) => {
      const engine = requireEngine(context, name);
      const killed = async (how: 'engine' | 'host') => {
        const at = contained(engine, { script: 'echo started; exec sleep 300', options: ['--rm', '-i', '--memory', '64m'] });
        const round = at.start(['round']);
        await until('the agent works', () => at.log().includes('started'), 30_000);
        const [id = ''] = await at.containers();
        const state = await inspectContainer(at.access, id);
        if (state === null || state === 'unknown') throw new Error('it ended by itself');
        if (how === 'engine') expect(await askEngine(at.access, ['kill', id])).toMatchObject({ ok: true });
        else process.kill(state.pid, 'SIGKILL');
        const { stderr } = await round.ended;
        expect(at.outcomes(), how).toEqual(['crash']);
        expect(at.events('agent_exit'), how).toMatchObject([{ exit_code: 137 }]);
        expect(stderr, how).toContain('killed, not by us and not for memory');
      };
      await Promise.all([killed('engine'), killed('host')]);
    });
  },
);

it('an engine that starts nothing is no crash of the agent: no breaker, and the loop goes on', async (context) => {
  const at = contained(requireEngine(context, 'docker'), { options: ['--rm', '-i', '--nonsense'] });
  expect(await hurry(at, at.start(['serve', '--max-rounds', '6']))).toMatchObject({ code: 0 });
  expect(at.outcomes()).toEqual(Array(6).fill('container_error'));
  expect(at.events('crash_loop')).toEqual([]);
});
