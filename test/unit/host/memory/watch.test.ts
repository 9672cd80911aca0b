import { describe, expect, it } from 'vitest';
import type { Brake } from '../../../../src/host/memory/brake.ts';
import type { MemorySample } from '../../../../src/host/memory/sample.ts';
import { type MemoryWatch, type MemoryWatchOptions, watchMemory } from '../../../../src/host/memory/watch.ts';
import { testClock } from '../../../support/clock.ts';
import { LIMITS, MB, sample } from './samples.ts';

const GB = 1024 * MB;
const RULES = { consecutive: 3, terminate: true, defer: false };
const critical = { pressure: { some: 90, full: 80 } };
const calm = { pressure: { some: 0, full: 0 } };

interface Scene {
  /** One for each tick of the ladder, the first at the start; the watch is closed after the last. */
  ticks?: Partial<MemorySample>[];
  /** Bytes left after so many milliseconds. */
  left?: (ms: number) => number;
  endMs?: number;
  options?: Partial<MemoryWatchOptions>;
}

async function play({ ticks = [calm], left = () => 20 * GB, endMs = Infinity, options = {} }: Scene) {
  const clock = testClock(0);
  const events: [kind: string, fields: Record<string, unknown>][] = [];
  let looks = 0;
  let watch: MemoryWatch | null = null;
  let hurriedAt: number | null = null;
  let endedAt: number | null = null;
  await new Promise<void>((done) => {
    const close = () => void (watch as MemoryWatch | null)?.close().then(done);
    watch = watchMemory({
      limits: LIMITS,
      rules: RULES,
      bound: null,
      clock,
      emit: (kind, fields) => void events.push([kind, fields as Record<string, unknown>]),
      roundNum: 7,
      pid: 99,
      pids: async () => [99, 100],
      brake: null,
      meter: null,
      sources: {
        sample(at) {
          const tick = ticks[looks++];
          if (tick === undefined && endMs === Infinity) queueMicrotask(close);
          return { ...sample(tick ?? ticks.at(-1) ?? calm), at };
        },
        headroom() {
          if (clock.monotonic() >= endMs) queueMicrotask(close);
          return { bytes: Math.max(0, left(clock.monotonic())), total: 24 * GB };
        },
        largest: () => ({ pid: 100, name: 'cc1plus', bytes: 9 * GB, together: 10 * GB }),
      },
      ...options,
    });
    watch.stop.addEventListener('abort', () => (endedAt ??= clock.monotonic()));
    watch.hurry.addEventListener('abort', () => (hurriedAt ??= clock.monotonic()));
  });
  const end = (watch as MemoryWatch | null)?.end() ?? null;
  return { events, end, endedAt, hurriedAt, kinds: events.map(([kind]) => kind) };
}

describe('the memory beside a round', () => {
  it('reference case 9: three critical samples, ten seconds apart, end it; who has most is named by pid and name alone', async () => {
    const { events, end, endedAt, hurriedAt } = await play({ ticks: [calm, critical, critical, critical, critical] });
    expect(endedAt).toBe(30_000);
    expect(hurriedAt).toBeNull();
    expect(end).toMatchObject({ severity: 'critical', signal: 'psi_full', consecutive: 3, tier: 'floor' });
    expect(end?.context).toMatchObject({
      psi_full_avg10: 80,
      largest_pid: 100,
      largest_name: 'cc1plus',
      largest_mb: 9216,
      round_mb: 10_240,
    });
    expect(events.map(([kind, fields]) => [kind, fields.round_num, fields.consecutive])).toEqual([
      ['round_mem_critical_sample', 7, 1],
      ['round_mem_critical_sample', 7, 2],
      ['round_mem_critical_sample', 7, 3],
    ]);
  });

  it('reference case 9: two and a healthy one end nothing', async () => {
    const { end, kinds } = await play({ ticks: [calm, critical, critical, calm, critical, critical, calm] });
    expect(end).toBeNull();
    expect(kinds).toHaveLength(4);
  });

  it('the kernel decides: told once, the round goes on', async () => {
    const { end, kinds } = await play({ ticks: [calm, ...Array(9).fill(critical)], options: { rules: { ...RULES, defer: true } } });
    expect(end).toBeNull();
    expect(kinds.filter((kind) => kind === 'mem_pressure_deferred_to_cgroup')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'round_mem_critical_sample')).toHaveLength(6);
  });

  it('a child that grows by a gigabyte a second is ended before the ladder has looked once', async () => {
    const { end, endedAt, hurriedAt } = await play({ left: (ms) => 8 * GB - (ms / 1000) * GB, endMs: 7_900 });
    expect(end).toMatchObject({ signal: 'exhaustion', tier: 'exhaustion' });
    expect(endedAt).toBeGreaterThan(6_300);
    expect(endedAt).toBeLessThan(6_700);
    // It went on growing: the grace is over while there is still a gigabyte.
    expect(hurriedAt).toBeLessThanOrEqual(7_100);
  });

  it('a spike is over before anybody is ended', async () => {
    const spike = (ms: number) => (ms < 3_000 ? 3 * GB : ms < 4_000 ? 3 * GB - (ms - 3_000) * 1.05 * MB : 3 * GB);
    expect((await play({ left: spike, endMs: 9_000 })).end).toBeNull();
  });

  it('switched off or deferred it is not ended by a fall either', async () => {
    const left = (ms: number) => 8 * GB - (ms / 1000) * GB;
    for (const rules of [
      { ...RULES, terminate: false },
      { ...RULES, defer: true },
    ]) {
      expect(await play({ left, endMs: 8_000, options: { rules } })).toMatchObject({ end: null, events: [] });
    }
  });

  it('tells the brake of every sample, and takes it off at the end', async () => {
    const told: string[] = [];
    const brake: Brake = { after: (severity) => void told.push(severity ?? 'none'), release: (reason) => void told.push(reason) };
    await play({ ticks: [calm, { pressure: { some: 9, full: 0 } }, calm], options: { brake } });
    expect(told.slice(0, 2)).toEqual(['warning', 'healthy']);
    expect(told.at(-1)).toBe('round ended');
  });

  it('a process table that cannot be read costs a name, not the guard', async () => {
    const pids = () => Promise.reject(new Error('EMFILE'));
    const { end } = await play({ ticks: [calm, critical, critical, critical], options: { pids } });
    expect(end).toMatchObject({ tier: 'floor', consecutive: 3 });
  });
});
