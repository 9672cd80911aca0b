import { describe, expect, it } from 'vitest';
import type { Leaf } from '../../../src/process/cgroup-leaf.ts';
import { createCensus } from '../../../src/run/members.ts';
import { type MemoryOptions, memoryExceeded, memoryOf } from '../../../src/run/memory-watch.ts';
import { simulate } from '../../support/simulated.ts';

const MB = 1024 * 1024;

describe('memory of several processes', () => {
  const shared = { resident: () => 60 * MB, proportional: () => 15 * MB };

  it('asks for fair shares only when the sum in full is too much', () => {
    let asked = 0;
    const measure = {
      resident: shared.resident,
      proportional(pid: number) {
        asked += pid > 0 ? 1 : 0;
        return 15 * MB;
      },
    };
    expect(memoryOf([1, 2], 120 * MB, measure)).toBe(120 * MB);
    expect(asked).toBe(0);
    expect(memoryOf([1, 2, 3], 120 * MB, measure)).toBe(45 * MB);
    expect(asked).toBe(3);
  });

  it('of nobody is nothing', () => {
    expect(memoryOf([], 0, shared)).toBe(0);
  });
});

/** A leader and a child under a simulated clock; memory by pid and time. */
function watch(changes: Partial<MemoryOptions>, bytesAt: (now: number) => number) {
  const world = simulate();
  const leader = world.identity(world.add(world.ownPid, 'session', { marked: true }));
  world.add(leader.pid, 'joins');
  const census = createCensus({
    leader,
    mark: { name: 'MARK', value: 'x' },
    startedAfterTicks: leader.startTicks,
    group: 'ours',
    table: world.table,
    sleep: world.clock.sleep,
  });
  const over = new AbortController();
  const measured: number[] = [];
  const each = () => {
    measured.push(world.clock.monotonic());
    if (world.clock.monotonic() > 100_000) over.abort();
    return bytesAt(world.clock.monotonic()) / 2;
  };
  const result = memoryExceeded({
    maxBytes: 100 * MB,
    bounded: false,
    leaf: undefined,
    leader,
    census,
    clock: world.clock,
    signal: over.signal,
    measure: { resident: each, proportional: each },
    ...changes,
  });
  return { world, leader, measured, result };
}

describe('the watch over a run’s memory', () => {
  it('tells what was measured once it is too much', async () => {
    const { result, world } = watch({}, (now) => (now < 5_000 ? 100 * MB : 130 * MB));
    expect(await result).toBe(130 * MB);
    expect(world.clock.monotonic()).toBeLessThanOrEqual(6_100);
  });

  it('looks once a second', async () => {
    const { result, measured } = watch({}, (now) => (now < 10_000 ? 1 : 130 * MB));
    await result;
    expect(new Set(measured).size).toBeLessThanOrEqual(12);
  });

  it('reads the control group instead of the process table when the leader is in it', async () => {
    let members: number[] = [];
    const leaf = { members: () => members } as Leaf;
    const { result, world, leader } = watch({ leaf }, (now) => (now < 5_000 ? 1 : 130 * MB));
    members = [leader.pid, leader.pid + 1];
    expect(await result).toBe(130 * MB);
    expect(world.looks()).toBe(0);
  });

  it('ends when the kernel holds the bound for the leader, and goes on when the leader could not join', async () => {
    const inside = { members: () => [101] } as unknown as Leaf;
    const held = watch({ leaf: inside, bounded: true }, () => 130 * MB);
    expect(await Promise.race([held.result, new Promise((resolve) => setTimeout(resolve, 50, 'nothing'))])).toBe('nothing');
    expect(held.measured).toEqual([]);
    const outside = { members: () => [] } as unknown as Leaf;
    expect(await watch({ leaf: outside, bounded: true }, () => 130 * MB).result).toBe(130 * MB);
  });
});
