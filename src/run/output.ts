import type { Clock } from '../util/clock.ts';
import type { TurnEnd } from './grace.ts';
import { createLineReader } from './lines.ts';
import { openLog } from './log.ts';
import { createTail } from './tail.ts';
import type { RunSpec } from './types.ts';

const TAIL_BYTES = 64 * 1024;

/** Where the agent's output goes: log, tail and lines, in this order, so that what a line causes finds the line in the log. */
export interface Output {
  push(chunk: Buffer): void;
  /** No more will come. */
  end(): void;
  turn: TurnEnd;
  resultSeen(): boolean;
  bytes(): number;
  droppedBytes(): number;
  logError(): string | null;
  tail(): string;
  /** Rejects when `onLine` threw: its error is the run's. */
  fault: Promise<never>;
}

export function openOutput(spec: RunSpec, clock: Clock): Output {
  const log = openLog(spec.log.path, spec.log.maxBytes);
  const tail = createTail(TAIL_BYTES);
  const listeners = new EventTarget();
  let fail: (error: unknown) => void = () => {};
  const fault = new Promise<never>((_, reject) => {
    fail = reject;
  });
  fault.catch(() => {});
  let bytes = 0;
  let resultSeen = false;
  let finishedAt: number | null = null;

  const { onLine } = spec;
  const lines = createLineReader(spec.lines ?? 'all', (line) => {
    const verdict = onLine?.(line);
    if (verdict === undefined) return;
    resultSeen ||= verdict === 'result';
    finishedAt = verdict === 'result' ? clock.monotonic() : null;
    listeners.dispatchEvent(new Event('change'));
  });
  const readLines = (action: () => void) => {
    try {
      if (onLine) action();
    } catch (error) {
      fail(error);
    }
  };

  return {
    push(chunk) {
      bytes += chunk.length;
      log.write(chunk);
      tail.push(chunk);
      readLines(() => lines.push(chunk));
    },
    end() {
      readLines(() => lines.end());
      log.close();
    },
    turn: {
      finishedAt: () => finishedAt,
      changed: (signal) =>
        new Promise((resolve) => {
          const done = () => resolve();
          listeners.addEventListener('change', done, { once: true, signal });
          signal.addEventListener('abort', done, { once: true });
        }),
    },
    resultSeen: () => resultSeen,
    bytes: () => bytes,
    droppedBytes: () => log.droppedBytes(),
    logError: () => log.error(),
    tail: () => tail.text(),
    fault,
  };
}
