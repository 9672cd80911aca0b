import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cgroupFacts, unifiedPath } from '../../../src/process/cgroup.ts';
import { makeSubLeaf, roundLeaf, sweepLeaves } from '../../../src/process/cgroup-leaf.ts';
import { testFolder } from '../../support/folder.ts';

const UNIT = '/user.slice/user-1000.slice/user@1000.service/app.slice/agent-runner@shop.service';
const V2_MOUNT = '25 30 0:22 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n';
const HYBRID_MOUNTS =
  '24 30 0:21 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n25 30 0:22 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw\n';

/** A fake tree with one cgroup, and what the kernel would say about us. */
function fake(options: { cgroup: string; mountinfo?: string; at?: string; files?: Record<string, string> }) {
  const root = testFolder();
  const { cgroup, mountinfo = V2_MOUNT, at = `/sys/fs/cgroup${UNIT}`, files = {} } = options;
  const folder = join(root, at);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({
    'cgroup.procs': '',
    'cgroup.subtree_control': '',
    'cgroup.controllers': 'cpu memory pids\n',
    ...files,
  })) {
    writeFileSync(join(folder, name), text);
  }
  return { folder, view: { cgroup, mountinfo, root } };
}

test('a delegated unit of version 2: folder, controllers, bounds', () => {
  const { folder, view } = fake({
    cgroup: `0::${UNIT}\n`,
    files: { 'memory.max': '1073741824\n', 'memory.high': 'max\n', 'memory.swap.max': '0\n' },
  });
  expect(cgroupFacts(view)).toEqual({
    version: 'v2',
    path: UNIT,
    folder,
    delegated: true,
    controllers: ['cpu', 'memory', 'pids'],
    memory: { max: 1073741824, high: null, swapMax: 0 },
  });
});

test('hybrid: the version 2 tree has no memory', () => {
  const { view } = fake({
    cgroup: `4:memory:/user.slice\n1:name=systemd:${UNIT}\n0::${UNIT}\n`,
    mountinfo: HYBRID_MOUNTS,
    at: `/sys/fs/cgroup/unified${UNIT}`,
    files: { 'cgroup.controllers': '' },
  });
  expect(cgroupFacts(view)).toMatchObject({ version: 'hybrid', delegated: true, controllers: [], memory: null });
});

test('version 1 alone, and no cgroups at all', () => {
  const { view } = fake({ cgroup: '4:memory:/a\n1:name=systemd:/a\n', mountinfo: '' });
  expect(cgroupFacts(view)).toMatchObject({ version: 'v1', path: null, folder: null, delegated: false });
  expect(cgroupFacts({ ...view, cgroup: '' })).toMatchObject({ version: 'none', folder: null });
});

test('from within the sub-leaf the unit itself is found', () => {
  const { folder, view } = fake({ cgroup: `0::${UNIT}/supervisor\n` });
  expect(cgroupFacts(view)).toMatchObject({ path: UNIT, folder, delegated: true });
});

test.each([
  ['the unit that we wrote', UNIT, true],
  ['a unit of somebody else', '/system.slice/cron.service', false],
  ['a terminal of the user who may write there', '/user.slice/user-1000.slice/user@1000.service/app.slice/vte-spawn-1.scope', false],
  ["a container's own root", '/', true],
])('writable is not delegated: %s', (_name, path, delegated) => {
  const { view } = fake({ cgroup: `0::${path}\n`, at: `/sys/fs/cgroup${path}` });
  expect(cgroupFacts(view).delegated).toBe(delegated);
});

test('not delegated: the files that matter are not there for us', () => {
  const { folder, view } = fake({ cgroup: `0::${UNIT}\n` });
  expect(cgroupFacts({ ...view, cgroup: '0::/elsewhere\n' }).delegated).toBe(false);
  expect(makeSubLeaf(cgroupFacts({ ...view, cgroup: '0::/elsewhere\n' }), 1)).toBe('not delegated');
  expect(folder).not.toBe('');
});

test('a mount that shows a part of the tree: the path within it', () => {
  const { folder, view } = fake({
    cgroup: `0::/docker/abc${UNIT}\n`,
    mountinfo: '25 30 0:22 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n',
  });
  expect(cgroupFacts(view).folder).toBe(folder);
  expect(cgroupFacts({ ...view, cgroup: '0::/other\n' }).folder).toBeNull();
  expect(cgroupFacts({ ...view, mountinfo: V2_MOUNT, cgroup: '0::/../other\n' }).folder).toBeNull();
});

test('escapes in mountinfo, spaces in paths', () => {
  const { folder, view } = fake({
    cgroup: '0::/a b\n',
    mountinfo: '25 30 0:22 / /mnt/c\\040d rw - cgroup2 cgroup2 rw\n',
    at: '/mnt/c d/a b',
  });
  expect(cgroupFacts(view).folder).toBe(folder);
});

test('the unified line is the one with 0 and nothing between the colons', () => {
  expect(unifiedPath('12:name=x:/a\n0::/b:c\n')).toBe('/b:c');
  expect(unifiedPath('1:cpu:/a\n')).toBeNull();
});

test('making the sub-leaf: the supervisor moves, the controllers are handed on', () => {
  const { folder, view } = fake({ cgroup: `0::${UNIT}\n` });
  mkdirSync(join(folder, 'supervisor'));
  writeFileSync(join(folder, 'supervisor', 'cgroup.procs'), '');
  expect(makeSubLeaf(cgroupFacts(view), 4711)).toEqual({ folder, controllers: ['memory', 'pids'], exclusive: true });
  expect(readFileSync(join(folder, 'supervisor', 'cgroup.procs'), 'utf8')).toBe('4711');
  expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8')).toContain('pids');
});

test('at the root of a tree nobody is moved', () => {
  const { folder, view } = fake({ cgroup: '0::/\n', at: '/sys/fs/cgroup' });
  expect(makeSubLeaf(cgroupFacts(view), 4711)).toEqual({ folder, controllers: ['memory', 'pids'], exclusive: false });
  expect(existsSync(join(folder, 'supervisor'))).toBe(false);
});

test('a leaf of a round: members of it and below, bounds, memory, and who is left over', () => {
  const { folder } = fake({ cgroup: `0::${UNIT}\n` });
  const leaves = { folder, controllers: ['memory'], exclusive: true };
  const leaf = roundLeaf(leaves, 'a1/../b2');
  if (leaf === null) throw new Error('no leaf');
  expect(leaf.folder).toBe(join(folder, 'round-a1____b2'));
  expect(leaf.procs).toBe(join(leaf.folder, 'cgroup.procs'));
  expect(leaf.memory()).toBeNull();
  expect(leaf.kill()).toBe(false);
  expect(leaf.limitMemory(1)).toBe(false);
  for (const [name, text] of Object.entries({
    'cgroup.procs': '10\n11\n',
    'cgroup.kill': '',
    'memory.max': 'max',
    'memory.oom.group': '0',
    'memory.events': 'low 0\nhigh 0\nmax 7\noom 2\noom_kill 3\noom_group_kill 1\n',
    'memory.peak': '123456\n',
  })) {
    writeFileSync(join(leaf.folder, name), text);
  }
  mkdirSync(join(leaf.folder, 'inner'));
  writeFileSync(join(leaf.folder, 'inner', 'cgroup.procs'), '12\n');
  expect(leaf.members()).toEqual([10, 11, 12]);
  expect(leaf.memory()).toEqual({ peak: 123456, swapPeak: null, high: 0, max: 7, oom: 2, oomKills: 3 });
  expect(leaf.limitMemory(5_000_000)).toBe(true);
  expect(readFileSync(join(leaf.folder, 'memory.max'), 'utf8')).toBe('5000000');
  expect(readFileSync(join(leaf.folder, 'memory.oom.group'), 'utf8')).toBe('1');
  expect(leaf.kill()).toBe(true);
  expect(sweepLeaves({ ...leaves, exclusive: false })).toBe(0);
  expect(sweepLeaves(leaves)).toBe(1);
  expect(readFileSync(join(leaf.folder, 'cgroup.kill'), 'utf8')).toBe('1');
});
