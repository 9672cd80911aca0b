import { ConfigProblems, type Problem, problemLine } from '../config/problems.ts';
import { traceOf } from '../state/internal-errors.ts';
import { messageOf, RunnerError } from '../util/errors.ts';
import { exitCode } from '../util/exit-codes.ts';
import { harmless } from '../util/harmless.ts';

/** `AGENT_RUNNER_DEBUG=1`: the one way to see a stack trace. */
export function debugWanted(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.AGENT_RUNNER_DEBUG === '1';
}

/** What a user sees of any error: a bug gets a code of its own, so that it can be reported. */
export interface ErrorReport {
  code: string;
  message: string;
  remedy: string | null;
  /** Everything that is wrong with a configuration file, when it is more than one thing. */
  problems?: readonly Problem[];
}

export function errorReport(error: unknown): ErrorReport {
  if (error instanceof ConfigProblems && error.problems.length > 1) {
    const { code, problems, remedy = null } = error;
    return { code, message: messageOf(error).split('\n', 1)[0] ?? '', remedy, problems };
  }
  if (error instanceof RunnerError) return { code: error.code, message: error.message, remedy: error.remedy ?? null };
  return {
    code: 'AR-CLI-099',
    message: `internal error: ${messageOf(error).split('\n', 1)[0]}`,
    remedy: 'This is a bug in agent-runner. AGENT_RUNNER_DEBUG=1 shows where; please report it.',
  };
}

/** stderr text: one line, the remedy below it; a usage error keeps to one line. */
export function errorText({ code, message, remedy, problems = [] }: ErrorReport, usage: boolean): string {
  if (problems.length > 0) {
    const lines = problems.map((problem) => `  ${problemLine(problem)} [${problem.code}]\n    ${problem.remedy}\n`);
    return `agent-runner: ${message} [${code}]\n${lines.join('')}  ${remedy ?? ''}\n`;
  }
  if (remedy === null) return `agent-runner: ${message} [${code}]\n`;
  return usage ? `agent-runner: ${message}. ${remedy} [${code}]\n` : `agent-runner: ${message} [${code}]\n  ${remedy}\n`;
}

/** Prints the error (as JSON on stdout with `--json`) and returns the exit code it deserves. */
export function printError(error: unknown, json: boolean): number {
  const report = errorReport(error);
  const code = error instanceof RunnerError ? error.exitCode : exitCode('failure');
  if (json) process.stdout.write(`${JSON.stringify({ error: report }, null, 2)}\n`);
  else process.stderr.write(harmless(errorText(report, code === exitCode('usage'))));
  if (debugWanted()) process.stderr.write(`${traceOf(error)}\n`);
  return code;
}
