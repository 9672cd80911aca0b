import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { ConfigProblems } from '../../../src/config/problems.ts';
import { profileFor } from '../../../src/config/profile.ts';

const BASE =
  '[agent]\ncommand = ["claude"]\nprompt_delivery = "stdin"\n[runtime]\nwork_dir = "."\nlog_dir = "/logs"\n[prompt]\nfile = "p.md"\n';
const load = (text: string) => parseConfig(BASE + text, '/srv/project/agent-runner.toml');
const problems = (text: string): string[] => {
  try {
    load(text);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    return error.problems.map(({ key, code, line }) => `${key} ${code} ${line}`);
  }
};
const FIRST = BASE.split('\n').length;

it('reference case 17: the schedule of a phase replaces the windows as a whole and inherits the zone', () => {
  const { config, warnings } = load(`[schedule]
timezone = "Asia/Tokyo"
run_windows = ["22:00-06:00"]
cron = "0 23 * * *"
[phases]
list = ["a", "b"]
[phases.a.schedule]
pause_windows = ["Sat,Sun 00:00-24:00"]
`);
  expect(profileFor(config, 'a').schedule).toMatchObject({ timezone: 'Asia/Tokyo', run_windows: [], cron: [] });
  expect(profileFor(config, 'a').schedule.pause_windows).toMatchObject([{ days: [5, 6], start: 0, end: 1440 }]);
  expect(profileFor(config, 'b').schedule).toBe(config.schedule);
  expect(config.schedule.cron).toEqual(['0 23 * * *']);
  expect(warnings).toEqual([]);
});

describe('a schedule that never opens is refused, at its place', () => {
  const phased = (policy: string, more = '') => `[phases]
list = ["a", "b"]
phase_policy = "${policy}"
[phases.a.schedule]
pause_windows = ["00:00-24:00"]
${more}`;
  it.each<[string, string, string[]]>([
    ['all is paused', '[schedule]\npause_windows = ["00:00-24:00"]\n', [`schedule.pause_windows AR-CFG-052 ${FIRST + 1}`]],
    [
      'its windows are',
      '[schedule]\nrun_windows = ["Mon 09:00-10:00"]\npause_windows = ["Mon-Fri 08:00-18:00"]\n',
      [`schedule.pause_windows AR-CFG-052 ${FIRST + 2}`],
    ],
    ['no start lies within', '[schedule]\nrun_windows = ["22:00-06:00"]\ncron = "0 20 * * *"\n', [`schedule.cron AR-CFG-052 ${FIRST + 2}`]],
    ['a start that never comes', '[schedule]\ncron = "0 0 L-30 2 *"\n', [`schedule.cron AR-CFG-052 ${FIRST + 1}`]],
    ['one expression is enough', '[schedule]\nrun_windows = ["22:00-06:00"]\ncron = ["0 20 * * *", "0 23 29 2 *"]\n', []],
    ['a phase that is waited for', phased('wait'), [`phases.a.schedule.pause_windows AR-CFG-052 ${FIRST + 4}`]],
    ['a phase that is skipped is switched off', phased('skip'), []],
    [
      'all of them are',
      phased('skip', '[phases.b.schedule]\npause_windows = ["00:00-24:00"]\n'),
      [`phases.a.schedule.pause_windows AR-CFG-052 ${FIRST + 4}`, `phases.b.schedule.pause_windows AR-CFG-052 ${FIRST + 6}`],
    ],
    [
      'a base that no phase uses',
      `[schedule]\npause_windows = ["00:00-24:00"]\n[phases]\nlist = ["a"]\n[phases.a.schedule]\nrun_windows = []\n`,
      [],
    ],
    [
      'what cannot be read is told alone',
      '[schedule]\nrun_windows = ["x"]\npause_windows = ["00:00-12:00"]\n',
      [`schedule.run_windows[0] AR-CFG-050 ${FIRST + 1}`],
    ],
  ])('%s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });
});

describe('phase_window_overlap warns', () => {
  const phases = (a: string, b: string, agents = true) => `[schedule]
timezone = "UTC"
[phases]
list = ["a", "b"]
[phases.a.schedule]
${a}
[phases.b.schedule]
${b}
${agents ? '[phases.a.agent]\ncommand = ["codex"]\n[phases.b.agent]\ncommand = ["gemini"]\n' : ''}`;
  const warned = (text: string) =>
    load(text)
      .warnings.filter(({ code }) => code === 'AR-CFG-053')
      .map(({ key }) => key);

  it.each<[string, string, string[]]>([
    ['run_windows = ["08:00-18:00"]', 'run_windows = ["18:00-08:00"]', []],
    ['run_windows = ["08:00-18:01"]', 'run_windows = ["18:00-08:00"]', ['phases.b.schedule']],
    ['run_windows = ["Mon-Fri 22:00-06:00"]', 'run_windows = ["Sat 05:00-07:00"]', ['phases.b.schedule']],
    ['run_windows = ["Mon-Fri 22:00-06:00"]', 'run_windows = ["Sat 06:00-07:00"]', []],
    ['run_windows = ["08:00-18:00"]', 'timezone = "Asia/Tokyo"\nrun_windows = ["08:00-18:00"]', []],
  ])('%s and %s', (a, b, expected) => {
    expect(warned(phases(a, b))).toEqual(expected);
  });

  it('says nothing of phases that share their agent: there the rotation is what is meant', () => {
    expect(warned(phases('run_windows = ["08:00-18:00"]', 'run_windows = ["08:00-18:00"]', false))).toEqual([]);
  });
});
