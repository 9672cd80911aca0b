import { describe, expect, it } from 'vitest';
import { groupMemory } from '../../../../src/host/memory/bounds.ts';
import { adviceOn, type DeferFacts, defersToKernel } from '../../../../src/host/memory/defer.ts';

const GB = 1024 ** 3;
const facts = (max: number | null, swapMax: number | null, more: Partial<DeferFacts> = {}): DeferFacts => ({
  group: { bound: max === null ? null : { folder: '/cg/unit', max }, swapMax, high: null },
  hostTotal: 8 * GB,
  hostSwap: 2 * GB,
  inContainer: false,
  ...more,
});

describe('reference case 11, scar 19, scar 56: whether the kernel decides', () => {
  it.each([
    ['both finite and plausible', facts(4 * GB, GB), true],
    ['swap as large as the host’s', facts(4 * GB, 2 * GB), true],
    ['swap of 0', facts(4 * GB, 0), true],
    ['swap of 0 on a host without swap', facts(4 * GB, 0, { hostSwap: 0 }), true],
    ['scar 56: memory.max above the memory of the host never bites', facts(16 * GB, GB), false],
    ['scar 56: memory.max equal to it neither', facts(8 * GB, GB), false],
    ['memory.swap.max above the swap of the host', facts(4 * GB, 3 * GB), false],
    ['only memory.max', facts(4 * GB, null), false],
    ['only memory.swap.max', facts(null, GB), false],
    ['no bound at all', facts(null, null), false],
    ['a host that does not tell its memory', facts(4 * GB, GB, { hostTotal: null }), false],
    ['scar 19: an agent in a container of an engine is in the engine’s group', facts(4 * GB, GB, { inContainer: true }), false],
  ])('%s', (_name, given, defers) => {
    expect(defersToKernel(given)).toBe(defers);
  });
});

describe('what is said of the bounds', () => {
  const own = { folder: '/cg/unit', brake: false, leafMemory: true };
  it.each([
    ['nothing when there is none', facts(null, null), own, null],
    ['a bound that never bites', facts(9 * GB, 0), own, 'memory.max is not below the memory of the host'],
    ['a small allowance of swap', facts(4 * GB, 0.4 * GB), own, 'memory.swap.max is 20 % of the swap of the host'],
    ['memory.max without swap', facts(4 * GB, null), own, 'without memory.swap.max'],
    ['memory.max without memory.high', facts(4 * GB, GB), own, 'without memory.high'],
    [
      'a brake that has no group to work on',
      facts(null, null),
      { ...own, brake: true, leafMemory: false },
      'no control groups with a memory controller',
    ],
  ])('%s', (_name, given, where, words) => {
    const { text } = adviceOn(given, where);
    if (words === null) expect(text).toBeNull();
    else expect(text).toContain(words);
  });
});

describe('the bounds in force', () => {
  const tree = (files: Record<string, string>) => (path: string) => files[path] ?? '';
  it('are the tightest from our own group upwards', () => {
    const files = {
      '/cg/cgroup.controllers': 'memory',
      '/cg/a/cgroup.procs': '1\n',
      '/cg/a/memory.max': '1000\n',
      '/cg/a/memory.swap.max': 'max\n',
      '/cg/a/b/cgroup.procs': '7\n',
      '/cg/a/b/memory.max': '2000\n',
      '/cg/a/b/memory.swap.max': '5\n',
      '/cg/a/b/memory.high': '900\n',
    };
    expect(groupMemory({ folder: '/cg/a/b' }, tree(files))).toEqual({ bound: { folder: '/cg/a', max: 1000 }, swapMax: 5, high: 900 });
  });

  it('are none without a group, and none where all say max', () => {
    expect(groupMemory({ folder: null })).toEqual({ bound: null, swapMax: null, high: null });
    expect(groupMemory({ folder: '/cg' }, tree({ '/cg/cgroup.procs': '1\n', '/cg/memory.max': 'max\n' })).bound).toBeNull();
  });

  it('a group that holds no process of ours is stepped over all the same', () => {
    const files = { '/cg/a/cgroup.procs': '', '/cg/a/cgroup.controllers': 'memory', '/cg/a/memory.max': '7\n' };
    expect(groupMemory({ folder: '/cg/a' }, tree(files)).bound).toEqual({ folder: '/cg/a', max: 7 });
  });
});
