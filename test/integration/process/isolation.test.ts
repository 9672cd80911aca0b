import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cgroupFacts } from '../../../src/process/cgroup.ts';
import { isolationFacts, prepareLeaves } from '../../../src/process/isolation.ts';
import { groupOf } from '../../support/leaf.ts';
import { namespaceHere } from '../../support/namespace.ts';
import { requirePart } from '../../support/parts.ts';
import { until } from '../../support/wait.ts';

const groups = () => readdirSync(cgroupFacts().folder ?? '/nowhere').filter((name) => name.startsWith('round-probe-'));
/** Supervisors of other tests try theirs in the same folder meanwhile, and one that is killed leaves its own. */
const nothingNew = (before: readonly string[]) => until('no group is left behind', () => groups().every((name) => before.includes(name)));

test('what doctor tells is tried for real, leaves nothing behind and moves nobody', async (context) => {
  requirePart(context, 'cgroup2');
  const before = groupOf('self');
  const others = groups();
  const { leaf } = await isolationFacts();
  expect(leaf).toMatchObject({ available: true, kill: true, reason: null, folder: cgroupFacts().folder });
  await nothingNew(others);
  expect(groupOf('self')).toBe(before);
});

test('a supervisor learns the same at its start', async (context) => {
  requirePart(context, 'cgroup2');
  const others = groups();
  const { leaves, facts } = await prepareLeaves();
  expect(leaves?.folder).toBe(cgroupFacts().folder);
  expect(facts).toMatchObject({ available: true, kill: true });
  await nothingNew(others);
});

test('without a tree of version 2 rounds go without, and the reason is told', async () => {
  const none = { version: 'v1', path: null, folder: null, delegated: false, controllers: [], memory: null } as const;
  expect(await prepareLeaves({ ...none, controllers: [] })).toMatchObject({
    leaves: null,
    facts: { available: false, reason: 'no cgroup v2 here' },
  });
  const foreign = { ...none, version: 'v2', path: '/system.slice/x.service', folder: '/sys/fs/cgroup/system.slice/x.service' } as const;
  expect(await prepareLeaves({ ...foreign, controllers: [] })).toMatchObject({ leaves: null, facts: { reason: 'not delegated' } });
});

test('a folder in which no group can be made is told as such', async (context) => {
  requirePart(context, 'linux');
  const facts = { version: 'v2', path: '/', folder: '/proc/self', delegated: true, controllers: ['memory'], memory: null } as const;
  const { leaves, facts: told } = await prepareLeaves({ ...facts, controllers: ['memory'] });
  expect(leaves).toBeNull();
  expect(told.reason).toMatch(/no cgroup can be made in \/proc\/self/);
  expect(existsSync('/proc/self/supervisor')).toBe(false);
});

test('PID namespaces are found to work where they do', async (context) => {
  await namespaceHere(context);
  expect((await isolationFacts()).pid_namespace).toEqual({ available: true, as_user: process.getuid?.() !== 0, reason: null });
});
