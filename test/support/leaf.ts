import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { cgroupFacts } from '../../src/process/cgroup.ts';
import { type Leaf, leafFolder, makeLeaf } from '../../src/process/cgroup-leaf.ts';
import { until } from './wait.ts';

/** A real control group below ours, emptied and removed with the test. Only after `requirePart(context, 'cgroup2')`. */
export function testLeaf(): Leaf {
  const { folder } = cgroupFacts();
  const leaf = folder === null ? null : makeLeaf(leafFolder({ folder }, `test-${randomUUID()}`));
  if (leaf === null) throw new Error(`no control group can be made in ${folder}`);
  onTestFinished(() => closeLeaf(leaf));
  return leaf;
}

async function closeLeaf(leaf: Leaf): Promise<void> {
  leaf.kill();
  await until('the control group is removed', () => leaf.remove());
}

/** The version 2 control group that a process is in, as the kernel names it. */
export function groupOf(pid: number | string): string {
  return /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? '';
}
