import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLiving, readProcess } from '../../../src/process/proc.ts';
import { type Clock, systemClock } from '../../../src/util/clock.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, openScene, pids, type Scene } from '../../support/run.ts';
import { until } from '../../support/wait.ts';

/** How much longer than asked for sleeps took: that is the machine's doing, which others keep busy. */
function punctual(): { clock: Clock; late: () => number } {
  let late = 0;
  async function sleep(ms: number, signal?: AbortSignal) {
    const begun = systemClock.monotonic();
    await systemClock.sleep(ms, signal);
    late += Math.max(0, systemClock.monotonic() - begun - ms);
  }
  return { clock: { ...systemClock, sleep }, late: () => late };
}

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

describe('the hard wall', () => {
  it('scar 2: no amount of output or work moves it', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'while :; do echo polling; done'], { hardTimeoutMs: 700 });
    expect(report).toMatchObject({ end: 'timeout', signal: 'SIGTERM', exitCode: null });
    expect(report.durationMs).toBeGreaterThan(690);
    expect(report.durationMs).toBeLessThan(1_500);
  });

  it('scar 7, field bug 11: nobody of the tree survives it, and the receipt lists all three', async () => {
    const report = await scene.run([agent('tree.sh')], { hardTimeoutMs: 700 });
    const tree = [await scene.processOf('leader'), await scene.processOf('middle'), await scene.processOf('writer')];
    // A `sleep` of the writer may have been seen as well.
    expect(pids(report.receipt.members)).toEqual(expect.arrayContaining(pids(tree)));
    expect(report.receipt).toMatchObject({ escaped: [], survivors: [] });
    const size = statSync(join(scene.folder, 'beats')).size;
    await systemClock.sleep(200);
    expect(statSync(join(scene.folder, 'beats')).size).toBe(size);
  });

  it('reference case 7: an agent that ignores TERM dies by KILL when the grace is over', async () => {
    const report = await scene.run([agent('ignore-term.sh')], { hardTimeoutMs: 300, termGraceMs: 500 });
    expect(report).toMatchObject({ end: 'timeout', signal: 'SIGKILL' });
    expect(report.durationMs).toBeGreaterThan(790);
    expect(report.durationMs).toBeLessThan(1_500);
    expect(report.receipt.survivors).toEqual([]);
  });

  it('field bug 13: a leader that dies of TERM does not save a member that ignores it', async () => {
    const report = await scene.run([agent('leave-member.sh'), 'term'], { hardTimeoutMs: 700, termGraceMs: 400 });
    const member = await scene.processOf('member');
    expect(report).toMatchObject({ end: 'timeout', signal: 'SIGTERM' });
    expect(pids(report.receipt.signalled)).toContain(member.pid);
    expect(isLiving(member)).toBe(false);
  });

  it('a stop returns within the grace and 100 ms more', async () => {
    const stop = new AbortController();
    const { clock, late } = punctual();
    const running = scene.run([agent('ignore-term.sh')], { termGraceMs: 600, stop: stop.signal }, clock);
    await scene.processOf('leader');
    const [asked, lateBefore] = [systemClock.monotonic(), late()];
    stop.abort('stopped');
    await running;
    const took = systemClock.monotonic() - asked - (late() - lateBefore);
    expect(took).toBeLessThan(600 + 100 + 50); // 50 for a busy machine
  });
});

describe('a stop', () => {
  it('sends the agent its own signal, and what ignores that SIGTERM as soon as the agent has left', async () => {
    const stop = new AbortController();
    const report = await scene.run([agent('interrupt.sh')], {
      stopSignal: 'SIGINT',
      termGraceMs: 5_000,
      stop: stop.signal,
      onLine: (line) => void (line === 'ready' && stop.abort('stopped')),
    });
    expect(report).toMatchObject({ end: 'stopped', exitCode: 0, tail: 'ready\nfinished the turn\n' });
    expect(report.receipt.durationMs).toBeLessThan(2_000);
    expect(report.receipt.survivors).toEqual([]);
  });

  it('because of memory, and at the hard wall, begins with SIGTERM whatever the agent prefers', async () => {
    const stop = new AbortController();
    const report = await scene.run([agent('interrupt.sh')], {
      stopSignal: 'SIGINT',
      stop: stop.signal,
      onLine: (line) => void (line === 'ready' && stop.abort('memory')),
    });
    expect(report).toMatchObject({ end: 'memory', exitCode: 9 });
    expect(await scene.run([agent('interrupt.sh')], { stopSignal: 'SIGINT', hardTimeoutMs: 500 })).toMatchObject({
      end: 'timeout',
      exitCode: 9,
    });
  });

  it('scar 3, scar 13: a second stop does not skip the KILL, and the run is reported only when everyone is gone', async () => {
    const stop = new AbortController();
    const running = scene.run([agent('ignore-term.sh')], { termGraceMs: 400, stop: stop.signal });
    const leader = await scene.processOf('leader');
    stop.abort('stopped');
    await systemClock.sleep(100);
    stop.abort('stopped');
    expect(await running).toMatchObject({ end: 'stopped', signal: 'SIGKILL', receipt: { survivors: [] } });
    expect(isLiving(leader)).toBe(false);
  });

  it('an exit that came first wins over a stop', async () => {
    const stop = new AbortController();
    const report = await scene.run(['/bin/sh', '-c', 'echo bye; exit 4'], {
      stop: stop.signal,
      onSpawned: ({ pid, startTicks }) => {
        // This process does not get to hear of the exit before it asks for the stop.
        while (isLiving({ pid, startTicks }));
        stop.abort('stopped');
      },
    });
    expect(report).toMatchObject({ end: 'exit', exitCode: 4 });
  });
});

describe('an exit', () => {
  it('field bugs 3 and 14: what an agent leaves running is ended after success too, and told', async () => {
    const report = await scene.run([agent('leave-member.sh'), 'exit'], { termGraceMs: 300 });
    const member = await scene.processOf('member');
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, receipt: { survivors: [] } });
    expect(pids(report.receipt.leftovers)).toContain(member.pid);
    expect(isLiving(member)).toBe(false);
  });

  it('helpers that leave by themselves within 500 ms are seen and not signalled', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'sleep 0.4 & sleep 0.1; exit 0']);
    expect(report.receipt.members.map(({ name }) => name)).toEqual(['sleep']);
    expect(report.receipt).toMatchObject({ signalled: [], leftovers: [], survivors: [] });
  });

  it('helpers by the ignore patterns are ended but are no leftovers', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'sleep 301 & exit 0'], { ignorePatterns: [/sleep 301/g] });
    expect(report.receipt.signalled).toHaveLength(1);
    expect(report.receipt).toMatchObject({ leftovers: [], survivors: [] });
  });

  it('with nobody left behind costs no waiting', async () => {
    const report = await scene.run(['/bin/true']);
    expect(report.receipt).toMatchObject({ members: [], signalled: [] });
    expect(report.receipt.durationMs).toBeLessThan(200);
  });

  it('scar 69: the receipt holds names and pids, never arguments', async () => {
    const report = await scene.run(['/bin/sh', '-c', 'sleep 300 & exit 0', 'sh', 'token-in-argv'], { termGraceMs: 300 });
    expect(JSON.stringify(report.receipt)).not.toContain('300 ');
    expect(report.receipt.members).toEqual([{ pid: expect.any(Number), name: 'sleep' }]);
  });
});

describe('odd states of processes', () => {
  it('field bug 21: a stopped member is continued so that it can end in order; no signal reaches us', async () => {
    const hangups: string[] = [];
    const note = () => void hangups.push('SIGHUP');
    process.on('SIGHUP', note);
    try {
      const stop = new AbortController();
      const running = scene.run([agent('stop-itself.sh')], { termGraceMs: 3_000, stop: stop.signal });
      const member = await scene.processOf('stopped');
      await until('the member is stopped', () => stateOf(member.pid) === 'T');
      stop.abort('stopped');
      const report = await running;
      expect(report.tail).toContain('got TERM');
      expect(report.receipt.durationMs).toBeLessThan(2_500);
      expect(isLiving(member)).toBe(false);
    } finally {
      process.off('SIGHUP', note);
    }
    expect(hangups).toEqual([]);
  });

  it('a process whose main thread has ended reads as a zombie but works on: it is ended', async (context) => {
    requirePart(context, 'linux', 'python3');
    const running = scene.run(['/usr/bin/python3', agent('threads.py')], { hardTimeoutMs: 1_500 });
    const leader = await scene.processOf('leader');
    await until('the main thread is gone', () => stateOf(leader.pid) === 'Z');
    expect(isLiving(leader)).toBe(true);
    expect(await running).toMatchObject({ end: 'timeout', signal: 'SIGTERM', receipt: { survivors: [] } });
    expect(isLiving(leader)).toBe(false);
  });

  it('what answers TERM by starting somebody new does not save that one', async (context) => {
    requirePart(context, 'setsid');
    const stop = new AbortController();
    const report = await scene.run([agent('fork-on-term.sh')], {
      termGraceMs: 600,
      stop: stop.signal,
      onLine: (line) => void (line === 'ready' && stop.abort('stopped')),
    });
    const cleaner = await scene.processOf('cleaner');
    expect(pids(report.receipt.escaped)).toContain(cleaner.pid);
    expect(report.receipt.survivors).toEqual([]);
    expect(isLiving(cleaner)).toBe(false);
  });
});

function stateOf(pid: number): string {
  return readProcess(pid)?.state ?? '';
}
