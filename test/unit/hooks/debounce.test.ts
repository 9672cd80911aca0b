import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDebounce, type Happening, MOST_PER_WINDOW, MOST_WAITING, SAME_REASON_MS } from '../../../src/hooks/debounce.ts';

const of = (event: string, reason?: string, n = 0): Happening => ({ event, ts: '', fields: reason === undefined ? { n } : { reason, n } });

it('the first is told at once, the same again after five minutes and then the newest, with how many were kept back', () => {
  const it = createDebounce();
  it.offer(of('needs_human', 'auth', 1), 0);
  expect(it.take(0)).toMatchObject({ fields: { n: 1 }, repeated: 0 });
  for (const n of [2, 3, 4]) it.offer(of('needs_human', 'auth', n), n * 1_000);
  expect(it.take(4_000)).toBeNull();
  expect(it.nextAt(4_000)).toBe(SAME_REASON_MS);
  expect(it.take(SAME_REASON_MS - 1)).toBeNull();
  expect(it.take(SAME_REASON_MS)).toMatchObject({ fields: { n: 4 }, repeated: 3 });
  expect(it.nextAt(SAME_REASON_MS)).toBeNull();
});

it('a later different one is told at once: another reason, another kind', () => {
  const it = createDebounce();
  it.offer(of('needs_human', 'auth'), 0);
  it.take(0);
  it.offer(of('needs_human', 'billing'), 1);
  it.offer(of('crash_loop', 'auth'), 2);
  expect(it.take(2)?.fields).toMatchObject({ reason: 'billing' });
  expect(it.take(2)?.event).toBe('crash_loop');
});

it('a burst of a hundred different ones starts ten, keeps the newest twenty, and goes on when there is room', () => {
  const it = createDebounce();
  let told = 0;
  for (let n = 0; n < 100; n += 1) {
    it.offer(of('needs_human', `reason ${n}`), n);
    if (it.take(n) !== null) told += 1;
  }
  expect(told).toBe(MOST_PER_WINDOW);
  expect(it.nextAt(100)).toBe(SAME_REASON_MS);
  expect(it.take(SAME_REASON_MS)?.fields.reason).toBe(`reason ${100 - MOST_WAITING}`);
});

it('at the end only what was never told is left', () => {
  const it = createDebounce();
  it.offer(of('a'), 0);
  it.take(0);
  it.offer(of('a'), 1);
  it.offer(of('b'), 2);
  expect(it.drain().map(({ event }) => event)).toEqual(['b']);
  expect(it.nextAt(3)).toBeNull();
});

it('after five quiet minutes it has forgotten everything', () => {
  const it = createDebounce();
  it.offer(of('a'), 0);
  it.take(0);
  it.offer(of('a'), SAME_REASON_MS);
  expect(it.take(SAME_REASON_MS)).toMatchObject({ repeated: 0 });
});

it('whatever comes: never two of a reason nor more than ten within five minutes, and the newest of each reason is told in the end', () => {
  const step = fc.record({ reason: fc.integer({ min: 0, max: 12 }), afterMs: fc.integer({ min: 0, max: 120_000 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const it = createDebounce();
      const told: { key: string; n: number; at: number }[] = [];
      const newest = new Map<string, number>();
      let now = 0;
      const drainDue = () => {
        for (let next = it.take(now); next !== null; next = it.take(now))
          told.push({ key: String(next.fields.reason), n: Number(next.fields.n), at: now });
      };
      for (const [n, { reason, afterMs }] of steps.entries()) {
        now += afterMs;
        it.offer(of('e', String(reason), n), now);
        newest.set(String(reason), n);
        drainDue();
      }
      for (let at = it.nextAt(now); at !== null; at = it.nextAt(now)) {
        now = at;
        const before = told.length;
        drainDue();
        expect(told.length).toBeGreaterThan(before);
      }
      for (const [i, { key, at }] of told.entries()) {
        expect(told.slice(i + 1).every((other) => other.key !== key || other.at - at >= SAME_REASON_MS)).toBe(true);
        expect(told.filter((other) => other.at >= at && other.at < at + SAME_REASON_MS).length).toBeLessThanOrEqual(MOST_PER_WINDOW);
      }
      for (const [key, n] of newest) expect(told.findLast((one) => one.key === key)?.n).toBe(n);
    }),
  );
});
