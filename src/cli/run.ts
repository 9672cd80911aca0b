import { CommanderError } from 'commander';
import { debugWanted, printError } from './errors.ts';
import { quietStreams } from './output.ts';
import { buildProgram } from './program.ts';
import { usageError } from './usage.ts';

/** Runs one command line (without node and script) and returns its exit code. Prints every error; never throws. */
export async function run(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json');
  quietStreams();
  // A bug in a callback of nobody's promise must not print a stack trace either.
  process.on('uncaughtException', (error) => process.exit(printError(error, json)));

  let exit = 0;
  const program = buildProgram((code) => {
    exit = code;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) return printError(error, json);
    if (error.code === 'commander.helpDisplayed') return 0;
    if (error.code === 'commander.help') {
      if (error.exitCode !== 0) process.stdout.write(program.helpInformation());
      return error.exitCode;
    }
    return printError(debugWanted() ? Object.assign(usageError(error), { cause: error }) : usageError(error), json);
  }
}
