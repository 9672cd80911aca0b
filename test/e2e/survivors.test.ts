import { chmodSync, copyFileSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/process/command.ts';
import { listProcesses, readProcess } from '../../src/process/proc.ts';
import { isAlive } from '../../src/process/stat.ts';
import { systemClock } from '../../src/util/clock.ts';
import { requirePart } from '../support/parts.ts';
import { kill, type Project, project, type StoredEvent } from '../support/project.ts';
import { until } from '../support/wait.ts';

const RESULT = 'echo \'{"type":"result","is_error":false}\'';
/** Between TERM and KILL one second instead of five: what a CLI with a cooperative stop may be given. */
const QUICK = { adapter: 'claude', sigterm_grace_s: 1 };
const AGENTS = resolve(import.meta.dirname, '../agents');

/** One of test/agents/, with its scene in log_dir. */
function fixture(name: string, ...args: string[]): string {
  return `cat >/dev/null; ${RESULT}; SCENE="$AGENT_RUNNER_LOG_DIR" exec ${name.endsWith('.py') ? '/usr/bin/python3 ' : ''}${AGENTS}/${name} ${args.join(' ')}`;
}

function pidIn(at: Project, name: string): number {
  return Number(readFileSync(join(at.logDir, name), 'utf8'));
}

function lives(pid: number): boolean {
  const entry = readProcess(pid);
  return entry !== null && isAlive(entry);
}

function pids(list: { pid: number }[]): number[] {
  return list.map(({ pid }) => pid);
}

function receiptOf(at: Project, round = 1): StoredEvent {
  const receipts = at.events('round_reaped').filter(({ round_num }) => round_num === round);
  expect(receipts).toHaveLength(1);
  const [receipt] = receipts as [StoredEvent];
  for (const list of ['members', 'escaped', 'signalled', 'survivors']) {
    // scar 69: name and pid, and nothing of argv.
    for (const entry of receipt[list]) expect(Object.keys(entry).sort()).toEqual(['name', 'pid']);
  }
  return receipt;
}

describe('escapees that ignore TERM, INT and HUP', () => {
  const METHODS = ['setsid', 'group', 'double-fork', 'exec'];

  it('scar 7, scar 12, field bug 12, field bug 14: none outlives an agent that ends well', async (context) => {
    requirePart(context, 'linux', 'python3');
    await Promise.all(
      METHODS.map(async (method) => {
        const at = project({ agent: fixture('escape.py', method), agentTable: QUICK });
        expect(await at.run(['round'], { timeoutMs: 40_000 })).toMatchObject({ code: 0 });
        expectCaught(at, method);
        expect(at.outcomes()).toEqual(['ok_leftovers']);
      }),
    );
  });

  it('scar 12, reference case 7, field bug 11, field bug 12: none outlives the hard wall', async (context) => {
    requirePart(context, 'linux', 'python3');
    await Promise.all(
      METHODS.map(async (method) => {
        const at = project({ agent: fixture('escape.py', method, 'stay'), agentTable: QUICK, runtime: { round_timeout_s: 2 } });
        expect(await at.run(['round'], { timeoutMs: 40_000 })).toMatchObject({ code: 0 });
        const receipt = expectCaught(at, method);
        expect(at.outcomes()).toEqual(['timeout']);
        expect(receipt.members.length).toBeGreaterThanOrEqual(2);
      }),
    );
  });

  function expectCaught(at: Project, method: string): StoredEvent {
    const escapee = pidIn(at, 'escapee');
    const receipt = receiptOf(at);
    for (const list of ['members', 'escaped', 'signalled']) expect(pids(receipt[list]), `${method}: ${list}`).toContain(escapee);
    expect(receipt.survivors).toEqual([]);
    expect(lives(escapee)).toBe(false);
    expect(at.agents()).toEqual([]);
    expect(at.has('round-in-flight.json')).toBe(false);
    return receipt;
  }

  it('one that runs away into ever new sessions is caught too', async (context) => {
    requirePart(context, 'linux', 'setsid');
    const at = project({ agent: fixture('chain.sh'), agentTable: QUICK });
    await at.run(['round']);
    expect(receiptOf(at).survivors).toEqual([]);
    expect((await listProcesses()).filter((entry) => entry.comm === 'chain.sh' && isAlive(entry))).toEqual([]);
  });
});

describe('the hard wall', () => {
  it('field bug 11: a grandchild stops writing, and the receipt names all three', async () => {
    const at = project({ agent: fixture('tree.sh'), runtime: { round_timeout_s: 1 } });
    await at.run(['round']);
    const receipt = receiptOf(at);
    for (const name of ['leader', 'middle', 'writer']) expect(pids(receipt.members)).toContain(pidIn(at, name));
    const beats = statSync(join(at.logDir, 'beats')).size;
    expect(beats).toBeGreaterThan(0);
    expect(await at.run(['peek'])).toMatchObject({ code: 0 });
    expect(statSync(join(at.logDir, 'beats')).size).toBe(beats);
  });

  it('field bug 13: a leader that dies of TERM does not save the member that ignores it', async () => {
    const at = project({ agent: fixture('leave-member.sh', 'term'), agentTable: QUICK, runtime: { round_timeout_s: 1 } });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['timeout']);
    expect(pids(receiptOf(at).signalled)).toContain(pidIn(at, 'member'));
    expect(lives(pidIn(at, 'member'))).toBe(false);
  });

  it('field bug 21: a stopped member neither stops the ladder nor hurts serve', async () => {
    const at = project({ agent: fixture('stop-itself.sh'), runtime: { round_timeout_s: 1 } });
    const { code } = await at.run(['serve', '--max-rounds', '2']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['timeout', 'timeout']);
    for (const round of [1, 2]) expect(receiptOf(at, round).survivors).toEqual([]);
    expect(at.agents()).toEqual([]);
    expect(at.log()).toContain('got TERM');
  });
});

describe('a stop', () => {
  it.each(['serve', 'round'])(
    'scar 13, reference case 7: however often %s is told, the KILL comes and nobody is left behind',
    async (verb) => {
      const at = project({
        agent: `cat >/dev/null; trap "" TERM INT; setsid sh -c 'trap "" TERM INT; while :; do sleep 0.1; done' & ${RESULT}; while :; do sleep 0.1; done`,
        agentTable: QUICK,
      });
      const running = at.start([verb]);
      await until('the agent works', () => at.log().includes('result'));
      for (let i = 0; i < 8 && running.child.exitCode === null; i++) {
        running.child.kill(i % 2 === 0 ? 'SIGTERM' : 'SIGINT');
        await systemClock.sleep(100);
      }
      const { code } = await running.ended;
      expect(code).toBe(verb === 'serve' ? 0 : 130);
      expect(at.outcomes()).toEqual(['stopped']);
      expect(receiptOf(at)).toMatchObject({ survivors: [] });
      expect(receiptOf(at).escaped.length).toBeGreaterThanOrEqual(1);
      expect(at.agents()).toEqual([]);
      expect(at.json('status.json')).toMatchObject({ running: false });
    },
  );
});

describe('a clean end', () => {
  it('field bug 14: helpers in the group, in sessions of their own and re-parented are ended after a success', async () => {
    const at = project({
      agent: `cat >/dev/null; sleep 301 & sleep 302 & (setsid sleep 303 &) ; sh -c 'sleep 304 & exit 0'; ${RESULT}`,
    });
    expect(await at.run(['round'])).toMatchObject({ code: 0 });
    const receipt = receiptOf(at);
    expect(receipt.members.filter(({ name }: { name: string }) => name === 'sleep')).toHaveLength(4);
    expect(receipt.signalled).toHaveLength(4);
    expect(receipt.escaped).toHaveLength(1);
    expect(at.outcomes()).toEqual(['ok_leftovers']);
    expect(at.agents()).toEqual([]);
  });

  it('five hundred helpers in sessions of their own are ended too, and the receipt says how many it does not name', async (context) => {
    requirePart(context, 'linux', 'setsid');
    const at = project({ agent: `cat >/dev/null; i=0; while [ $i -lt 500 ]; do setsid sleep 300 & i=$((i+1)); done; sleep 1; ${RESULT}` });
    expect(await at.run(['round'])).toMatchObject({ code: 0 });
    const { members, escaped, omitted, duration_ms } = receiptOf(at);
    expect(members.length + (omitted?.members ?? 0)).toBe(500);
    expect(escaped.length + (omitted?.escaped ?? 0)).toBe(500);
    expect(duration_ms).toBeLessThan(5_000);
    expect(at.agents()).toEqual([]);
    expect(at.json('status.json')).toMatchObject({ last_outcome: 'ok_leftovers' });
  });

  it('field bug 3: work that is left running is ended, listed, and no silent success', async () => {
    const at = project({ agent: `cat >/dev/null; (while :; do echo x >> "$AGENT_RUNNER_LOG_DIR/beats"; sleep 0.05; done) & ${RESULT}` });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['ok_leftovers']);
    expect(receiptOf(at).signalled.length).toBeGreaterThanOrEqual(1);
    const beats = statSync(join(at.logDir, 'beats')).size;
    await at.run(['peek']);
    expect(statSync(join(at.logDir, 'beats')).size).toBe(beats);
  });

  it('helpers that leave by themselves within half a second are no leftovers, nor are those of the ignore patterns', async () => {
    const polite = project({ agent: `cat >/dev/null; sleep 0.3 & ${RESULT}` });
    const ignored = project({ agent: `cat >/dev/null; sleep 305 & ${RESULT}`, runtime: { grace_kill_ignore_patterns: ['sleep 305'] } });
    await Promise.all([polite.run(['round']), ignored.run(['round'])]);
    expect(polite.outcomes()).toEqual(['ok']);
    expect(receiptOf(polite).signalled).toEqual([]);
    expect(ignored.outcomes()).toEqual(['ok']);
    expect(receiptOf(ignored).signalled).toHaveLength(1);
    expect(ignored.agents()).toEqual([]);
  });

  it('field bug 17: a member that is dead and never reaped holds nobody up', async (context) => {
    requirePart(context, 'linux', 'python3');
    const at = project({ agent: fixture('zombie.py') });
    await at.run(['round']);
    const receipt = receiptOf(at);
    expect(receipt.survivors).toEqual([]);
    expect(pids(receipt.members)).not.toContain(pidIn(at, 'zombie'));
    expect(receipt.duration_ms).toBeLessThan(3_000);
  });

  it('field bug 16: as pid 1, with fifty orphans that nobody reaps, a round ends in time and without survivors', async (context) => {
    requirePart(context, 'linux', 'unshare', 'root');
    const orphans = 'i=0; while [ $i -lt 50 ]; do (setsid sh -c "sleep 0.2" &) ; i=$((i+1)); done';
    const at = project({
      agent: `cat >/dev/null; ${orphans}; sleep 300 & trap '' TERM; ${RESULT}; exec sleep 301`,
      agentTable: QUICK,
      runtime: { round_timeout_s: 2 },
    });
    const wrapper = ['unshare', '--fork', '--pid', '--kill-child', '--mount-proc'];
    expect(await at.run(['serve', '--once'], { wrapper, timeoutMs: 40_000 })).toMatchObject({ code: 0 });
    expect(at.outcomes()).toEqual(['timeout']);
    expect(receiptOf(at).survivors).toEqual([]);
    expect(at.events('round_end')).toHaveLength(1);
  });
});

it('scar 69: what stands in the argument list of a child is in no event, state file or answer', async () => {
  // The last one is none that redaction could know.
  const secret = 'sk-ant-api03-verysecretverysecretverysecret';
  const at = project({
    agent: `cat >/dev/null; sh -c 'sleep 306; :' --token=${secret} word-of-no-form & setsid sh -c 'sleep 307; :' PASSWORD=hunter2hunter2 & ${RESULT}; wait`,
    runtime: { max_grace_after_result_s: 1, round_timeout_s: 3 },
  });
  await at.run(['round']);
  expect(at.events('round_grace_extended')).toHaveLength(1);
  expect(receiptOf(at).members.length).toBeGreaterThanOrEqual(4);
  const { stdout } = await at.run(['peek', '--json', '--events', '100']);
  const { stdout: everything } = await runCommand(['grep', '-rlE', 'sk-ant|hunter2|word-of-no-form', at.logDir]);
  expect(stdout).not.toMatch(/sk-ant|hunter2|word-of-no-form/);
  expect(everything).toBe('');
});

it('a process that cannot be ended keeps the next round from starting, until it is gone', async (context) => {
  requirePart(context, 'linux', 'root');
  const at = project({
    agent: 'cat >/dev/null; if [ -e ../once ]; then exit 0; fi; touch ../once; ../rootly',
    agentTable: QUICK,
    runtime: { round_timeout_s: 1 },
  });
  // serve runs as an ordinary user, and its agent finds a program that becomes root for good: no signal of ours reaches that.
  const rootly = join(at.folder, 'rootly.bin');
  copyFileSync('/usr/bin/perl', rootly);
  at.write(
    '../rootly',
    `#!/bin/sh\nexec ${rootly} -e '$< = 0; $> = 0; $( = 0; $) = 0; $ENV{PATH} = "/bin"; exec "/bin/sleep", "308"'\n`,
    0o755,
  );
  await runCommand(['chown', '-R', 'nobody', at.folder]);
  await runCommand(['chown', 'root', rootly]);
  chmodSync(rootly, 0o4755);
  const running = at.start(['serve', '--max-rounds', '2'], { wrapper: ['setpriv', '--reuid', 'nobody', '--clear-groups'] });
  const { survivors } = await at.event('survivors_remain', () => true, 40_000);
  const [{ pid }] = survivors;
  try {
    expect(survivors).toEqual([{ name: 'sleep', pid }]);
    expect(receiptOf(at).survivors).toEqual(survivors);
    expect(at.json('round-in-flight.json')).toMatchObject({ round_num: 1, survivors: [{ pid }] });
    await until('the wait is told', () => at.json('state/wait.json')?.reason === 'survivors', 40_000);
    const { stdout } = await at.run(['peek']);
    expect(stdout.split('\n')[0]).toContain(String(pid));
    expect(at.events('round_start')).toHaveLength(1);
  } finally {
    kill(pid);
  }
  await at.run(['wake']);
  expect(await running.ended).toMatchObject({ code: 0 });
  expect(at.events('round_start').map(({ round_num }) => round_num)).toEqual([1, 2]);
});
