import { locateProject } from '../config/locate.ts';
import { openEvents } from '../events/writer.ts';
import { tryWriteJson } from '../state/atomic.ts';
import { type Layout, layout } from '../state/layout.ts';
import { writePidFile } from '../state/pid-file.ts';
import type { StoppedState } from '../state/serve-state.ts';
import { type Clock, isoTime } from '../util/clock.ts';
import { messageOf, type RunnerError } from '../util/errors.ts';
import { asTheOnlyServe } from './hold.ts';
import type { Logger } from './log.ts';
import { parked, restartCommand } from './park.ts';
import { listenForSignals } from './signals.ts';

/**
 * Parks a serve that could not even begin: its configuration is wrong (78). Where the file still tells log_dir, it takes the place of
 * serve there and `peek` finds the reason; where it does not, `peek` says itself what is wrong with the file. Resolves with the exit code.
 */
export async function parkBroken(error: RunnerError, configPath: string, clock: Clock, log: Logger): Promise<number> {
  const state = { command: restartCommand(configPath) };
  const signals = listenForSignals({ onDrain: () => {}, onEnd: () => {}, isShuttingDown: async () => false });
  const stay = () => parked({ clock, log, signals, state });
  const { logDir } = locateProject(configPath, true);
  try {
    if (logDir === null) return await stay();
    const paths = layout(logDir);
    return await asTheOnlyServe(paths, () => {
      say(error, paths, clock, state);
      return stay();
    });
  } catch (cause) {
    // Somebody else serves there, or nothing can be written: the place is theirs, and a restart would change nothing.
    log.warn(messageOf(cause));
    return await stay();
  } finally {
    signals.dispose();
  }
}

function say(error: RunnerError, paths: Layout, clock: Clock, state: { command: string }): void {
  const [sentence = error.message] = error.message.split('\n', 1);
  const words = { reason: 'config_broken', exit_code: error.exitCode };
  const remedy = 'mend that, then start serve again';
  const stopped: StoppedState = { ...words, at: isoTime(clock.now()), sentence, remedy, log_path: null, parked: state };
  tryWriteJson(paths.stopped, stopped);
  const { emit } = openEvents(paths.logDir, clock);
  emit('config_broken', { reason: sentence });
  emit('serve_parked', { ...words, command: state.command });
  writePidFile(paths.servePid);
}
