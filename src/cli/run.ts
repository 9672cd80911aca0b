import { type Command, CommanderError } from 'commander';
import { locateProject } from '../config/locate.ts';
import { configPath } from '../config/paths.ts';
import { recordInternalError } from '../state/internal-errors.ts';
import { layout } from '../state/layout.ts';
import { systemClock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { debugWanted, printError } from './errors.ts';
import { quietStreams } from './output.ts';
import { buildProgram } from './program.ts';
import { usageError } from './usage.ts';

/** Runs one command line (without node and script) and returns its exit code. Prints every error; never throws. */
export async function run(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json');
  quietStreams();
  // A bug in a callback of nobody's promise must not print a stack trace either.
  process.on('uncaughtException', (error) => {
    leaveTrace(error);
    process.exit(printError(error, json));
  });

  let exit = 0;
  const program = buildProgram((code) => {
    exit = code;
  });
  const leaveTrace = (error: unknown) => {
    if (!(error instanceof RunnerError)) recordInProject(error, program);
  };
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      leaveTrace(error);
      return printError(error, json);
    }
    if (error.code === 'commander.helpDisplayed') return 0;
    if (error.code === 'commander.help') {
      if (error.exitCode !== 0) process.stdout.write(program.helpInformation());
      return error.exitCode;
    }
    const verb = argv.find((word) => program.commands.some((command) => command.name() === word)) ?? null;
    const usage = usageError(error, verb);
    return printError(debugWanted() ? Object.assign(usage, { cause: error }) : usage, json);
  }
}

/** What a terminal does not show must be found in the log: the trace goes to the project's own folder, when there is one. */
function recordInProject(error: unknown, program: Command): void {
  try {
    const { config } = program.opts();
    const { logDir } = locateProject(configPath(config), config !== undefined);
    if (logDir !== null) recordInternalError(layout(logDir), error, systemClock);
  } catch {
    // The working directory is gone, say: the one line on the terminal must still come.
  }
}
