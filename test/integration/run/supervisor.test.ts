import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readProcess } from '../../../src/process/proc.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, openScene, type Scene } from '../../support/run.ts';
import { startSupervisor } from '../../support/supervisor.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

describe('a supervisor that is a process of its own', () => {
  it('field bug 17: a zombie that nobody reaps counts as dead: the run ends, with no survivors', async (context) => {
    requirePart(context, 'linux', 'python3');
    const spec = scene.spec(['/usr/bin/python3', agent('zombie.py')], { termGraceMs: 500 });
    const supervisor = startSupervisor(spec, { wrapper: ['/usr/bin/python3', agent('subreaper.py')] });
    const zombie = await scene.processOf('zombie');
    const report = await supervisor.report;
    const zombieState = readProcess(zombie.pid)?.state;
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, receipt: { survivors: [] } });
    expect(report.receipt.signalled).toHaveLength(1); // its parent, which lived
    expect(report.receipt.durationMs).toBeLessThan(2_000);
    // The subreaper reaps nobody but the supervisor: the zombie is still in the table, or its reaper has ended as well by now.
    expect(['Z', undefined]).toContain(zombieState);
    expect(await supervisor.ended).toBe(0);
  });

  it('field bug 8: 200 MB of lines and one line of 100 MB in flat memory, head and tail kept', async (context) => {
    requirePart(context, 'python3');
    for (const [kind, megabytes] of [
      ['text', '200'],
      ['line', '100'],
    ] as const) {
      const spec = scene.spec(['/usr/bin/python3', agent('flood.py'), kind, megabytes], {
        log: { path: `${scene.logPath}-${kind}`, maxBytes: 1_000_000 },
      });
      const supervisor = startSupervisor(spec, { nodeOptions: ['--max-old-space-size=128'] });
      const { pid } = supervisor.child;
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, residentMegabytes(pid ?? 0));
      }, 50);
      const report = await supervisor.report.finally(() => clearInterval(watch));
      expect(report).toMatchObject({ end: 'exit', exitCode: 0, logError: null });
      expect(report.outputBytes).toBeGreaterThan(Number(megabytes) * 1_000_000);
      const log = readFileSync(spec.log.path, 'utf8');
      expect(log.length).toBeLessThanOrEqual(1_000_000);
      expect(log.startsWith('FIRST\n')).toBe(true);
      expect(log.endsWith('LAST\n')).toBe(true);
      expect(log).toMatch(/\n\[agent-runner\] \d+ bytes of output are not kept here/);
      expect(report.droppedBytes).toBeGreaterThan((Number(megabytes) - 1) * 1_000_000);
      expect(report.tail.endsWith('LAST\n')).toBe(true);
      expect(peak).toBeLessThan(200);
    }
  });
});

function residentMegabytes(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1000;
  } catch {
    return 0;
  }
}
