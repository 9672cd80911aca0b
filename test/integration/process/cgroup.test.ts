import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cgroupFacts } from '../../../src/process/cgroup.ts';
import { type Leaf, leafAt, makeSubLeaf, roundLeaf } from '../../../src/process/cgroup-leaf.ts';
import { requirePart } from '../../support/parts.ts';
import { until } from '../../support/wait.ts';

/** A cgroup of the test's own below ours, in the kernel's real hierarchy. */
function ownCgroup(name = ''): string {
  const { folder } = cgroupFacts();
  if (folder === null) throw new Error('no cgroup v2');
  const own = join(folder, `agent-runner@test-${process.pid}-${Math.random().toString(36).slice(2)}${name}`);
  mkdirSync(own);
  onTestFinished(async () => {
    leafAt(own).kill();
    await until('the cgroup is removed', () => {
      return leafAt(own).remove();
    });
  });
  return own;
}

function joining(leaf: Leaf, script: string) {
  const child = spawn('sh', ['-c', 'echo $$ > "$0" && exec sh -c "$1"', leaf.procs, script], { stdio: 'ignore', detached: true });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

test('cgroup.kill ends everybody in a leaf, also who is in a session of its own; the leaf is gone afterwards', async (context) => {
  requirePart(context, 'cgroup2', 'setsid');
  const leaf = roundLeaf({ folder: ownCgroup(), controllers: [], exclusive: true }, 'r1');
  if (leaf === null) throw new Error('no leaf');
  const child = joining(leaf, 'trap "" TERM; setsid sleep 600 & sleep 600 & sleep 600');
  await until('all are in the leaf', () => leaf.members().length >= 4);
  expect(leaf.members()).toContain(child.pid);
  expect(leaf.remove()).toBe(false);
  const begun = performance.now();
  expect(leaf.kill()).toBe(true);
  await until('nobody is in it', () => leaf.members().length === 0);
  expect(performance.now() - begun).toBeLessThan(500);
  await until('it is removed', () => leaf.remove());
  expect(existsSync(leaf.folder)).toBe(false);
  expect(leaf.kill()).toBe(false);
  expect(leaf.remove()).toBe(true);
});

test('a process moves into the sub-leaf of its cgroup, and is found from there', async (context) => {
  requirePart(context, 'cgroup2');
  const own = ownCgroup('.service');
  const child = joining({ procs: join(own, 'cgroup.procs') } as Leaf, 'exec sleep 600');
  const view = () => ({
    cgroup: `0::/${basename(own)}`,
    mountinfo: `1 1 0:1 / ${dirname(own)} rw - cgroup2 cgroup2 rw
`,
    root: '',
  });
  const facts = cgroupFacts(view());
  expect(facts).toMatchObject({ folder: own, delegated: true });
  await until('the child is in the cgroup', () => processesIn(own).includes(child.pid as number));
  const leaves = makeSubLeaf(facts, child.pid);
  expect(leaves).toMatchObject({ folder: own });
  expect(processesIn(join(own, 'supervisor'))).toEqual([child.pid]);
  // A second supervisor after a crash finds the folder there.
  expect(makeSubLeaf(facts, child.pid)).toMatchObject({ folder: own });
});

function processesIn(folder: string): number[] {
  return readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
}
