import type { Clock } from '../../src/util/clock.ts';

/** A clock that stands until it is told otherwise; sleeping moves it. */
export function testClock(start = Date.UTC(2026, 10, 29, 17, 35, 8, 123)) {
  let now = start;
  const clock: Clock & { set(epochMs: number): void } = {
    now: () => now,
    monotonic: () => now,
    async sleep(ms, signal) {
      if (!signal?.aborted) now += ms;
    },
    set(epochMs) {
      now = epochMs;
    },
  };
  return clock;
}
