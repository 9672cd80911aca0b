import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLiving, listProcesses, pidNamespace } from '../../../src/process/proc.ts';
import { isAlive } from '../../../src/process/stat.ts';
import { reapMembers } from '../../../src/run/recover.ts';
import { testLeaf } from '../../support/leaf.ts';
import { namespaceHere } from '../../support/namespace.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, openScene, pids, type Scene } from '../../support/run.ts';
import { startSupervisor } from '../../support/supervisor.ts';
import { until } from '../../support/wait.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

/** Living processes with this word in their command line. */
async function commandsWith(word: string): Promise<number[]> {
  return (await listProcesses())
    .filter(isAlive)
    .filter(({ pid }) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word);
      } catch {
        return false;
      }
    })
    .map(({ pid }) => pid);
}

/** A number of seconds that nobody else sleeps: how processes in a namespace are found from outside. */
let next = 0;
const unusual = () => `3${process.pid}${next++}`;

describe('a PID namespace for the run', () => {
  it('holds the agent as an ordinary process with a /proc of its own; its exit code is the run’s', async (context) => {
    const prefix = await namespaceHere(context);
    const script = 'readlink /proc/self/ns/pid; ls /proc | grep -c "^[0-9]"; test $$ -gt 1 && echo ordinary; echo x > /dev/stderr; exit 7';
    const report = await scene.run(['/bin/sh', '-c', script], { pidNamespace: prefix });
    expect(report).toMatchObject({ end: 'exit', exitCode: 7, signal: null });
    expect(report.receipt).toMatchObject({ signalled: [], survivors: [] });
    expect(report.tail).not.toContain(pidNamespace());
    expect(Number(report.tail.split('\n')[1])).toBeLessThan(8);
    expect(report.tail).toContain('ordinary\nx\n');
  });

  it('hands TERM to the agent, once, which may end in order within the grace', async (context) => {
    const prefix = await namespaceHere(context);
    const script = 'trap "echo got TERM; sleep 0.2; exit 9" TERM; echo ready; while :; do sleep 0.05; done';
    const report = await scene.run(['/bin/sh', '-c', script], { pidNamespace: prefix, hardTimeoutMs: 400, termGraceMs: 5_000 });
    expect(report).toMatchObject({ end: 'timeout', exitCode: 9 });
    expect(report.tail.match(/got TERM/g)).toHaveLength(1);
    expect(report.receipt.durationMs).toBeLessThan(2_000);
  });

  it('hands a cooperative stop to the agent as well', async (context) => {
    const prefix = await namespaceHere(context);
    const stop = new AbortController();
    const running = scene.run([agent('interrupt.sh')], {
      pidNamespace: prefix,
      stopSignal: 'SIGINT',
      stop: stop.signal,
      termGraceMs: 5_000,
    });
    await until('it is ready', () => scene.log().includes('ready'));
    stop.abort('stopped');
    const plain = openScene();
    const plainStop = new AbortController();
    const reference = plain.run([agent('interrupt.sh')], { stopSignal: 'SIGINT', stop: plainStop.signal, termGraceMs: 5_000 });
    await until('it is ready', () => plain.log().includes('ready'));
    plainStop.abort('stopped');
    const [inside, outside] = [await running, await reference];
    await plain.close();
    expect([inside.end, inside.exitCode, inside.tail]).toEqual([outside.end, outside.exitCode, outside.tail]);
  });

  it('tells a signal as 128 + its number', async (context) => {
    const prefix = await namespaceHere(context);
    const report = await scene.run(['/bin/sh', '-c', 'kill -SEGV $$'], { pidNamespace: prefix });
    expect(report).toMatchObject({ end: 'exit', exitCode: 139, signal: null });
  });

  it('ends with the agent, and everybody in it at once, however they hid', async (context) => {
    const prefix = await namespaceHere(context);
    requirePart(context, 'setsid');
    const seconds = unusual();
    const script = `env -i setsid sh -c 'trap "" TERM; sleep ${seconds}' & sleep 0.2; exit 0`;
    const report = await scene.run(['/bin/sh', '-c', script], { pidNamespace: prefix });
    expect(report).toMatchObject({ end: 'exit', exitCode: 0, receipt: { survivors: [] } });
    expect(await commandsWith(seconds)).toEqual([]);
  });

  it('lets nobody inside escape the receipt: orphans become children of its first process', async (context) => {
    const prefix = await namespaceHere(context);
    requirePart(context, 'setsid');
    const seconds = unusual();
    const script = `env -i setsid sh -c 'trap "" TERM; sleep ${seconds}' & sleep 300`;
    const report = await scene.run(['/bin/sh', '-c', script], { pidNamespace: prefix, hardTimeoutMs: 500, termGraceMs: 300 });
    expect(report.end).toBe('timeout');
    expect(report.receipt.escaped.map(({ name }) => name)).toContain('sleep');
    expect(report.receipt.survivors).toEqual([]);
    expect(await commandsWith(seconds)).toEqual([]);
  });

  it('does not hold the grace after a result by its own processes, and is held by one that works', async (context) => {
    const prefix = await namespaceHere(context);
    const changes = { pidNamespace: prefix, graceAfterResultMs: 200, onLine: () => 'result' as const, hardTimeoutMs: 2_500 };
    expect((await scene.run(['/bin/sh', '-c', 'echo done; sleep 60; :'], changes)).end).toBe('timeout');
    expect((await scene.run(['/usr/bin/tail', '-f', '-n1', '/etc/hostname'], { ...changes, hardTimeoutMs: 10_000 })).end).toBe('grace');
  });

  it('scar: a change of user inside does not cut the tie to the supervisor’s side', async (context) => {
    const prefix = await namespaceHere(context);
    requirePart(context, 'root');
    const seconds = unusual();
    const argv = ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '/bin/sh', '-c', `sleep ${seconds}; :`] as const;
    const running = scene.run(argv, { pidNamespace: prefix });
    await until('the agent runs as another user', async () => (await commandsWith(`sleep\0${seconds}`)).length === 1);
    const outer = (await listProcesses()).find(
      ({ comm, pid, ppid }) => comm === 'unshare' && ppid === process.pid && isAlive({ pid } as never),
    );
    process.kill(outer?.pid ?? 0, 'SIGKILL');
    expect(await running).toMatchObject({ end: 'exit', signal: 'SIGKILL', receipt: { survivors: [] } });
    expect(await commandsWith(seconds)).toEqual([]);
  });

  it('field bug 18: lives on when the supervisor is killed, and the next one ends all of it', async (context) => {
    const prefix = await namespaceHere(context);
    requirePart(context, 'setsid');
    const seconds = unusual();
    const script = `env -i setsid sh -c 'trap "" TERM; sleep ${seconds}' & sleep 300`;
    const spec = scene.spec(['/bin/sh', '-c', script], { pidNamespace: prefix });
    const supervisor = startSupervisor(spec);
    const leader = await supervisor.spawned;
    await until('the hidden one runs', async () => (await commandsWith(`sleep\0${seconds}`)).length === 1);
    supervisor.child.kill('SIGKILL');
    await supervisor.ended;
    expect(isLiving(leader)).toBe(true);
    const receipt = await reapMembers({ mark: spec.mark, identity: leader, graceMs: 200 });
    expect(pids(receipt.signalled)).toContain(leader.pid);
    expect(receipt.survivors).toEqual([]);
    expect(await commandsWith(seconds)).toEqual([]);
  });

  it('goes together with a control group, odd variables and a long prompt', async (context) => {
    const prefix = await namespaceHere(context);
    requirePart(context, 'cgroup2');
    const env = { ...scene.spec(['/bin/true']).env, 'a.b': 'with "quotes" and $dollars', PLAIN: '1' };
    const script =
      'import os,sys; e=dict(os.environ); print(e["a.b"], len(sys.stdin.read()), [k for k in e if "CARRIED" in k], sys.argv[1:])';
    const report = await scene.run(['/usr/bin/python3', '-c', script, "it's", ''], {
      pidNamespace: prefix,
      leaf: testLeaf(),
      env,
      stdin: 'x'.repeat(300_000),
    });
    expect(report.tail).toBe('with "quotes" and $dollars 300000 [] ["it\'s", \'\']\n');
    expect(report).toMatchObject({ exitCode: 0, receipt: { leaf: { removed: true } } });
  });

  it('costs some milliseconds', async (context) => {
    const prefix = await namespaceHere(context);
    const time = async (changes: object) => {
      const runs = await Promise.all([1].map(async () => (await scene.run(['/bin/true'], changes)).durationMs));
      return Math.min(...runs, (await scene.run(['/bin/true'], changes)).durationMs, (await scene.run(['/bin/true'], changes)).durationMs);
    };
    const [plain, inside] = [await time({}), await time({ pidNamespace: prefix })];
    console.log(`/bin/true: ${plain.toFixed(1)} ms, in a PID namespace ${inside.toFixed(1)} ms`);
    expect(inside - plain).toBeLessThan(100);
  });
});
