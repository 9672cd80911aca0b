import { mkdirSync } from 'node:fs';
import { locateProject } from '../config/locate.ts';
import { openEvents } from '../events/writer.ts';
import { tryWriteJson } from '../state/atomic.ts';
import { removeHolder, writeHolder } from '../state/holder.ts';
import { layout } from '../state/layout.ts';
import { acquireLock } from '../state/lock.ts';
import { removePidFile, writePidFile } from '../state/pid-file.ts';
import { type Clock, isoTime } from '../util/clock.ts';
import type { RunnerError } from '../util/errors.ts';
import type { Logger } from './log.ts';
import { parked, restartCommand } from './park.ts';
import { listenForSignals } from './signals.ts';

/**
 * Parks a serve that could not even begin: its configuration is wrong (78). Where the file still tells log_dir, `peek` finds the reason
 * there; where it does not, `peek` says itself what is wrong with the file. Resolves with the exit code.
 */
export async function parkBroken(error: RunnerError, configPath: string, clock: Clock, log: Logger): Promise<number> {
  const state = { command: restartCommand(configPath) };
  const signals = listenForSignals({ onDrain: () => {}, onEnd: () => {} });
  const leave = await sayParked(error, configPath, clock, log, state.command);
  try {
    return await parked({ clock, log, signals, state });
  } finally {
    leave();
    signals.dispose();
  }
}

/** Takes the place of serve in log_dir: lock, pid file, reason. Returns how to give it up. A full disk costs the words and nothing else. */
async function sayParked(error: RunnerError, configPath: string, clock: Clock, log: Logger, command: string): Promise<() => void> {
  const { logDir } = locateProject(configPath, true);
  if (logDir === null) return () => {};
  const paths = layout(logDir);
  try {
    mkdirSync(paths.state, { recursive: true });
    const lock = await acquireLock(paths.serveLock);
    // Somebody else serves here: what stands in log_dir is theirs.
    if (lock === null) return () => {};
    writeHolder(`${paths.serveLock}.holder`);
    const [sentence = error.message] = error.message.split('\n', 1);
    const words = { reason: 'config_broken', exit_code: error.exitCode };
    tryWriteJson(paths.stopped, {
      ...words,
      at: isoTime(clock.now()),
      sentence,
      remedy: 'mend that, then start serve again',
      log_path: null,
      parked: { command },
    });
    const { emit } = openEvents(logDir, clock);
    emit('config_broken', { reason: sentence });
    emit('serve_parked', { ...words, command });
    writePidFile(paths.servePid);
    return () => {
      removePidFile(paths.servePid);
      removeHolder(`${paths.serveLock}.holder`);
      lock.release();
    };
  } catch (cause) {
    log.warn(`nothing can be written into ${logDir}: ${cause instanceof Error ? cause.message : String(cause)}`);
    return () => {};
  }
}
