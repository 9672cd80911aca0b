import { unlinkSync } from 'node:fs';
import type { Emit } from '../events/emit.ts';
import { tryWriteJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { readWait, type WaitState } from '../state/serve-state.ts';
import { setAside } from '../state/set-aside.ts';
import { type Clock, isoTime } from '../util/clock.ts';

/** Shorter waits are not worth two disk syncs, and nobody can look that fast. */
const WORTH_WRITING_MS = 5_000;

/** No limit of any provider lasts longer than a week: what a file says beyond that, serve has not written. */
const LONGEST_WAIT_MS = 8 * 24 * 3600 * 1000;

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
  let wait = inherited(paths, clock.now(), deliberateRestart, emit);
  let monotonicEnd = endOf(wait, clock);

  return {
    current: () => (wait !== null && clock.monotonic() < monotonicEnd ? wait : null),
    begin({ until, ...next }) {
      if (wait !== null && wait.reason === next.reason && wait.until === (until === null ? null : isoTime(until))) return;
      wait = { ...next, until: until === null ? null : isoTime(until), since: isoTime(clock.now()) };
      monotonicEnd = endOf(wait, clock);
      if (until !== null && until - clock.now() < WORTH_WRITING_MS) return;
      // What this process waits for is in its memory; a full disk costs `peek` the sentence.
      tryWriteJson(paths.wait, wait);
      emit('wait_started', { reason: wait.reason, until: wait.until, source: wait.source });
    },
    end(by) {
      if (wait === null) return;
      const { reason, since, source } = wait;
      const waitedS = secondsSince(since, clock.now());
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

/** Whole seconds since an ISO time; 0 when it is none, or in the future. */
export function secondsSince(since: string, now: number): number {
  return Math.max(0, Math.round((now - Date.parse(since)) / 1000)) || 0;
}

function inherited(paths: Layout, now: number, deliberateRestart: boolean, emit: Emit): WaitState | null {
  const wait = readWait(paths);
  if (wait?.until != null && Date.parse(wait.until) - now > LONGEST_WAIT_MS) {
    emit('state_file_set_aside', { path: paths.wait, set_aside: setAside(paths.wait), reason: `waits until ${wait.until}` });
    return null;
  }
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
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
