import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { treeState } from '../../../src/git/tree.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Scratch, scratchRepo } from '../../support/repo.ts';
import { until } from '../../support/wait.ts';

const hook = (scratch: Scratch, name: string, body: string) => scratch.write(`.git/hooks/${name}`, `#!/bin/sh\n${body}\n`, 0o755);

describe('auto_commit', () => {
  let scratch: Scratch;
  const status = () => scratch.git('status', '--porcelain', '-uall');
  const head = () => scratch.git('rev-parse', 'HEAD');
  beforeEach(() => {
    scratch = scratchRepo();
  });
  afterEach(() => scratch.close());

  it('commits everything, names the round, runs the hooks that serve found', async () => {
    hook(scratch, 'pre-commit', 'echo ran > "$(git rev-parse --show-toplevel)/../hook-ran"');
    scratch.write('tracked.txt', 'second\n');
    scratch.write('-odd "name"\n', 'x');
    const before = head();
    const result = await scratch.resolve('auto_commit', { roundNum: 12, phase: 'build', hooksTrusted: true });
    expect(result).toMatchObject({ kind: 'committed', ref: head() });
    expect([...result.files].sort()).toEqual(['-odd "name"\n', 'tracked.txt']);
    expect(scratch.git('log', '-1', '--format=%s %P')).toBe(`agent-runner auto-commit: R12 build ${before}`);
    expect(status()).toBe('');
    expect(existsSync(join(scratch.folder, 'hook-ran'))).toBe(true);
    expect(scratch.events).toEqual([{ kind: 'dirty_auto_committed', fields: { round_num: 12, files: result.files, ref: result.ref } }]);
  });

  it('makes the first commit of an unborn branch', async () => {
    const empty = scratchRepo({ commit: false });
    try {
      empty.write('a', 'a');
      expect(await empty.resolve('auto_commit')).toMatchObject({ kind: 'committed', ref: empty.git('rev-parse', 'HEAD') });
    } finally {
      empty.close();
    }
  });

  it('reference case 18, scar 24: with nothing but our own log files HEAD stays', async () => {
    const inside = scratchRepo({ logs: 'logs' });
    try {
      const before = inside.git('rev-parse', 'HEAD');
      inside.write('logs/events-2026-11.jsonl', '{}\n');
      expect(await inside.resolve('auto_commit')).toMatchObject({ kind: 'clean' });
      inside.write('a', 'a');
      const stale = await treeState(inside.repo);
      inside.git('update-index', '--add', '--cacheinfo', `100644,${inside.git('hash-object', '-w', 'a')},a`);
      inside.git('commit', '-q', '-m', 'somebody was faster');
      expect(await inside.resolve('auto_commit', { tree: { ...stale, head: inside.git('rev-parse', 'HEAD') } })).toMatchObject({
        kind: 'ignored',
      });
      expect(inside.git('rev-list', '--count', `${before}..HEAD`)).toBe('1');
      inside.write('b', 'b');
      expect(await inside.resolve('auto_commit')).toMatchObject({ kind: 'committed', files: ['b'] });
      expect(inside.git('ls-files')).toBe('a\nb\ntracked.txt');
    } finally {
      inside.close();
    }
  });

  it('field bug 36: a hook that refuses: told with its words, files and staging as they were', async () => {
    hook(scratch, 'pre-commit', 'echo "lint: line 3 is too long" >&2; exit 1');
    scratch.write('staged.txt', 'staged\n');
    scratch.git('add', 'staged.txt');
    scratch.write('staged.txt', 'staged, then edited\n');
    scratch.write('new.txt', 'new\n');
    const before = { status: status(), head: head(), index: scratch.git('ls-files', '--stage') };
    expect(await scratch.resolve('auto_commit', { hooksTrusted: true })).toMatchObject({ kind: 'failed', ref: null });
    expect(scratch.events).toMatchObject([{ kind: 'dirty_commit_failed', fields: { round_num: 1, phase: null } }]);
    expect(scratch.events[0]?.fields.reason).toContain('line 3 is too long');
    expect({ status: status(), head: head(), index: scratch.git('ls-files', '--stage') }).toEqual(before);
    expect(scratch.read('staged.txt')).toBe('staged, then edited\n');
    expect(existsSync(join(scratch.workDir, '.git/index.agent-runner'))).toBe(false);
  });

  it('field bug 36: no git identity: told, tree intact', async () => {
    scratch.git('config', '--global', '--unset', 'user.name');
    scratch.git('config', '--global', '--unset', 'user.email');
    scratch.git('config', '--global', 'user.useConfigOnly', 'true');
    scratch.write('new.txt', 'new\n');
    expect(await scratch.resolve('auto_commit')).toMatchObject({ kind: 'failed' });
    expect(scratch.events[0]?.fields.reason).toMatch(/identity|user\.email|auto-detection/);
    expect(status()).toBe('?? new.txt');
  });

  it('field bug 36: commit.gpgsign with a gpg that hangs costs no time: it is not asked', async () => {
    scratch.git('config', 'commit.gpgsign', 'true');
    scratch.git('config', 'gpg.program', scratch.write('gpg-hangs', '#!/bin/sh\nexec sleep 300\n', 0o755));
    expect(await scratch.resolve('auto_commit', { hooksTrusted: true })).toMatchObject({ kind: 'committed' });
  });

  it('field bug 36, scar 30: a hook that hangs is ended within the bound, with everything it started; the lock it strands goes', async () => {
    hook(scratch, 'pre-commit', `sleep 300 & echo $! > '${scratch.folder}/child'; wait`);
    scratch.write('new.txt', 'new\n');
    const repo = scratch.open({ timeouts: { commit: 700 } });
    expect(await scratch.resolve('auto_commit', { hooksTrusted: true }, repo)).toMatchObject({ kind: 'failed' });
    expect(scratch.events[0]).toMatchObject({
      kind: 'dirty_commit_failed',
      fields: { reason: expect.stringContaining('did not end within 0.7 s') },
    });
    const child = Number(readFileSync(join(scratch.folder, 'child'), 'utf8'));
    await until(
      'the sleep of the hook is gone',
      () => !existsSync(`/proc/${child}`) || readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z '),
    );
    expect(status()).toBe('?? new.txt');
    expect(existsSync(join(scratch.workDir, '.git/index.lock'))).toBe(false);
  });

  it('a hook that leaves a background process with our pipe delays nothing', async () => {
    hook(scratch, 'post-commit', `sleep 300 & echo $! > '${scratch.folder}/child'`);
    scratch.write('new.txt', 'new\n');
    const start = systemClock.monotonic();
    expect(await scratch.resolve('auto_commit', { hooksTrusted: true })).toMatchObject({ kind: 'committed' });
    expect(systemClock.monotonic() - start).toBeLessThan(3_000);
    process.kill(Number(readFileSync(join(scratch.folder, 'child'), 'utf8')), 'SIGKILL');
  });

  it('a post-commit hook that hangs does not undo the commit: HEAD decides', async () => {
    hook(scratch, 'post-commit', 'exec sleep 300');
    scratch.write('new.txt', 'new\n');
    const repo = scratch.open({ timeouts: { commit: 700 } });
    expect(await scratch.resolve('auto_commit', { hooksTrusted: true }, repo)).toMatchObject({ kind: 'committed', ref: head() });
    expect(scratch.kinds()).toEqual(['dirty_auto_committed']);
  });

  it('field bug 34: takes up a moved submodule, never a nested repository, and tells of the latter once', async () => {
    for (const name of ['sub', 'nested']) {
      mkdirSync(join(scratch.workDir, name));
      scratch.gitIn(join(scratch.workDir, name), 'init', '-q');
      scratch.gitIn(join(scratch.workDir, name), 'commit', '-q', '--allow-empty', '-m', 'a');
    }
    mkdirSync(join(scratch.workDir, 'unborn'));
    scratch.gitIn(join(scratch.workDir, 'unborn'), 'init', '-q');
    scratch.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
    scratch.git('commit', '-q', '-m', 'gitlink');
    scratch.gitIn(join(scratch.workDir, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'b');
    expect(await scratch.resolve('auto_commit')).toMatchObject({ kind: 'committed', files: ['sub'] });
    expect(await scratch.resolve('auto_commit', { roundNum: 2 })).toMatchObject({ kind: 'unstashable' });
    expect(scratch.git('ls-files')).toBe('sub\ntracked.txt');
    expect(scratch.kinds()).toEqual(['dirty_unstashable', 'dirty_auto_committed']);
  });

  it('works in a linked work tree', async () => {
    const side = join(scratch.folder, 'side');
    scratch.git('worktree', 'add', '-q', side);
    hook(scratch, 'pre-commit', 'test "$(git rev-parse --show-toplevel)" = "$PWD"');
    const before = head();
    const repo = scratch.open({}, side);
    scratch.write('../side/new.txt', 'new');
    expect(await scratch.resolve('auto_commit', { hooksTrusted: true }, repo)).toMatchObject({ kind: 'committed' });
    expect(scratch.gitIn(side, 'status', '--porcelain')).toBe('');
    expect(head()).toBe(before);
  });
});
