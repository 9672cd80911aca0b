import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { snapshotTree } from '../../../src/git/snapshot.ts';
import { type Scratch, scratchRepo } from '../../support/repo.ts';

describe('snapshotTree', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = scratchRepo({ logs: 'logs' });
  });
  afterEach(() => scratch.close());
  const index = () => readFileSync(join(scratch.workDir, '.git/index'));

  it('field bug 35: keeps what was dirty before round 1 in a commit object; files, index and stashes are not touched', async () => {
    scratch.write('.gitignore', 'ignored\n');
    scratch.write('ignored', 'x');
    scratch.write('logs/serve.pid', '1');
    scratch.write('tracked.txt', 'second\n');
    scratch.write('staged.txt', 'staged');
    scratch.git('add', 'staged.txt');
    scratch.write('staged.txt', 'staged, then edited');
    scratch.write('new/-odd "name"\n', 'odd');
    scratch.git('add', '-N', scratch.write('intent.txt', 'intent'));
    const before = { status: scratch.git('status', '--porcelain', '-uall'), index: index() };

    const snapshot = await snapshotTree(scratch.repo, 'preexisting-1');
    expect(snapshot?.files).toContain('intent.txt');
    expect(snapshot?.ref).toBe('refs/agent-runner/preexisting-1');
    const sha = snapshot?.sha ?? '';
    expect(scratch.git('rev-parse', 'refs/agent-runner/preexisting-1')).toBe(sha);
    expect(scratch.git('ls-tree', '-r', '--name-only', '-z', sha).split('\0').filter(Boolean).sort()).toEqual(
      ['.gitignore', 'tracked.txt', 'staged.txt', 'new/-odd "name"\n', 'intent.txt'].sort(),
    );
    expect(scratch.git('show', `${sha}:staged.txt`)).toBe('staged, then edited');
    expect(scratch.git('rev-parse', `${sha}^`)).toBe(scratch.git('rev-parse', 'HEAD'));

    expect({ status: scratch.git('status', '--porcelain', '-uall'), index: index() }).toEqual(before);
    expect(scratch.git('stash', 'list')).toBe('');
    expect(scratch.git('branch', '--contains', sha)).toBe('');
  });

  it('works before the first commit and without a git identity', async () => {
    const empty = scratchRepo({ commit: false });
    try {
      empty.git('config', '--global', 'user.useConfigOnly', 'true');
      empty.git('config', '--global', '--remove-section', 'user');
      empty.write('a', 'a');
      const snapshot = await snapshotTree(empty.repo, 'first');
      expect(empty.git('show', `${snapshot?.sha}:a`)).toBe('a');
      expect(empty.git('status', '--porcelain')).toBe('?? a');
    } finally {
      empty.close();
    }
  });

  it('takes another name rather than replace an earlier snapshot', async () => {
    scratch.write('a', '1');
    const first = await snapshotTree(scratch.repo, 'same');
    scratch.write('a', '2');
    const second = await snapshotTree(scratch.repo, 'same');
    expect([first?.ref, second?.ref]).toEqual(['refs/agent-runner/same', 'refs/agent-runner/same-2']);
    expect(scratch.git('show', 'refs/agent-runner/same:a')).toBe('1');
  });

  it('leaves nested repositories out and is not stopped by one without a commit', async () => {
    mkdirSync(join(scratch.workDir, 'unborn'));
    scratch.gitIn(join(scratch.workDir, 'unborn'), 'init', '-q');
    scratch.write('unborn/x', 'x');
    scratch.write('a', 'a');
    const snapshot = await snapshotTree(scratch.repo, 'nested');
    expect(scratch.git('ls-tree', '-r', '--name-only', snapshot?.sha ?? '')).toBe('a\ntracked.txt');
  });

  it('works in a linked work tree', async () => {
    const side = join(scratch.folder, 'side');
    scratch.git('worktree', 'add', '-q', side);
    scratch.write('../side/new.txt', 'of side');
    const snapshot = await snapshotTree(scratch.open({}, side), 'side');
    expect(scratch.git('show', `${snapshot?.sha}:new.txt`)).toBe('of side');
  });

  it('is null for a clean tree, and an error with git’s words when it cannot be made', async () => {
    expect(await snapshotTree(scratch.repo, 'clean')).toBeNull();
    scratch.write('a', 'a');
    await expect(snapshotTree(scratch.repo, 'bad..name')).rejects.toMatchObject({ code: 'AR-GIT-004', exit: 'environment' });
    await expect(snapshotTree(scratch.open({}, scratch.folder), 'none')).rejects.toMatchObject({ code: 'AR-GIT-004' });
  });
});
