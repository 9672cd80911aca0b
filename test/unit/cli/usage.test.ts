import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { errorReport, errorText } from '../../../src/cli/errors.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import { usageError } from '../../../src/cli/usage.ts';
import { RunnerError } from '../../../src/util/errors.ts';

async function complaint(...argv: string[]): Promise<string> {
  try {
    await buildProgram(() => {}).parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      const usage = usageError(error, argv[0]?.startsWith('-') ? null : argv[0]);
      expect(usage.exitCode).toBe(2);
      return errorText(errorReport(usage), true);
    }
    throw error;
  }
  throw new Error('nothing to complain about');
}

test.each([
  [['stpo'], "unknown verb 'stpo'. Did you mean 'stop'? [AR-CLI-001]"],
  [['xyzzy'], "unknown verb 'xyzzy'. 'agent-runner --help' lists the verbs [AR-CLI-001]"],
  [['watch'], "'watch' is not in this version yet."],
  [['peek', '--selct', 'a'], "unknown option '--selct'. Did you mean '--select'? [AR-CLI-002]"],
  [['--jsn', 'peek'], "unknown option '--jsn'. Did you mean '--json'? [AR-CLI-002]"],
  [['--frobnicate'], "unknown option '--frobnicate'. 'agent-runner --help' lists what it takes [AR-CLI-002]"],
  [['peek', '--events'], "option '--events <n>' argument missing."],
  [['peek', '--events', '-3'], "option '--events <n>' argument '-3' is invalid. It must be a whole number."],
  [['serve', '--max-rounds', '0'], "option '--max-rounds <n>' argument '0' is invalid. It must be 1 or more."],
  [['peek', '--round', 'newest'], "option '--round <n>' argument 'newest' is invalid."],
  [['stop', 'now'], "too many arguments for 'stop'. Expected 0 arguments but got 1. 'agent-runner stop --help' lists what it takes"],
])('%j', async (argv, words) => {
  const text = await complaint(...argv);
  expect(text).toContain(words);
  expect(text.trimEnd()).not.toContain('\n');
});

test('an error is one line and its remedy; anything else is an internal error without a trace', () => {
  const known = new RunnerError({ code: 'AR-CLI-006', message: 'nothing runs', remedy: 'start it' });
  expect(errorText(errorReport(known), false)).toBe('agent-runner: nothing runs [AR-CLI-006]\n  start it\n');
  const report = errorReport(new TypeError("Cannot read properties of undefined (reading 'x')\n    at somewhere"));
  expect(report).toMatchObject({ code: 'AR-CLI-099', message: "internal error: Cannot read properties of undefined (reading 'x')" });
  expect(errorReport('thrown text').message).toBe('internal error: thrown text');
});
