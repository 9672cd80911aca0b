import { closeSync, openSync, readFileSync } from 'node:fs';

export interface StopSignals {
  /** Aborted by the first stop signal: no further round, no further wait. */
  drain: AbortSignal;
  /** Aborted by the second: the round in flight is ended by the ladder. */
  end: AbortSignal;
  /** Words for the log: which signal asked. */
  asked(): string | null;
  /** What SIGHUP does; before it is said, that is nothing. */
  onReload(reload: () => void): void;
  dispose(): void;
}

export interface SignalHandlers {
  onDrain(signal: string): void;
  onEnd(signal: string): void;
  /** Asked after the first stop signal: when the machine goes down, the round is ended at once. */
  isShuttingDown(): Promise<boolean>;
}

/**
 * SIGTERM and SIGINT: once drains, twice ends the round now. SIGHUP reloads, unless it came because our terminal went away: then it
 * drains. SIGPIPE is Node's own business.
 */
export function listenForSignals({ onDrain, onEnd, isShuttingDown }: SignalHandlers): StopSignals {
  const drain = new AbortController();
  const end = new AbortController();
  let asked: string | null = null;
  let reload = () => {};

  const stop = (signal: string) => {
    asked ??= signal;
    if (!drain.signal.aborted) {
      onDrain(signal);
      drain.abort(signal);
      void isShuttingDown().then((yes) => yes && stop('the shutdown of the machine'));
    } else if (!end.signal.aborted) {
      onEnd(signal);
      end.abort('stopped');
    }
  };
  const hadTerminal = terminalIsThere();
  const hangUp = () => {
    if (!hadTerminal || terminalIsThere()) reload();
    else if (!startedByNohup()) stop('SIGHUP');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', hangUp);
  return {
    drain: drain.signal,
    end: end.signal,
    asked: () => asked,
    onReload(wanted) {
      reload = wanted;
    },
    dispose() {
      process.off('SIGTERM', stop);
      process.off('SIGINT', stop);
      process.off('SIGHUP', hangUp);
    },
  };
}

/** Whether this process still has a controlling terminal that answers: after a hang-up the open fails with ENXIO or EIO. */
function terminalIsThere(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Node resets every signal disposition when it starts, so an ignored SIGHUP cannot be seen. nohup leaves two other traces: shells name
 * the started program in `_`, and nohup replaces a terminal's standard input by /dev/null opened for writing only.
 */
function startedByNohup(): boolean {
  if (process.env._?.endsWith('/nohup')) return true;
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & 3) === 1;
  } catch {
    return false;
  }
}
