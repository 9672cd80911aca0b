import { describe, expect, it, test } from 'vitest';
import { ADAPTER_NAMES } from '../../../src/agents/registry.ts';
import { hookName } from '../../../src/config/hook-name.ts';
import { parseConfig } from '../../../src/config/load.ts';
import { PRESET_NAMES } from '../../../src/config/preset.ts';
import { AT, fileWith, problemsOf } from './sample.ts';

test.each([
  [['/opt/hooks/ci-status'], 'ci-status'],
  [['ci-status', '--brief'], 'ci-status'],
  [['sh', '/opt/hooks/a.sh', 'x'], 'a.sh'],
  [['/usr/bin/python3.12', 'hooks/b.py'], 'b.py'],
  [['node', './c.mjs'], 'c.mjs'],
  [['sh', '-c', 'echo hi'], 'sh'],
  [['bash', 'echo hi'], 'bash'],
  [['env'], 'env'],
  [['curl', 'https://example.org/x'], 'curl'],
  [[], ''],
  [[7, 8], ''],
])('%j is called %j', (argv, name) => {
  expect(hookName(argv)).toBe(name);
});

describe('notify.on', () => {
  it('takes every kind, and stopped', () => {
    expect(problemsOf(fileWith({ notify: ['command = ["true"]', 'on = ["stopped", "crash_loop", "hook_failed", "round_end"]'] }))).toEqual(
      [],
    );
  });

  it('a name that does not exist is told with its place and the near one', () => {
    const [problem, ...others] = problemsOf(fileWith({ notify: ['command = ["true"]', 'on = ["stopped", "need_human", "zzzzzzzz"]'] }));
    expect(problem).toMatchObject({ code: 'AR-CFG-011', key: 'notify.on[1]', remedy: 'Did you mean "needs_human"?' });
    expect(others).toMatchObject([{ key: 'notify.on[2]', remedy: 'Take a kind of docs/events.md.' }]);
  });
});

describe('plugins.disable', () => {
  const warnings = (disable: string) =>
    parseConfig(fileWith({ hooks: ['pre_round = [["/opt/ci-status"]]'], plugins: [`disable = ${disable}`] }), AT).warnings;

  it('takes adapters and hooks of this file', () => {
    expect(warnings('["claude", "ci-status"]')).toEqual([]);
  });

  it('warns of any other name, with the near one; files of the predecessor load', () => {
    expect(warnings('["ci-statsu", "claude_rate_limit_detector"]')).toMatchObject([
      { code: 'AR-CFG-024', key: 'plugins.disable[0]', remedy: 'Did you mean "ci-status"?' },
      { code: 'AR-CFG-024', key: 'plugins.disable[1]' },
    ]);
  });

  it('knows every shipped adapter', () => {
    expect([...PRESET_NAMES, 'custom'].sort()).toEqual([...ADAPTER_NAMES].sort());
  });
});
