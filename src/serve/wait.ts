import { rmSync } from 'node:fs';
import type { Emit } from '../events/emit.ts';
import { writeJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { readWait, type WaitState } from '../state/serve-state.ts';
import { type Clock, isoTime } from '../util/clock.ts';

/** Shorter waits are not worth two disk syncs, and nobody can look that fast. */
const WORTH_WRITING_MS = 5_000;

/** Waits that a restart of serve must not shorten. A restart delay is over when there was a restart. */
const SURVIVES_RESTART = new Set(['throttled', 'crash_backoff', 'error_backoff']);

/**
 * The current wait: in memory with a monotonic end beside the wall-clock one (a clock that jumps back must not lengthen it), on disk for
 * `peek` and for the next supervisor.
 */
export interface WaitKeeper {
  current(): WaitState | null;
  begin(wait: Omit<WaitState, 'since' | 'until'> & { until: number | null }): void;
  /** 'over': it ran out by itself; otherwise who ended it. */
  end(by: 'over' | 'woken' | 'stopped'): void;
}

export function keepWait(paths: Layout, clock: Clock, emit: Emit, { deliberateRestart }: { deliberateRestart: boolean }): WaitKeeper {
  let wait = inherited(paths, clock.now(), deliberateRestart);
  let monotonicEnd = endOf(wait, clock);

  return {
    current: () => (wait !== null && clock.monotonic() < monotonicEnd ? wait : null),
    begin({ until, ...next }) {
      if (wait !== null && wait.reason === next.reason && wait.until === (until === null ? null : isoTime(until))) return;
      wait = { ...next, until: until === null ? null : isoTime(until), since: isoTime(clock.now()) };
      monotonicEnd = endOf(wait, clock);
      if (until !== null && until - clock.now() < WORTH_WRITING_MS) return;
      writeJson(paths.wait, wait);
      emit('wait_started', { reason: wait.reason, until: wait.until, source: wait.source });
    },
    end(by) {
      if (wait === null) return;
      const { reason, since, source } = wait;
      const waitedS = Math.max(0, Math.round((clock.now() - Date.parse(since)) / 1000));
      wait = null;
      if (!removeIfThere(paths.wait)) return;
      emit('wait_ended', { reason, waited_for_s: waitedS, ended_by: by });
      const [agent, classification] = source.split(' ');
      // An interrupted wait recovers nothing: the word would poison what a restart reads.
      if (by === 'over' && reason === 'throttled' && agent && classification) {
        emit('transient_error_recovered', { classification, agent, throttled_for_s: waitedS });
      }
    },
  };
}

function inherited(paths: Layout, now: number, deliberateRestart: boolean): WaitState | null {
  const wait = readWait(paths);
  const stillRuns = wait?.until != null && Date.parse(wait.until) > now && SURVIVES_RESTART.has(wait.reason);
  if (wait !== null && stillRuns && !(deliberateRestart && wait.reason !== 'throttled')) return wait;
  removeIfThere(paths.wait);
  return null;
}

function endOf(wait: WaitState | null, clock: Clock): number {
  return wait?.until == null ? Number.POSITIVE_INFINITY : clock.monotonic() + (Date.parse(wait.until) - clock.now());
}

function removeIfThere(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}
