import { setTimeout as delay } from 'node:timers/promises';

/**
 * The only source of time. `now` is wall-clock milliseconds since the epoch: for timestamps and for deadlines that must survive a
 * restart. `monotonic` is milliseconds that no clock step and no suspend moves: for durations. Tests inject their own.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Resolves after `ms`, or early when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node fires a timer above 2^31-1 ms (24.8 days) at once, so no single timer may be longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await delay(Math.min(Math.max(0, ms), LONGEST_TIMER_MS), undefined, signal ? { signal } : {});
    } catch {
      // Only an abort rejects here, and an early end is what the caller asked for.
    }
  },
};

/** CLOCK_MONOTONIC in microseconds, as other programs of this boot read it; `Clock.monotonic` counts from the start of this process. */
export function kernelMonotonicUs(): bigint {
  return process.hrtime.bigint() / 1000n;
}

/** How long a wait may sleep without looking at the wall clock again: a suspended machine or a stepped clock is noticed within this. */
export const WALL_CLOCK_CHECK_MS = 30_000;

/**
 * Waits until the wall clock reads `until` (epoch ms), or until as much time has passed as that was away at the start, whichever comes
 * first: a suspended machine and a clock that jumps forward end it on time, a clock that jumps back does not lengthen it.
 * `true` when it got there, `false` when aborted.
 */
export async function sleepUntil(clock: Clock, until: number, signal?: AbortSignal): Promise<boolean> {
  const longestEnd = clock.monotonic() + (until - clock.now());
  while (!signal?.aborted) {
    const left = Math.min(until - clock.now(), longestEnd - clock.monotonic());
    if (left <= 0) return true;
    await clock.sleep(Math.min(left, WALL_CLOCK_CHECK_MS), signal);
  }
  return false;
}

/** `2026-11-29T17:35:08.123Z`: the `ts` of every event and state file. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** `20261129T173508`-style UTC stamp in `rounds/R<N>-<stamp>.log`: `YYYYmmddTHHMMSS`. */
export function compactTime(epochMs: number): string {
  return isoTime(epochMs).slice(0, 19).replace(/[-:]/g, '');
}
