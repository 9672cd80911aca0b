import { describe, expect, it } from 'vitest';
import { phaseOf, profileFor } from '../../../src/config/profile.ts';
import { configOf, fileWith, problemsOf } from './sample.ts';

const told = (changes: Record<string, string[]>) => problemsOf(fileWith(changes)).map(({ key, code }) => `${key} ${code}`);
const LIST = { phases: ['list = ["build", "review"]'] };

describe('reference case 21: what a phase may say', () => {
  it.each<[string, Record<string, string[]>, string[]]>([
    ['a phase that is not listed', { ...LIST, 'phases.reveiw': ['round_timeout_s = 1'] }, ['phases.reveiw AR-CFG-020']],
    ['exec_prefix', { ...LIST, 'phases.build.agent': ['exec_prefix = ["docker"]'] }, ['phases.build.agent.exec_prefix AR-CFG-013']],
    ['fallback', { ...LIST, 'phases.build.agent': ['fallback = []'] }, ['phases.build.agent.fallback AR-CFG-013']],
    ['work_dir', { ...LIST, 'phases.build.runtime': ['work_dir = "x"'] }, ['phases.build.runtime.work_dir AR-CFG-013']],
    ['vcs', { ...LIST, 'phases.build.vcs': ['dirty_action = "stash"'] }, ['phases.build.vcs AR-CFG-013']],
    ['an unknown key', { ...LIST, 'phases.build': ['round_timout_s = 1'] }, ['phases.build.round_timout_s AR-CFG-010']],
    [
      'another key of runtime',
      { ...LIST, 'phases.build.runtime': ['restart_delay_s = 1'] },
      ['phases.build.runtime.restart_delay_s AR-CFG-010'],
    ],
    ['another key of prompt', { ...LIST, 'phases.build.prompt': ['file = "x"'] }, ['phases.build.prompt.file AR-CFG-010']],
    ['a bool for an int', { ...LIST, 'phases.build': ['round_timeout_s = true'] }, ['phases.build.round_timeout_s AR-CFG-011']],
    ['a bare string for a list', { ...LIST, 'phases.build.prompt': ['files = "x.md"'] }, ['phases.build.prompt.files AR-CFG-011']],
    ['a scalar for a table', { ...LIST, 'phases.build': ['agent = "codex"'] }, ['phases.build.agent AR-CFG-011']],
    [
      'both names of the wall',
      { ...LIST, 'phases.build': ['round_timeout_s = 1', 'round_budget_s = 1'] },
      ['phases.build.round_budget_s AR-CFG-016'],
    ],
    [
      'the short and the long form',
      {
        ...LIST,
        'phases.build': [
          'round_timeout_s = 1',
          'disable_pre_round_hooks = true',
          'runtime = { round_budget_s = 2, disable_pre_round_hooks = true }',
        ],
      },
      ['phases.build.runtime.round_timeout_s AR-CFG-016', 'phases.build.runtime.disable_pre_round_hooks AR-CFG-016'],
    ],
    ['a pipeline', { ...LIST, 'phases.build': ['pipeline = { file = "p.yml" }'] }, ['phases.build.pipeline AR-CFG-014']],
    [
      'no place for the prompt',
      { ...LIST, 'phases.build.agent': ['prompt_delivery = "argv"'] },
      ['phases.build.agent.prompt_arg_template AR-CFG-019'],
    ],
  ])('%s', (_name, changes, expected) => {
    expect(told(changes).sort()).toEqual([...expected].sort());
  });

  it('a round without a prompt needs no place for one', () => {
    expect(told({ ...LIST, 'phases.build.agent': ['prompt_delivery = "argv"'], 'phases.build.prompt': ['files = []'] })).toEqual([]);
  });

  it('an absent or empty list is no phases', () => {
    expect(phaseOf(configOf(fileWith()), 7)).toBeNull();
    expect(phaseOf(configOf(fileWith({ phases: ['list = []'] })), 7)).toBeNull();
  });
});

it('both names of the wall in [runtime] are one too many; the newer one alone counts', () => {
  expect(told({ runtime: ['round_budget_s = 5', 'round_timeout_s = 5'] })).toEqual(['runtime.round_budget_s AR-CFG-016']);
  expect(configOf(fileWith({ runtime: ['round_budget_s = 5'] })).runtime.round_timeout_s).toBe(5);
  expect(configOf(fileWith()).runtime.round_timeout_s).toBe(1800);
});

it('a phase named like something that every object has is just a name', () => {
  const config = configOf(fileWith({ phases: ['list = ["toString", "constructor"]'] }));
  expect(profileFor(config, 'constructor')).toEqual({ ...profileFor(config, null), phase: 'constructor' });
  expect(profileFor(config, 'toString').agent).toBe(config.agent);
});
