import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { errnoOf, RunnerError } from '../util/errors.ts';

interface Attempt {
  argv: readonly [string, ...string[]];
  cwd: string;
}

/** Linux refuses an argument of 32 pages or more, its final NUL counted (MAX_ARG_STRLEN, execve(2)). */
const MAX_ARGUMENT_BYTES = 131_071;

/**
 * Says which part of a start was at fault. The kernel gives one errno for all: ENOENT is a missing directory, a missing program, or
 * the missing interpreter of a script.
 */
export function explainSpawnFailure(errno: string, { argv, cwd }: Attempt): RunnerError {
  const cwdErrno = unusableFolder(cwd);
  if (cwdErrno !== null) {
    return new RunnerError({
      code: 'AR-RUN-001',
      message: `the directory to start the agent in cannot be used: ${cwd} (${cwdErrno})`,
      remedy: 'create the directory or correct runtime.work_dir',
      exit: 'environment',
    });
  }
  const [program] = argv;
  if (errno === 'ENOENT') {
    const what = existsSync(program)
      ? `the interpreter in the first line of ${program} does not exist`
      : `the program does not exist: ${program}`;
    return new RunnerError({
      code: 'AR-RUN-002',
      message: `the agent cannot be started: ${what}`,
      remedy: 'install it, or correct agent.command; an update may be replacing it just now',
      exit: 'environment',
    });
  }
  if (errno === 'EACCES' || errno === 'ENOEXEC') {
    return new RunnerError({
      code: 'AR-RUN-003',
      message: `the agent cannot be started: ${program} may not be executed (${errno})`,
      remedy: 'check its mode (chmod +x), its file system (noexec) and that it is a program for this machine',
      exit: 'environment',
    });
  }
  if (errno === 'E2BIG') {
    return new RunnerError({
      code: 'AR-RUN-004',
      message: `the agent cannot be started: ${tooBig(argv)}`,
      remedy: 'deliver the prompt by standard input (agent.prompt_delivery = "stdin")',
      exit: 'environment',
    });
  }
  return new RunnerError({
    code: 'AR-RUN-005',
    message: `the agent cannot be started: ${program} (${errno})`,
    remedy: 'EAGAIN and ENOMEM mean that the machine or its process limit is full, EMFILE that too many files are open',
    exit: 'environment',
  });
}

function tooBig(argv: readonly string[]): string {
  const index = argv.findIndex((argument) => Buffer.byteLength(argument) > MAX_ARGUMENT_BYTES);
  if (index < 0) return 'arguments and environment together are larger than the system takes';
  return `argument ${index} has ${Buffer.byteLength(argv[index] ?? '')} bytes, the system takes ${MAX_ARGUMENT_BYTES}`;
}

function unusableFolder(folder: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return 'ENOTDIR';
    accessSync(folder, constants.X_OK);
    return null;
  } catch (error) {
    return errnoOf(error) ?? 'EUNKNOWN';
  }
}

/** The errno with which this program could not be executed, as far as that is known beforehand. */
export function unstartable(program: string): string | null {
  try {
    accessSync(program, constants.X_OK);
    const interpreter = interpreterOf(program);
    return interpreter === null || existsSync(interpreter) ? null : 'ENOENT';
  } catch (error) {
    return errnoOf(error) ?? 'EUNKNOWN';
  }
}

/** The kernel reads so much of a script's first line (BINPRM_BUF_SIZE). */
const FIRST_LINE_BYTES = 256;

/** The absolute path after `#!`, or null for what is no script or may not be read. */
function interpreterOf(program: string): string | null {
  let file: number | undefined;
  try {
    file = openSync(program, 'r');
    const bytes = Buffer.alloc(FIRST_LINE_BYTES);
    const length = readSync(file, bytes, 0, FIRST_LINE_BYTES, 0);
    return /^#![ \t]*(\/[^\s\0]+)/.exec(bytes.toString('latin1', 0, length))?.[1] ?? null;
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
