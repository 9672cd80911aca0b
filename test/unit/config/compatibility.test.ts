import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { agentIdentity, phaseOf, profileFor } from '../../../src/config/profile.ts';

const load = (name: string) =>
  parseConfig(readFileSync(new URL(`../../fixtures/config/${name}.toml`, import.meta.url), 'utf8'), '/srv/conf/agent-runner.toml');

it('a file of 0.2.21 for one agent loads unchanged', () => {
  const { config, warnings, project } = load('single-claude');
  expect(project).toBe('conf');
  expect(config.agent.env).toEqual({
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_EFFORT_LEVEL: 'xhigh',
    MAX_THINKING_TOKENS: '31999',
    VERBOSE: 'True',
  });
  expect(config.runtime).toMatchObject({
    work_dir: '/srv/conf',
    log_dir: join(homedir(), '.agent-runner/conf/logs'),
    round_timeout_s: 3600,
    fresh_eyes_every_n: 8,
  });
  expect(config.runtime.grace_kill_ignore_patterns.map((pattern) => pattern.test('node MCP-server-files'))).toEqual([false, true]);
  expect(config.monitor.host_health).toMatchObject({ disk_critical_pct: 92.5, psi_some_avg10_warning: 5 });
  expect(agentIdentity(config.agent)).toBe('claude');
  expect(warnings.map(({ key, code }) => `${key} ${code}`)).toEqual([
    'runtime.narrative_file AR-CFG-015',
    'monitor.auth_fail_hint AR-CFG-015',
    'monitor.auto_stop_on AR-CFG-015',
  ]);
});

it('a file of 0.2.21 with phases loads unchanged', () => {
  const { config, warnings } = load('phases');
  expect([1, 2, 3, 4].map((round) => phaseOf(config, round))).toEqual(['build', 'review', 'tidy', 'build']);

  const build = profileFor(config, 'build');
  expect(build.agent).toBe(config.agent);
  expect(build.prompt).toBe(config.prompt);
  expect(build.prompt.files).toEqual(['/srv/checkout/prompts/common.md', '/srv/checkout/prompts/build.md']);

  const review = profileFor(config, 'review');
  expect(agentIdentity(review.agent)).toBe('gemini');
  expect(review.agent).toMatchObject({ prompt_delivery: 'argv', env: {}, sigterm_grace_s: 10 });
  expect(review.runtime).toEqual({ round_timeout_s: 600, disable_pre_round_hooks: true });
  expect(review.prompt.files).toEqual(['/srv/checkout/prompts/common.md', '/srv/checkout/prompts/review.md']);
  expect(review.prompt.concat_separator).toBe('\n\n---\n\n');
  expect(review.schedule).toMatchObject({ timezone: 'Europe/Zurich', pause_windows: [], cron: [] });
  expect(review.schedule.run_windows.map(({ text }) => text)).toEqual(['Mon-Fri 22:00-06:00']);

  const tidy = profileFor(config, 'tidy');
  expect(tidy.prompt.files).toEqual([]);
  expect(tidy.runtime.round_timeout_s).toBe(300);
  expect(tidy.schedule).toBe(config.schedule);

  expect(warnings.map(({ key, code }) => `${key} ${code}`)).toEqual(['plugins.raw AR-CFG-023']);
});

it('a file of 0.2.21 with a container prefix loads unchanged', () => {
  const { config } = load('container');
  expect(config.agent.exec_prefix.slice(0, 3)).toEqual(['sudo', '-n', 'docker']);
  expect(config.prompt.files).toEqual(['/etc/agent-runner/prompt.md']);
  expect(config.monitor.auth_fail_patterns[0]?.test('HTTP 401 Unauthorised')).toBe(true);
  expect(agentIdentity(config.agent)).toBe('aider');
});
