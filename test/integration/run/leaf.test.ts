import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLiving, readProcess } from '../../../src/process/proc.ts';
import { isAlive } from '../../../src/process/stat.ts';
import { reapMembers } from '../../../src/run/recover.ts';
import { groupOf, testLeaf } from '../../support/leaf.ts';
import { requirePart } from '../../support/parts.ts';
import { agent, MARK, openScene, pids, type Scene } from '../../support/run.ts';
import { startSupervisor } from '../../support/supervisor.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

/** Clears its environment, leaves the session, loses its parent: nothing but the kernel's own list finds it. */
const HIDDEN =
  'env -i setsid sh -c "trap \'\' TERM; echo \\$\\$ > $SCENE/hidden.new; mv $SCENE/hidden.new $SCENE/hidden; while :; do sleep 0.2; done" & while [ ! -s "$SCENE/hidden" ]; do sleep 0.02; done; ';

describe('a control group for the run', () => {
  it('is joined before the agent exists, so that not even its first child is outside, and is gone afterwards', async (context) => {
    requirePart(context, 'cgroup2');
    const leaf = testLeaf();
    const report = await scene.run(['/bin/sh', '-c', 'cat /proc/self/cgroup; cat /proc/$$/cgroup; exit 3'], { leaf });
    expect(report).toMatchObject({ end: 'exit', exitCode: 3, receipt: { leaf: { folder: leaf.folder, killed: false, removed: true } } });
    const groups = report.tail.split('\n').filter((line) => line.startsWith('0::'));
    expect(groups.map((line) => basename(line))).toEqual([basename(leaf.folder), basename(leaf.folder)]);
    expect(existsSync(leaf.folder)).toBe(false);
    expect(groupOf('self')).not.toContain(basename(leaf.folder));
  });

  it('holds those who cleared their environment, left the session and lost their parent: ended, and told in the receipt', async (context) => {
    requirePart(context, 'cgroup2', 'setsid');
    const leaf = testLeaf();
    const report = await scene.run(['/bin/sh', '-c', `${HIDDEN} exit 0`], { leaf, termGraceMs: 300 });
    const hidden = Number(readFileSync(join(scene.folder, 'hidden'), 'utf8'));
    expect(pids(report.receipt.members)).toContain(hidden);
    expect(pids(report.receipt.escaped)).toContain(hidden);
    expect(pids(report.receipt.leftovers)).toContain(hidden);
    expect(report.receipt).toMatchObject({ survivors: [], leaf: { killed: true, removed: true } });
    const left = readProcess(hidden);
    expect(left !== null && isAlive(left)).toBe(false);
  });

  it('is not killed when everyone leaves on TERM', async (context) => {
    requirePart(context, 'cgroup2');
    const leaf = testLeaf();
    const report = await scene.run(['/bin/sh', '-c', 'sleep 300 & sleep 300'], { leaf, hardTimeoutMs: 300 });
    expect(report).toMatchObject({ end: 'timeout', receipt: { survivors: [], leaf: { killed: false, removed: true } } });
  });

  it('ends a fork bomb of deaf processes at once', async (context) => {
    requirePart(context, 'cgroup2', 'setsid');
    const leaf = testLeaf();
    const bomb =
      'trap "" TERM; i=0; while [ $i -lt 40 ]; do env -i setsid sh -c "trap \'\' TERM; while :; do sleep 0.05; sh -c :; done" & i=$((i+1)); done; echo; wait';
    const report = await scene.run(['/bin/sh', '-c', bomb], { leaf, hardTimeoutMs: 1_500, termGraceMs: 200 });
    expect(report.receipt).toMatchObject({ survivors: [], leaf: { killed: true, removed: true } });
    expect(report.receipt.members.length).toBeGreaterThanOrEqual(41);
    expect(report.receipt.durationMs).toBeLessThan(2_000);
  });

  it('goes with the groups that an agent made inside it', async (context) => {
    requirePart(context, 'cgroup2');
    const leaf = testLeaf();
    const nested = `mkdir "${leaf.folder}/inner" && sh -c 'echo $$ > "${leaf.folder}/inner/cgroup.procs"; exec env -i setsid sleep 300' & sleep 0.3`;
    const report = await scene.run(['/bin/sh', '-c', nested], { leaf, termGraceMs: 200 });
    expect(report.receipt.members.map(({ name }) => name)).toContain('sleep');
    expect(report.receipt).toMatchObject({ survivors: [], leaf: { removed: true } });
    expect(existsSync(leaf.folder)).toBe(false);
  });

  it('that is gone when the agent wants to join costs nothing but the group', async (context) => {
    requirePart(context, 'cgroup2');
    const leaf = testLeaf();
    leaf.remove();
    const report = await scene.run(['/bin/sh', '-c', 'echo here; exit 4'], { leaf });
    expect(report).toMatchObject({ end: 'exit', exitCode: 4, tail: 'here\n', receipt: { leaf: { killed: false, removed: true } } });
  });

  it('is removed when the agent cannot be started, and its error is the one without a group', async (context) => {
    requirePart(context, 'cgroup2');
    for (const [program, code] of [
      [join(scene.folder, 'missing'), 'AR-RUN-002'],
      ['/etc/passwd', 'AR-RUN-003'],
    ] as const) {
      const leaf = testLeaf();
      const report = await scene.run([program], { leaf });
      expect(report).toMatchObject({ end: 'spawn_failed', problem: { code } });
      expect(existsSync(leaf.folder)).toBe(false);
    }
  });

  it('changes nothing of arguments, environment, input and exit by signal', async (context) => {
    requirePart(context, 'cgroup2');
    const odd = { 'with.dot': 'a b', 'with-dash': '"q" $x', 'BASH_FUNC_f%%': '() { :; }', 'NEW\nLINE': 'x', EMPTY: '' };
    const env = { ...scene.spec(['/bin/true']).env, PWD: scene.folder, ...odd };
    const script =
      'import os,sys,json; json.dump([sys.argv[1:], dict(os.environ), sys.stdin.read()], sys.stdout); sys.stdout.flush(); os.kill(os.getpid(), 11)';
    const argv = ['/usr/bin/python3', '-c', script, '', "it's", '-n', '$HOME', 'a\nb'] as const;
    const changes = { env, stdin: 'the prompt' };
    const plain = await scene.run(argv, changes);
    const inLeaf = await scene.run(argv, { ...changes, leaf: testLeaf() });
    expect(JSON.parse(inLeaf.tail)).toEqual(JSON.parse(plain.tail));
    expect([inLeaf.signal, plain.signal]).toEqual(['SIGSEGV', 'SIGSEGV']);
  });

  it('field bug 18: is emptied and removed after the death of the supervisor', async (context) => {
    requirePart(context, 'cgroup2', 'setsid');
    const leaf = testLeaf();
    const spec = scene.spec(['/bin/sh', '-c', `${HIDDEN} sleep 300`]);
    // A supervisor of its own gets its specification as JSON: the agent joins by itself there.
    const supervisor = startSupervisor({ ...spec, argv: ['/bin/sh', '-c', `echo $$ > ${leaf.procs}; exec "$@"`, 'sh', ...spec.argv] });
    const leader = await supervisor.spawned;
    const hidden = await scene.processOf('hidden');
    supervisor.child.kill('SIGKILL');
    await supervisor.ended;
    const receipt = await reapMembers({ mark: { name: MARK, value: 'of-nobody' }, identity: null, leaf, graceMs: 200 });
    expect(pids(receipt.signalled)).toEqual(expect.arrayContaining(pids([leader, hidden])));
    expect(receipt).toMatchObject({ survivors: [], leaf: { killed: true, removed: true } });
    expect([isLiving(leader), isLiving(hidden)]).toEqual([false, false]);
  });

  it('of a deaf tree is empty after the wall within the grace and some milliseconds', async (context) => {
    requirePart(context, 'cgroup2');
    const leaf = testLeaf();
    const report = await scene.run([agent('ignore-term.sh')], { leaf, hardTimeoutMs: 300, termGraceMs: 300 });
    expect(report.receipt.durationMs).toBeLessThan(300 + 500);
    expect(report.receipt.leaf).toMatchObject({ killed: true, removed: true });
  });
});
