import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findChange } from '../../../src/run/changed-files.ts';
import { systemClock } from '../../../src/util/clock.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-runner-tree-'));
  for (const folder of ['src/deep', '.git/objects/ab', '.git/refs', 'node_modules/x', 'logs', 'sub/.git/objects/cd']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
});
afterEach(() => rmSync(root, { recursive: true }));

/** What is found of a change made now; file systems keep times in steps of some milliseconds. */
async function seen(change: () => void, exclude: string[] = []): Promise<string | null> {
  await systemClock.sleep(25);
  const since = systemClock.now();
  await systemClock.sleep(25);
  change();
  const found = await findChange(root, since, exclude);
  return found === null ? null : found.path.slice(root.length + 1);
}

const touch = (path: string) => () => writeFileSync(join(root, path), 'x');

describe('a changed file', () => {
  it('is found anywhere, its folder first', async () => {
    expect(await seen(() => {})).toBeNull();
    expect(await seen(touch('src/deep/new'))).toBe('src/deep');
    expect(await seen(touch('src/deep/new'))).toBe('src/deep/new');
  });

  it('is found whatever time its writer gave it', async () => {
    touch('old')();
    expect(await seen(() => utimesSync(join(root, 'old'), 1, 1))).toBe('old');
  });

  it('is not looked for in object stores and node_modules, but on them', async () => {
    touch('node_modules/x/file')();
    expect(await seen(touch('node_modules/x/file'))).toBeNull();
    expect(await seen(touch('.git/objects/ab/cdef'))).toBeNull();
    expect(await seen(touch('sub/.git/objects/cd/ef'))).toBeNull();
    expect(await seen(() => mkdirSync(join(root, 'node_modules/new')))).toBe('node_modules');
    expect(await seen(touch('.git/refs/head'))).toBe('.git/refs');
  });

  it('does not count in excluded folders, and links are not followed', async () => {
    expect(await seen(touch('logs/x'), [join(root, 'logs')])).toBeNull();
    symlinkSync('/proc', join(root, 'link'));
    expect(await seen(() => {})).toBeNull();
  });

  it('in a folder that is gone is none', async () => {
    expect(await findChange(join(root, 'gone'), 0, [])).toBeNull();
  });
});
