import { describe, expect, it } from 'vitest';
import { accountOf, everyAgent, profileFor } from '../../../src/config/profile.ts';
import { configOf, fileWith, problemsOf } from './sample.ts';

const told = (changes: Record<string, string[]>) => problemsOf(fileWith(changes)).map(({ key, code }) => `${key} ${code}`);
/** The base agent is claude. */
const withFallbacks = (...tables: string[]) => ({ agent: [`fallback = [${tables.join(', ')}]`] });

describe('[[agent.fallback]]', () => {
  it.each<[string, string[], string[]]>([
    ['a preset alone is an agent', ['{ preset = "codex" }'], []],
    ['so is a command with its delivery', ['{ command = ["codex", "exec"], prompt_arg_template = ["{prompt}"] }'], []],
    ['neither of the two', ['{ name = "spare" }'], ['agent.fallback[0].command AR-CFG-012']],
    ['an unknown preset is one problem', ['{ preset = "codx" }'], ['agent.fallback[0].preset AR-CFG-022']],
    ['an unknown key', ['{ preset = "codex", modell = "x" }'], ['agent.fallback[0].modell AR-CFG-010']],
    ['a prefix of its own', ['{ preset = "codex", exec_prefix = ["docker"] }'], ['agent.fallback[0].exec_prefix AR-CFG-010']],
    ['a scalar', ['"codex"'], ['agent.fallback[0] AR-CFG-011']],
    ['a bare string as command', ['{ command = "codex" }'], ['agent.fallback[0].command AR-CFG-011']],
    [
      'no place for the prompt',
      ['{ command = ["codex"], prompt_delivery = "argv" }'],
      ['agent.fallback[0].prompt_arg_template AR-CFG-019'],
    ],
    ['the account of the agent', ['{ preset = "claude" }'], ['agent.fallback[0].command AR-CFG-025']],
    ['the same CLI with an account of its own', ['{ preset = "claude", account = "home" }'], []],
    [
      'the account of a fallback before it',
      ['{ preset = "codex" }', '{ preset = "pi", account = "codex" }'],
      ['agent.fallback[1].account AR-CFG-025'],
    ],
  ])('%s', (_name, tables, expected) => {
    expect(told(withFallbacks(...tables))).toEqual(expected);
  });

  it('is told with its line', () => {
    const [problem] = problemsOf(`${fileWith()}\n[[agent.fallback]]\npreset = "codex"\n[[agent.fallback]]\npreset = "codx"\n`);
    expect(problem).toMatchObject({ key: 'agent.fallback[1].preset', line: 13 });
  });

  it('is complete in itself, but for the prefix: the key and the account of the agent are not a stranger’s', () => {
    const config = configOf(
      fileWith({
        agent: [
          'exec_prefix = ["env"]',
          'account = "work"',
          'env = { KEY = "secret" }',
          'env_file = "work.env"',
          'fallback = [{ preset = "codex", env_file = "codex.env", sigterm_grace_s = 7, env = { A = "b" } }]',
        ],
      }),
    );
    const { agent } = profileFor(config, null, 1);
    expect(agent).toMatchObject({
      exec_prefix: ['env'],
      account: null,
      env_file: '/srv/project/codex.env',
      sigterm_grace_s: 7,
      fallback: [],
    });
    expect(agent.command[0]).toBe('codex');
    expect(agent.env).toMatchObject({ A: 'b' });
    expect(agent.env).not.toHaveProperty('KEY');
    expect([accountOf(config.agent), accountOf(agent)]).toEqual(['work', 'codex']);
    expect(profileFor(config, null, 2)).toMatchObject({ fallback: 0, agent: config.agent });
    expect(everyAgent(config)).toEqual([config.agent, agent]);
  });

  it('stands in for phases that run the same agent, never for one that names another', () => {
    const config = configOf(
      fileWith({
        ...withFallbacks('{ preset = "codex" }'),
        phases: ['list = ["plan", "build", "small", "review", "home"]'],
        'phases.small.agent': ['command = ["/opt/claude", "--model", "small"]'],
        'phases.build.agent': ['env = { DEPTH = "2" }'],
        'phases.review.agent': ['preset = "pi"'],
        'phases.home.agent': ['account = "home"'],
      }),
    );
    const count = (phase: string) => profileFor(config, phase).agent.fallback.length;
    expect(['plan', 'build', 'small', 'review', 'home'].map(count)).toEqual([1, 1, 1, 0, 0]);
  });
});
