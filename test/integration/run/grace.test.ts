import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLiving } from '../../../src/process/proc.ts';
import type { RunSpec } from '../../../src/run/types.ts';
import { agent, openScene, pids, type Scene } from '../../support/run.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

const GRACE_MS = 400;

function extensions(): { told: { working: string[]; ignored: string[] }[]; changes: Partial<RunSpec> } {
  const told: { working: string[]; ignored: string[] }[] = [];
  const changes: Partial<RunSpec> = {
    graceAfterResultMs: GRACE_MS,
    lines: 'json',
    onLine: (line) => (line.startsWith('{"type":"result"') ? 'result' : undefined),
    onGraceExtended: (working, ignored) =>
      void told.push({ working: working.map(({ name }) => name), ignored: ignored.map(({ name, matched }) => `${name} ${matched}`) }),
  };
  return { told, changes };
}

describe('grace after the result', () => {
  it('ends an agent that said it was finished and stays with nobody working', async () => {
    const { told, changes } = extensions();
    const report = await scene.run([agent('result.sh'), 'hang'], changes);
    expect(report).toMatchObject({ end: 'grace', signal: 'SIGTERM', resultSeen: true });
    expect(report.durationMs).toBeGreaterThan(GRACE_MS);
    expect(report.durationMs).toBeLessThan(GRACE_MS + 2_000);
    expect(told).toEqual([]);
  });

  it('scar 68, field bug 2: waits on to the hard wall while a worker computes, and says so once', async () => {
    const { told, changes } = extensions();
    const report = await scene.run([agent('result.sh'), 'busy'], { ...changes, hardTimeoutMs: 3_500 });
    expect(report.end).toBe('timeout');
    expect(told).toEqual([{ working: ['sh'], ignored: [] }]);
    const worker = await scene.processOf('worker');
    expect(pids(report.receipt.leftovers)).toContain(worker.pid);
    expect(isLiving(worker)).toBe(false);
  });

  it('field bug 2: a helper by the ignore patterns does not count; only its name is told', async () => {
    const { told, changes } = extensions();
    const report = await scene.run([agent('result.sh'), 'helper'], { ...changes, ignorePatterns: [/no such thing/, /^sleep 301$/] });
    expect(report).toMatchObject({ end: 'grace', receipt: { leftovers: [], survivors: [] } });
    expect(told).toEqual([]);
    expect(isLiving(await scene.processOf('helper'))).toBe(false);
  });

  it('tells ignored helpers beside the worker for which it waits, and ends when that one has left', async () => {
    const { told, changes } = extensions();
    const script = `sleep 301 & sleep 1.5 & echo '{"type":"result"}'; wait`;
    const report = await scene.run(['/bin/sh', '-c', script], { ...changes, ignorePatterns: [/sleep 301/] });
    expect(told).toEqual([{ working: ['sleep'], ignored: ['sleep sleep 301'] }]);
    expect(report).toMatchObject({ end: 'grace', receipt: { leftovers: [] } });
  });

  it('ends soon after the last worker has left', async () => {
    const { told, changes } = extensions();
    const report = await scene.run([agent('result.sh'), 'brief'], changes);
    expect(report.end).toBe('grace');
    expect(told).toHaveLength(1);
    expect(report.durationMs).toBeGreaterThan(2_000);
    expect(report.durationMs).toBeLessThan(5_000);
  });

  it('a turn that goes on after all takes the result back', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'echo result; sleep 0.1; echo resumed; sleep 1; echo result; exec sleep 300'], {
      graceAfterResultMs: GRACE_MS,
      onLine: (line) => line as 'result' | 'resumed',
    });
    expect(report.end).toBe('grace');
    expect(report.durationMs).toBeGreaterThan(1_100 + GRACE_MS - 50);
  });

  it('without a result nothing is ended, and an agent that leaves in time has just exited', async () => {
    const { changes } = extensions();
    expect(await scene.run(['/bin/sleep', '1'], changes)).toMatchObject({ end: 'exit', resultSeen: false });
    expect(await scene.run(['/bin/sh', '-c', `echo '{"type":"result"}'; exit 0`], changes)).toMatchObject({
      end: 'exit',
      resultSeen: true,
    });
  });
});
