import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { carriesMark, isLiving, listProcesses, type Mark } from '../../../src/process/proc.ts';
import type { ProcessEntry } from '../../../src/process/stat.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, openScene, type Scene } from '../../support/run.ts';
import { until } from '../../support/wait.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

/** A meter of something outside the process tree that uses a whole core for `workMs`. */
function worker(workMs: number): () => Promise<number> {
  const began = systemClock.monotonic();
  return async () => Math.min(workMs, systemClock.monotonic() - began);
}

describe('work outside the process tree', () => {
  const idle = { idleTimeoutMs: 800, hardTimeoutMs: 3_000 };

  it('keeps the idle wall away while it uses CPU', async () => {
    expect((await scene.run(['/bin/sleep', '300'], { ...idle, outsideCpuMs: worker(60_000) })).end).toBe('timeout');
  });

  it.each([
    ['that has ended', worker(300)],
    ['that nobody can measure', async () => null],
  ])('%s does not', async (_what, outsideCpuMs) => {
    expect((await scene.run(['/bin/sleep', '300'], { ...idle, outsideCpuMs })).end).toBe('idle');
  });

  const grace = {
    graceAfterResultMs: 300,
    onLine: (line: string) => (line.includes('result') ? ('result' as const) : undefined),
  };

  it('keeps the grace after the result away as long as it uses CPU, and is told once without names', async () => {
    const told: unknown[] = [];
    const report = await scene.run([agent('result.sh'), 'hang'], {
      ...grace,
      outsideCpuMs: worker(2_500),
      onGraceExtended: (...names) => void told.push(names),
    });
    expect(report.end).toBe('grace');
    expect(report.durationMs).toBeGreaterThan(2_500);
    expect(told).toEqual([[[], []]]);
  });

  it('that waits is no work after a result: a little CPU is what any idle runtime uses', async () => {
    const began = systemClock.monotonic();
    const outsideCpuMs = async () => (systemClock.monotonic() - began) * 0.02;
    const report = await scene.run([agent('result.sh'), 'hang'], { ...grace, outsideCpuMs });
    expect(report.end).toBe('grace');
    expect(report.durationMs).toBeLessThan(3_000);
  });

  it('a turn that goes on during the look at it is not ended', async () => {
    const lines = 'echo result; sleep 0.8; echo more; sleep 1; echo result; exec sleep 300';
    const report = await scene.run(['/bin/sh', '-c', lines], {
      ...grace,
      onLine: (line) => (line === 'result' ? 'result' : 'resumed'),
      outsideCpuMs: worker(0),
    });
    expect(report.end).toBe('grace');
    expect(report.durationMs).toBeGreaterThan(1_800);
  });
});

describe('a process of a container carries the mark as well', () => {
  let inside: ChildProcess | null = null;
  afterEach(() => void inside?.kill('SIGKILL'));

  /** A marked process in a pid namespace of its own, whose parent belongs to nobody's run: as an engine starts it. */
  async function startInside({ name, value }: Mark): Promise<ProcessEntry> {
    inside = spawn('unshare', ['--fork', '--pid', '--kill-child', 'env', '-i', `${name}=${value}`, '/bin/sleep', '303'], {
      stdio: 'ignore',
    });
    const found = async () =>
      (await listProcesses()).find(
        ({ pid, comm, ppid }) => comm === 'sleep' && ppid === inside?.pid && carriesMark(pid, { name, value }) === 'yes',
      ) ?? null;
    return (await until('it runs', found)) as ProcessEntry;
  }

  it('and is not ours to signal: with ownNamespaceOnly it is no member; without it is', async (context) => {
    requirePart(context, 'linux', 'root', 'unshare');
    const { mark, env } = scene.spec(['/bin/true']);
    // Processes that are older than the run are not looked at.
    const beside = async (own: Mark) => {
      let begun = false;
      const onSpawned = () => {
        begun = true;
      };
      const run = scene.run(['/bin/sleep', '1'], { mark: own, env, onSpawned });
      await until('the run began', () => begun);
      const found = await startInside(mark);
      return { found, receipt: (await run).receipt };
    };
    const left = await beside({ ...mark, ownNamespaceOnly: true });
    expect(left.receipt).toMatchObject({ members: [], signalled: [], survivors: [] });
    expect(isLiving(left.found)).toBe(true);
    inside?.kill('SIGKILL');

    const taken = await beside(mark);
    expect(taken.receipt.signalled).toMatchObject([{ pid: taken.found.pid, name: 'sleep' }]);
    expect(isLiving(taken.found)).toBe(false);
  });
});
