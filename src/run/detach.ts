import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { execa, type Options } from 'execa';
import { errnoOf } from '../util/errors.ts';

export interface Detached {
  pid: number;
  /** How it ended while we still looked; null as long as it runs. */
  ended(): { code: number | null; signal: NodeJS.Signals | null } | null;
  /** From here on it does not keep this process alive. */
  forget(): void;
}

/**
 * Starts a process that outlives us: a session of its own, nothing of our terminal, output appended to `logPath`. Resolves with the errno
 * when it cannot be started. Throws when the log cannot be opened.
 */
export async function spawnDetached(
  argv: readonly [string, ...string[]],
  { cwd, logPath }: { cwd: string; logPath: string },
): Promise<Detached | string> {
  const log = openSync(logPath, 'a');
  try {
    const [file, ...args] = argv;
    const stdio = ['ignore', log, log] as unknown as NonNullable<Options['stdio']>; // Its types forget plain descriptor numbers.
    const child = execa(file, args, {
      cwd,
      detached: true,
      stdio,
      cleanup: false,
      buffer: false,
      reject: false,
    }) as unknown as ChildProcess & PromiseLike<unknown>;
    const { pid } = child;
    if (pid === undefined) return errnoOf(await child) ?? 'EUNKNOWN';
    let end: ReturnType<Detached['ended']> = null;
    child.once('exit', (code, signal) => {
      end = { code, signal };
    });
    return { pid, ended: () => end, forget: () => child.unref() };
  } finally {
    closeSync(log);
  }
}
