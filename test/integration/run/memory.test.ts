import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canMeasureMemory, proportionalBytes, residentBytes } from '../../../src/process/memory.ts';
import { testLeaf } from '../../support/leaf.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, openScene, pids, type Scene } from '../../support/run.ts';
import { until } from '../../support/wait.ts';

const MB = 1024 * 1024;

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

const allocate = (...args: number[]): [string, ...string[]] => [agent('allocate.py'), ...args.map(String)];

describe('memory of a process', () => {
  it('is what it holds; the fair share is never more', (context) => {
    requirePart(context, 'linux');
    expect(canMeasureMemory()).toBe(true);
    const before = residentBytes(process.pid);
    const held = Buffer.alloc(100 * MB, 1);
    expect(residentBytes(process.pid) - before).toBeGreaterThan(90 * MB);
    expect(proportionalBytes(process.pid)).toBeLessThanOrEqual(residentBytes(process.pid) + 5 * MB);
    expect(held[5]).toBe(1);
  });

  it('of a process that is gone is nothing', () => {
    expect([residentBytes(2 ** 22 + 1), proportionalBytes(2 ** 22 + 1)]).toEqual([0, 0]);
  });
});

describe('a bound on memory that is measured', () => {
  it('ends a run that has more, by the ladder, and tells how much it was', async (context) => {
    requirePart(context, 'linux', 'python3');
    const report = await scene.run(allocate(200), { memoryMaxBytes: 100 * MB });
    expect(report).toMatchObject({ end: 'memory', signal: 'SIGTERM', leafMemory: null });
    expect(report.memoryExceededBytes).toBeGreaterThan(100 * MB);
    expect(report.memoryExceededBytes).toBeLessThan(300 * MB);
    expect(report.durationMs).toBeLessThan(5_000);
  });

  it('counts everybody together, also who left the group', async (context) => {
    requirePart(context, 'linux', 'python3', 'setsid');
    const script = `for i in 1 2 3; do setsid ${agent('allocate.py')} 50 & done; wait`;
    const report = await scene.run(['/bin/sh', '-c', script], { memoryMaxBytes: 120 * MB });
    expect(report).toMatchObject({ end: 'memory', receipt: { survivors: [] } });
    expect(report.receipt.signalled.length).toBeGreaterThanOrEqual(4);
  });

  it('counts a page that several share once', async (context) => {
    requirePart(context, 'linux', 'python3');
    const report = await scene.run(allocate(60, 6, 3), { memoryMaxBytes: 130 * MB });
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, memoryExceededBytes: null });
  });

  it('finds its members by the control group where there is one without a memory controller', async (context) => {
    requirePart(context, 'linux', 'python3', 'cgroup2', 'setsid');
    const leaf = testLeaf();
    const script = `env -i setsid ${agent('allocate.py')} 150 & sleep 30`;
    const report = await scene.run(['/bin/sh', '-c', script], { memoryMaxBytes: 100 * MB, leaf });
    expect(report).toMatchObject({ end: 'memory', receipt: { survivors: [], leaf: { removed: true } } });
  });

  it('leaves the others alone: a stranger’s memory does not count', async (context) => {
    requirePart(context, 'linux', 'python3');
    const other = openScene();
    const stop = new AbortController();
    const running = other.run(allocate(150), { stop: stop.signal });
    try {
      await until('the other is ready', () => other.log().includes('ready'));
      const report = await scene.run(['/bin/sh', '-c', 'sleep 1.5'], { memoryMaxBytes: 50 * MB });
      expect(report.end).toBe('exit');
      expect(pids(report.receipt.signalled)).toEqual([]);
    } finally {
      stop.abort('stopped');
      await running;
      await other.close();
    }
  });
});
