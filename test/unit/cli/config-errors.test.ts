import { expect, it } from 'vitest';
import { errorReport, errorText } from '../../../src/cli/errors.ts';
import { ConfigProblems, type Problem } from '../../../src/config/problems.ts';

const problem = (line: number): Problem => ({
  code: 'AR-CFG-010',
  file: '/p/a.toml',
  line,
  column: 1,
  key: 'vcs.x',
  message: 'is not a known key',
  remedy: 'Remove it.',
});

it('one problem of a configuration reads like any other error', () => {
  const report = errorReport(new ConfigProblems([problem(3)]));
  expect(errorText(report, false)).toBe('agent-runner: /p/a.toml:3:1: vcs.x: is not a known key [AR-CFG-010]\n  Remove it.\n');
});

it('several are listed under one line, and are data in JSON', () => {
  const report = errorReport(new ConfigProblems([problem(3), problem(4)]));
  expect(errorText(report, false)).toBe(
    [
      'agent-runner: /p/a.toml has 2 problems [AR-CFG-001]',
      '  /p/a.toml:3:1: vcs.x: is not a known key [AR-CFG-010]',
      '    Remove it.',
      '  /p/a.toml:4:1: vcs.x: is not a known key [AR-CFG-010]',
      '    Remove it.',
      '  Correct these; nothing was started.',
      '',
    ].join('\n'),
  );
  expect(report.message).not.toContain('\n');
  expect(report.problems?.map(({ line }) => line)).toEqual([3, 4]);
});

it('a file of a thousand problems does not fill the terminal', () => {
  const many = Array.from({ length: 1000 }, (_, index) => problem(index + 1)) as [Problem, ...Problem[]];
  const report = errorReport(new ConfigProblems(many));
  expect(report.message).toBe('/p/a.toml has 1000 problems');
  expect(report.problems).toHaveLength(50);
});
