import { systemClock } from '../../src/util/clock.ts';

/** Polls until `condition` gives something true, and gives it back; fails after `ms`. */
export async function until<T>(what: string, condition: () => T | Promise<T>, ms = 20_000): Promise<T> {
  const end = systemClock.monotonic() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (systemClock.monotonic() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await systemClock.sleep(20);
  }
}
