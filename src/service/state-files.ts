import { mkdirSync, rmSync } from 'node:fs';
import type { Layout } from '../state/layout.ts';
import { errnoOf, messageOf, RunnerError } from '../util/errors.ts';
import { lstatOrNull } from '../util/stat.ts';

/** Makes state/ for a first word to serve; throws AR-CLI-006 when log_dir itself is not there, because then nothing has ever run. */
export function prepareState(paths: Layout): void {
  if (lstatOrNull(paths.logDir) === null) throw nothingRuns(`nothing has run in ${paths.logDir} yet`);
  try {
    mkdirSync(paths.state, { recursive: true });
  } catch (error) {
    throw cannotWrite(paths.state, error);
  }
}

/** Removes a state file; false when it was not there. Throws AR-CLI-008 when it stays. */
export function removeStateFile(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false;
    throw cannotWrite(path, error);
  }
}

export function nothingRuns(message: string): RunnerError {
  return new RunnerError({ code: 'AR-CLI-006', message, remedy: "'agent-runner serve' starts it" });
}

function cannotWrite(path: string, cause: unknown): RunnerError {
  return new RunnerError({
    code: 'AR-CLI-008',
    message: `${path} cannot be changed: ${errnoOf(cause) ?? messageOf(cause)}`,
    remedy: 'run this as the user who started serve; a read-only file system must be made writable first',
    exit: 'environment',
    cause,
  });
}
