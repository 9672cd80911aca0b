import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLiving } from '../../../src/process/proc.ts';
import { reapMembers } from '../../../src/run/recover.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, MARK, openScene, pids, type Scene } from '../../support/run.ts';
import { startSupervisor } from '../../support/supervisor.ts';
import { until } from '../../support/wait.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

/** A run whose supervisor was killed while it was under way. */
async function orphanedRun(argv: readonly [string, ...string[]], ready: string) {
  const spec = scene.spec(argv);
  const supervisor = startSupervisor(spec);
  const leader = await supervisor.spawned;
  const member = await scene.processOf(ready);
  supervisor.child.kill('SIGKILL');
  await supervisor.ended;
  return { spec, leader, member };
}

describe('recovery after the death of the supervisor', () => {
  it('field bug 18: finds and ends the whole tree by the leader’s pid and start time', async () => {
    const { spec, leader, member } = await orphanedRun([agent('tree.sh')], 'writer');
    expect(isLiving(leader)).toBe(true);
    const receipt = await reapMembers({ mark: spec.mark, identity: leader, graceMs: 500 });
    expect(pids(receipt.signalled)).toEqual(expect.arrayContaining(pids([leader, member])));
    expect(receipt.survivors).toEqual([]);
    expect([isLiving(leader), isLiving(member)]).toEqual([false, false]);
  });

  it('field bug 18: finds it by the mark alone when the pid was never written down', async () => {
    const { spec, leader, member } = await orphanedRun([agent('ignore-term.sh')], 'leader');
    const receipt = await reapMembers({ mark: spec.mark, identity: null, graceMs: 300 });
    expect(pids(receipt.signalled)).toContain(leader.pid);
    expect(isLiving(member)).toBe(false);
  });

  it('finds an escapee whose leader is dead', async (context) => {
    requirePart(context, 'python3');
    const { spec, leader, member } = await orphanedRun(['/usr/bin/python3', agent('escape.py'), 'exec', 'stay'], 'escapee');
    process.kill(leader.pid, 'SIGKILL');
    await until('the leader is dead', () => !isLiving(leader));
    const receipt = await reapMembers({ mark: spec.mark, identity: leader, graceMs: 300 });
    expect(pids(receipt.signalled)).toEqual([member.pid]);
    expect(isLiving(member)).toBe(false);
  });

  it('field bug 15: a pid that belongs to somebody else by now is not signalled', async () => {
    const other = openScene();
    const stop = new AbortController();
    const run = other.run(['/bin/sh', '-c', 'echo $$ > "$SCENE/leader"; exec sleep 300'], { stop: stop.signal });
    try {
      const stranger = await other.processOf('leader');
      const stale = { pid: stranger.pid, startTicks: stranger.startTicks - 1 };
      const receipt = await reapMembers({ mark: { name: MARK, value: 'of-nobody' }, identity: stale, startedAfterTicks: 0, graceMs: 300 });
      expect(receipt).toMatchObject({ members: [], signalled: [], survivors: [] });
      expect(isLiving(stranger)).toBe(true);
    } finally {
      stop.abort('stopped');
      await run;
      await other.close();
    }
  });

  it('with nothing left to do says so at once', async () => {
    expect(await reapMembers({ mark: { name: MARK, value: 'of-nobody' }, graceMs: 5_000 })).toMatchObject({ members: [], survivors: [] });
  });

  it('the log of a run whose supervisor was killed is readable and within its bound, whenever that happened', async (context) => {
    requirePart(context, 'python3');
    const maxBytes = 256 * 1024;
    for (let i = 0; i < 5; i++) {
      const spec = scene.spec(['/usr/bin/python3', agent('flood.py'), 'text', '2000'], {
        log: { path: join(scene.folder, `${i}.log`), maxBytes },
      });
      const supervisor = startSupervisor(spec);
      const leader = await supervisor.spawned;
      await until('the log was cut', () => existsSync(spec.log.path) && statSync(spec.log.path).size > maxBytes / 2);
      supervisor.child.kill('SIGKILL');
      await supervisor.ended;
      await reapMembers({ mark: spec.mark, identity: leader, graceMs: 100 });
      const text = readFileSync(spec.log.path, 'utf8');
      expect(text.length).toBeLessThanOrEqual(maxBytes);
      expect(text.startsWith('FIRST\n0000000 ')).toBe(true);
      // At most the seams of one interrupted move are no whole lines.
      const odd = text.split('\n').filter((line) => !/^(\d{7} x{91}|FIRST|\[agent-runner\] \d+ bytes .*)$/.test(line));
      expect(odd.length).toBeLessThanOrEqual(4);
    }
  });
});
