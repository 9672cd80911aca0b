import { unlinkSync } from 'node:fs';
import type { Emit } from '../events/emit.ts';
import { tryWriteJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { readWait, type WaitState } from '../state/serve-state.ts';
import { setAside } from '../state/set-aside.ts';
import { type Clock, isoTime } from '../util/clock.ts';

/** Shorter waits are not worth two disk syncs, and nobody can look that fast. */
const WORTH_WRITING_MS = 5_000;

/** No delay of ours is longer than half an hour: what a file says beyond a day, serve has not written. */
const LONGEST_WAIT_MS = 24 * 3600 * 1000;

/** Waits that a restart of serve must not shorten. A restart delay is over when there was a restart. */
const SURVIVES_RESTART = new Set(['crash_backoff', 'error_backoff']);
/** Closed gates that `wake` opens; a person's pause and the like it does not. */
const WOKEN = new Set(['throttled', 'network', 'refused', 'schedule']);

type NewWait = Omit<WaitState, 'since' | 'until' | 'behind'> & { until: number | null };

/**
 * Why no round starts now: a delay that runs by the clock, and in front of it a gate that is closed for another reason (a pause, a
 * drain). The delay goes on behind the gate and is still there when that opens. In memory with a monotonic end beside the wall-clock
 * one (a clock that jumps back must not lengthen it), on disk for `peek` and for the next supervisor.
 */
export interface WaitKeeper {
  /** The delay, while it has not run out. */
  current(): WaitState | null;
  /** Begins a delay, in the place of any before it. */
  begin(delay: NewWait): void;
  /** Tells of the gate that is closed; the delay's own gate is no news. True when this one is. */
  hold(gate: NewWait): boolean;
  /** Ends gate and delay. 'over': they opened by themselves; otherwise who ended them; `wake` ends the delay and what it opens. */
  end(by: 'over' | 'woken' | 'stopped'): void;
}

export function keepWait(paths: Layout, clock: Clock, emit: Emit, { deliberateRestart }: { deliberateRestart: boolean }): WaitKeeper {
  let delay = inherited(paths, clock.now(), deliberateRestart, emit);
  let monotonicEnd = endOf(delay, clock);
  let gate: WaitState | null = null;

  const write = () => {
    const behind = delay !== null && isLong(delay) ? delay : null;
    // What this process waits for is in its memory; a full disk costs `peek` the sentence.
    if (gate !== null) tryWriteJson(paths.wait, behind === null ? gate : { ...gate, behind });
    else if (behind !== null) tryWriteJson(paths.wait, behind);
    else removeIfThere(paths.wait);
  };
  const started = ({ reason, until, source }: WaitState) => emit('wait_started', { reason, until, source });
  const ended = ({ reason, since }: WaitState, by: 'over' | 'woken' | 'stopped') => {
    emit('wait_ended', { reason, waited_for_s: secondsSince(since, clock.now()), ended_by: by });
  };

  return {
    current: () => (delay !== null && clock.monotonic() < monotonicEnd ? delay : null),
    begin(next) {
      // A drain that waited for the round.
      if (gate !== null) ended(gate, 'over');
      delay = stateOf(next, clock);
      monotonicEnd = endOf(delay, clock);
      gate = null;
      write();
      if (isLong(delay)) started(delay);
    },
    hold(next) {
      const state = stateOf(next, clock);
      if (isSame(state, gate ?? delay)) return false;
      if (gate !== null) ended(gate, 'over');
      gate = isSame(state, delay) ? null : state;
      write();
      if (gate !== null) started(gate);
      return gate !== null;
    },
    end(by) {
      const before = { gate, delay };
      if (by !== 'woken' || WOKEN.has(gate?.reason ?? '')) gate = null;
      delay = null;
      if (before.gate !== null && gate === null) ended(before.gate, by);
      if (before.delay !== null && isLong(before.delay)) ended(before.delay, by);
      write();
    },
  };
}

/** Whole seconds since an ISO time; 0 when it is none, or in the future. */
export function secondsSince(since: string, now: number): number {
  return Math.max(0, Math.round((now - Date.parse(since)) / 1000)) || 0;
}

function stateOf({ until, ...wait }: NewWait, clock: Clock): WaitState {
  return { ...wait, until: until === null ? null : isoTime(until), since: isoTime(clock.now()) };
}

function isLong({ since, until }: WaitState): boolean {
  return until === null || Date.parse(until) - Date.parse(since) >= WORTH_WRITING_MS;
}

function isSame(a: WaitState, b: WaitState | null): boolean {
  return a.reason === b?.reason && a.until === b.until && a.window?.active_window === b.window?.active_window;
}

function inherited(paths: Layout, now: number, deliberateRestart: boolean, emit: Emit): WaitState | null {
  const found = readWait(paths);
  const wait = found?.behind ?? found;
  if (wait?.until != null && SURVIVES_RESTART.has(wait.reason) && Date.parse(wait.until) - now > LONGEST_WAIT_MS) {
    emit('state_file_set_aside', { path: paths.wait, set_aside: setAside(paths.wait), reason: `waits until ${wait.until}` });
    return null;
  }
  const stillRuns = wait?.until != null && Date.parse(wait.until) > now && SURVIVES_RESTART.has(wait.reason);
  if (wait !== null && stillRuns && !deliberateRestart) return byThisClock(wait, now);
  removeIfThere(paths.wait);
  return null;
}

/** Begun in what is now the future: the clock was set back while nobody ran. It lasts as long as it would have. */
function byThisClock(wait: WaitState, now: number): WaitState {
  const since = Date.parse(wait.since);
  if (!(since > now) || wait.until === null) return wait;
  return { ...wait, since: isoTime(now), until: isoTime(now + Math.max(0, Date.parse(wait.until) - since)) };
}

function endOf(wait: WaitState | null, clock: Clock): number {
  return wait?.until == null ? Number.POSITIVE_INFINITY : clock.monotonic() + (Date.parse(wait.until) - clock.now());
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone, or never written.
  }
}
