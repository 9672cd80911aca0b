import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { PRESET_NAMES, presetText } from '../../../src/config/preset.ts';
import { AT, configOf, fileWith, problemsOf } from './sample.ts';

const byPreset = (preset: string, more: Record<string, string[]> = {}) =>
  fileWith({ ...more, agent: [`preset = "${preset}"`, ...(more.agent ?? [])] }).replace(
    /^(command|prompt_arg_template|prompt_delivery) = (?!.*#own).*\n/gm,
    '',
  );

it.each(PRESET_NAMES)('preset %s: its file loads without problems and warnings, and agent.preset gives the same agent', (name) => {
  const whole = parseConfig(presetText(name), AT);
  expect(whole.warnings).toEqual([]);
  const short = configOf(byPreset(name));
  expect({ ...short.agent, preset: null }).toEqual(whole.config.agent);
  expect(short.runtime.grace_kill_ignore_patterns).toEqual(whole.config.runtime.grace_kill_ignore_patterns);
  // The prompt goes by standard input, without a limit of size and unseen in `ps`, where the CLI takes it from there.
  expect(whole.config.agent.prompt_delivery).toBe(['aider', 'codewhale', 'kimi'].includes(name) ? 'argv' : 'stdin');
});

it('the demo preset finds the bundled agent wherever the package is', () => {
  const { command, adapter } = configOf(byPreset('demo')).agent;
  expect(command[0]).toBe('node');
  expect(existsSync(command[1] as string)).toBe(true);
  expect(adapter).toBe('demo');
});

describe('keys beside agent.preset win', () => {
  it('one by one, env by variable', () => {
    const { agent, runtime } = configOf(
      byPreset('claude', {
        agent: ['sigterm_grace_s = 3', 'command = ["/opt/claude"] #own', 'env = { DISABLE_AUTOUPDATER = "0", MINE = "1" }'],
      }),
    );
    expect(agent.command).toEqual(['/opt/claude']);
    expect(agent.prompt_arg_template).toEqual(['-p']);
    expect(agent.env).toEqual({ DISABLE_AUTOUPDATER: '0', CLAUDE_CODE_EFFORT_LEVEL: 'xhigh', MINE: '1' });
    expect(runtime.grace_kill_ignore_patterns).toHaveLength(1);
  });

  it('an own list of ignore patterns replaces the preset’s', () => {
    const { runtime } = configOf(byPreset('claude', { runtime: ["grace_kill_ignore_patterns = ['mine']"] }));
    expect(runtime.grace_kill_ignore_patterns.map(({ source }) => source)).toEqual(['mine']);
  });

  it('what does not fit together is still told', () => {
    const problems = problemsOf(byPreset('claude', { agent: ['prompt_delivery = "argv" #own'] }));
    expect(problems.map(({ key, code }) => `${key} ${code}`)).toEqual(['agent.prompt_arg_template AR-CFG-019']);
    expect(problemsOf(byPreset('claude', { agent: ['env = 3'] })).map(({ key }) => key)).toEqual(['agent.env']);
  });
});

it('an unknown preset is one problem, not two', () => {
  const problems = problemsOf(byPreset('codx', { agent: ['prompt_delivery = "stdin" #own'] }));
  expect(problems.map(({ key, remedy }) => `${key} ${remedy}`)).toEqual(['agent.preset Did you mean "codex"?']);
});

it('a phase with a preset of its own has that CLI, and its ignore patterns count', () => {
  const config = configOf(
    byPreset('codex', {
      agent: ['adapter = "codex"', 'account = "work"', 'env_file = "env"', 'env = { A = "1" }'],
      phases: ['list = ["a", "b"]'],
      'phases.b.agent': ['preset = "claude"'],
    }),
  );
  expect(config.phases.overrides.b?.agent).toMatchObject({
    command: expect.arrayContaining(['claude']),
    adapter: null,
    account: null,
    env: { DISABLE_AUTOUPDATER: '1' },
    env_file: '/srv/project/env',
  });
  expect(config.runtime.grace_kill_ignore_patterns).toHaveLength(1);
});
