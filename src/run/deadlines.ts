import type { Clock } from '../util/clock.ts';

/**
 * Resolves when `ms` monotonic milliseconds have passed (true) or `signal` aborted (false). No clock step and no suspend shortens it,
 * and 30 days are 30 days: a single timer above 24.8 days would fire at once, so `Clock.sleep` gives back earlier and is asked again.
 */
export async function elapsed(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  const end = clock.monotonic() + ms;
  while (!signal?.aborted) {
    const left = end - clock.monotonic();
    if (left <= 0) return true;
    await clock.sleep(left, signal);
  }
  return false;
}

/** Waits for a promise, at most `ms`. True when it settled in time. */
export async function settledWithin(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const waiting = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, elapsed(clock, ms, waiting.signal).then(() => false)]);
  waiting.abort();
  return inTime;
}
