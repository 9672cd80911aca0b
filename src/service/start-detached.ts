import { mkdirSync, readFileSync } from 'node:fs';
import { type Detached, spawnDetached } from '../run/detach.ts';
import type { Clock } from '../util/clock.ts';
import { messageOf, RunnerError } from '../util/errors.ts';
import { ownProgram } from './program.ts';
import { findServe } from './running.ts';
import type { ServiceTarget } from './target.ts';

/** serve writes its pid file when it has its lock; a slow machine loads the program for a while. */
const UP_WITHIN_MS = 15_000;
/** What the start-up checks after that may need to say no. */
const STAYS_MS = 1_000;
const POLL_MS = 50;

/** Without a service manager: serve in a session of its own, its output appended to serve.log. Throws AR-SVC-009 with its last words. */
export async function startDetached({ paths, configPath }: ServiceTarget, workDir: string, clock: Clock): Promise<number> {
  const { node, script } = ownProgram();
  const child = await launch([node, script, 'serve', '--config', configPath], workDir, paths.logDir, paths.serveLog);
  try {
    const upBy = clock.monotonic() + UP_WITHIN_MS;
    while ((await findServe(paths))?.pid !== child.pid) {
      if (child.ended() !== null || clock.monotonic() >= upBy) throw didNotStart(child, paths.serveLog);
      await clock.sleep(POLL_MS);
    }
    const staysUntil = clock.monotonic() + STAYS_MS;
    while (clock.monotonic() < staysUntil) {
      // A serve that found nothing to do has ended well.
      if (child.ended() !== null && child.ended()?.code !== 0) throw didNotStart(child, paths.serveLog);
      await clock.sleep(POLL_MS);
    }
    return child.pid;
  } finally {
    child.forget();
  }
}

async function launch(argv: readonly [string, ...string[]], cwd: string, logDir: string, logPath: string): Promise<Detached> {
  try {
    mkdirSync(logDir, { recursive: true });
    const child = await spawnDetached(argv, { cwd, logPath });
    if (typeof child !== 'string') return child;
    throw new Error(child);
  } catch (error) {
    throw new RunnerError({
      code: 'AR-SVC-009',
      message: `serve cannot be started: ${messageOf(error)}`,
      remedy: `${cwd} and ${logDir} must be there, and writable for this user`,
      cause: error,
    });
  }
}

function didNotStart(child: Detached, logPath: string): RunnerError {
  const end = child.ended();
  const how = end === null ? 'it has not taken its lock yet' : `it ended with ${end.code === null ? end.signal : `exit code ${end.code}`}`;
  return new RunnerError({
    code: 'AR-SVC-009',
    message: `serve did not come up: ${how}${lastWords(logPath)}`,
    remedy: `its log is ${logPath}`,
  });
}

/** The `msg` of the last line of the log, which is JSON; the line itself when it is not. */
function lastWords(logPath: string): string {
  try {
    const line = readFileSync(logPath, 'utf8').trimEnd().split('\n').at(-1) ?? '';
    return `: ${line.startsWith('{') ? JSON.parse(line).msg : line}`.slice(0, 500);
  } catch {
    return '';
  }
}
