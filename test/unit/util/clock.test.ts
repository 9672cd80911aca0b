import { describe, expect, it } from 'vitest';
import { type Clock, compactTime, isoTime, sleepUntil } from '../../../src/util/clock.ts';

/** A clock whose wall may be stepped at given monotonic times; sleeping takes no real time. */
function steppedClock(steps: Record<number, number> = {}): Clock & { sleeps: number[] } {
  let monotonic = 0;
  let offset = 1_000_000_000;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => monotonic + offset,
    monotonic: () => monotonic,
    async sleep(ms) {
      sleeps.push(ms);
      const end = monotonic + ms;
      for (const [at, by] of Object.entries(steps)) if (Number(at) > monotonic && Number(at) <= end) offset += by;
      monotonic = end;
    },
  };
}

const HOUR = 3_600_000;

describe('field bug 40: waits by the wall clock', () => {
  it('wakes at least every 30 seconds, and so never needs a timer over 24.8 days', async () => {
    const clock = steppedClock();
    expect(await sleepUntil(clock, clock.now() + 30 * 24 * HOUR)).toBe(true);
    expect(Math.max(...clock.sleeps)).toBe(30_000);
    expect(clock.monotonic()).toBe(30 * 24 * HOUR);
  });

  it('a clock that jumps 8 hours forward ends the wait within 30 s of its time', async () => {
    const clock = steppedClock({ 600000: 8 * HOUR });
    await sleepUntil(clock, clock.now() + 2 * HOUR);
    expect(clock.monotonic()).toBeLessThanOrEqual(630_000);
  });

  it('a clock that jumps 8 hours back does not lengthen the wait', async () => {
    const clock = steppedClock({ 600000: -8 * HOUR });
    await sleepUntil(clock, clock.now() + 2 * HOUR);
    expect(clock.monotonic()).toBe(2 * HOUR);
  });

  it('ends early when aborted, and says so', async () => {
    const clock = steppedClock();
    expect(await sleepUntil(clock, clock.now() + HOUR, AbortSignal.abort())).toBe(false);
    expect(clock.sleeps).toEqual([]);
  });
});

it('writes times as ISO with milliseconds and as compact UTC', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
  expect(isoTime(at)).toBe('2026-01-02T03:04:05.006Z');
  expect(compactTime(at)).toBe('20260102T030405');
});
