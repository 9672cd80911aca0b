import { describe, expect, it } from 'vitest';
import { elapsed, settledWithin } from '../../../src/run/deadlines.ts';
import { type Clock, systemClock } from '../../../src/util/clock.ts';

const DAY_MS = 86_400_000;

/** Gives back at the latest after 24.8 days, as the real one does; `sleeps` are the waits that were asked for. */
function quickClock(): Clock & { sleeps: number[] } {
  let monotonic = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => 0,
    monotonic: () => monotonic,
    async sleep(ms) {
      sleeps.push(ms);
      monotonic += Math.min(ms, 2 ** 31 - 1);
    },
  };
}

describe('deadlines', () => {
  it('field bug 40: 30 days are 30 days', async () => {
    const clock = quickClock();
    expect(await elapsed(clock, 30 * DAY_MS)).toBe(true);
    expect(clock.monotonic()).toBe(30 * DAY_MS);
    expect(clock.sleeps).toHaveLength(2);
  });

  it('are monotonic: the wall clock may say what it likes', async () => {
    const clock = { ...quickClock(), now: () => Number.NaN };
    expect(await elapsed(clock, 1_000)).toBe(true);
  });

  it('end early when called off', async () => {
    const off = new AbortController();
    const waiting = elapsed(systemClock, 30 * DAY_MS, off.signal);
    off.abort();
    expect(await waiting).toBe(false);
    expect(await elapsed(systemClock, 30 * DAY_MS, off.signal)).toBe(false);
  });

  it('a promise that settles in time, either way, and one that does not', async () => {
    expect(await settledWithin(systemClock, 5_000, Promise.resolve())).toBe(true);
    expect(await settledWithin(systemClock, 5_000, Promise.reject(new Error('no')))).toBe(true);
    expect(await settledWithin(systemClock, 10, new Promise(() => {}))).toBe(false);
  });
});
