import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { treeState } from '../../../src/git/tree.ts';
import { type Scratch, scratchRepo } from '../../support/repo.ts';

describe("field bug 35: somebody's work from before the first round", () => {
  let scratch: Scratch;
  let preexisting: Set<string>;
  let before: string;
  const theirs = () => scratch.git('status', '--porcelain', '-z', '-uall', '--', ':/', ':(exclude,top)agent');

  beforeEach(async () => {
    scratch = scratchRepo();
    for (const name of ['moved.txt', 'deleted.txt', 'mode.sh', 'edited.txt'])
      scratch.write(name, `${name}, long enough to be found again\n`);
    scratch.git('add', '-A');
    scratch.git('commit', '-q', '-m', 'seed');
    // Staged and not, tracked and not: all of it must be there afterwards, exactly so.
    scratch.git('mv', 'moved.txt', 'renamed.txt');
    scratch.git('rm', '-q', 'deleted.txt');
    scratch.git('add', scratch.write('half.txt', 'staged\n'));
    scratch.write('half.txt', 'staged, then edited\n');
    scratch.write('edited.txt', 'edited\n');
    chmodSync(join(scratch.workDir, 'mode.sh'), 0o755);
    for (let i = 0; i < 300; i += 1) scratch.write(`deps/pkg-${i}/index.js`, `${i}`);
    scratch.write('-odd (name)*', 'odd');
    preexisting = new Set((await treeState(scratch.repo)).entries.map(({ path }) => path));
    before = theirs();
    // The agent's round.
    scratch.write('agent/new.txt', 'new\n');
    scratch.write('tracked.txt', 'second\n');
  });
  afterEach(() => scratch.close());

  const nobodyTouchedTheirs = () => {
    expect(theirs()).toBe(before);
    expect(scratch.read('half.txt')).toBe('staged, then edited\n');
    expect(scratch.git('show', ':half.txt')).toBe('staged');
  };

  it('is not stashed with what the agent left', async () => {
    const result = await scratch.resolve('stash', { preexisting });
    expect(result).toMatchObject({ kind: 'stashed', files: ['tracked.txt', 'agent/new.txt'] });
    expect(scratch.read('tracked.txt')).toBe('first\n');
    expect(existsSync(join(scratch.workDir, 'agent/new.txt'))).toBe(false);
    expect(scratch.git('show', `${result.ref}^3:agent/new.txt`)).toBe('new');
    nobodyTouchedTheirs();
  });

  it('is not committed either, though some of it is staged', async () => {
    expect(await scratch.resolve('auto_commit', { preexisting })).toMatchObject({ kind: 'committed' });
    expect(scratch.git('show', '--name-only', '--format=', 'HEAD').split('\n').sort()).toEqual(['agent/new.txt', 'tracked.txt']);
    nobodyTouchedTheirs();
  });

  it('alone is nothing to deal with', async () => {
    scratch.git('checkout', '-q', 'tracked.txt');
    scratch.git('clean', '-qfd', 'agent');
    expect(await scratch.resolve('stash', { preexisting })).toMatchObject({ kind: 'clean' });
    expect(scratch.events).toEqual([]);
  });
});
