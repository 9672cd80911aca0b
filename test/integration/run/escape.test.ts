import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLiving, listProcesses } from '../../../src/process/proc.ts';
import { isAlive } from '../../../src/process/stat.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, openScene, pids, type Scene } from '../../support/run.ts';
import { until } from '../../support/wait.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

describe('escapees', () => {
  it.each([
    ['setsid', 'exit'],
    ['setsid', 'stay'],
    ['group', 'exit'],
    ['group', 'stay'],
    ['double-fork', 'exit'],
    ['double-fork', 'stay'],
    ['exec', 'exit'],
    ['exec', 'stay'],
  ])('scar 12, field bug 12: by %s while the agent does %s: found by the mark, listed, dead', async (method, how) => {
    const python = ['/usr/bin/python3', agent('escape.py'), method, how] as const;
    const stop = new AbortController();
    const running = scene.run(python, { termGraceMs: 300, stop: stop.signal });
    const escapee = await scene.processOf('escapee');
    if (how === 'stay') stop.abort('stopped');
    const report = await running;
    expect(report.end).toBe(how === 'stay' ? 'stopped' : 'exit');
    expect(pids(report.receipt.escaped)).toContain(escapee.pid);
    expect(pids(report.receipt.signalled)).toContain(escapee.pid);
    expect(pids(report.receipt.leftovers)).toContain(escapee.pid);
    expect(report.receipt.survivors).toEqual([]);
    expect(isLiving(escapee)).toBe(false);
  });

  it('one that runs on in ever new sessions is caught', async (context) => {
    requirePart(context, 'setsid');
    const report = await scene.run([agent('chain.sh')], { termGraceMs: 300 });
    expect(report).toMatchObject({ end: 'exit', receipt: { survivors: [] } });
    const generation = () => readFileSync(join(scene.folder, 'generation'), 'utf8');
    const last = generation();
    const runners = (await listProcesses()).filter((entry) => entry.comm === 'chain.sh' && isAlive(entry));
    expect(runners).toEqual([]);
    expect(generation()).toBe(last);
  });

  it('what gets away, without the mark and before anybody looked, does not hold the run although it holds the pipe', async (context) => {
    requirePart(context, 'setsid');
    const script =
      'env -i setsid sh -c "echo \\$\\$ > $SCENE/away; exec sleep 300" & while [ ! -s "$SCENE/away" ]; do sleep 0.02; done; echo bye';
    const report = await scene.run(['/bin/sh', '-c', script]);
    const away = await scene.processOf('away');
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, tail: 'bye\n' });
    expect(isLiving(away)).toBe(true); // Documented: docs/decisions/who-belongs-to-a-run.md
    expect(report.receipt.durationMs).toBeLessThan(1_000);
  });

  it('processes of others are left alone, also with the same name, and also with another run’s mark', async () => {
    const other = openScene();
    const stop = new AbortController();
    const bystander = other.run(['/bin/sh', '-c', 'echo $$ > "$SCENE/leader"; exec sleep 300'], { stop: stop.signal });
    try {
      const leader = await other.processOf('leader');
      const report = await scene.run(['/bin/sh', '-c', 'sleep 300 & exit 0'], { termGraceMs: 300 });
      expect(pids(report.receipt.members)).not.toContain(leader.pid);
      expect(isLiving(leader)).toBe(true);
      stop.abort('stopped');
      expect(await bystander).toMatchObject({ end: 'stopped', signal: 'SIGTERM' });
      await until('the bystander is gone', () => !isLiving(leader));
    } finally {
      stop.abort('stopped');
      await other.close();
    }
  });
});
