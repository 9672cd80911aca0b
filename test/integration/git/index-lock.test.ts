import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearStaleIndexLock } from '../../../src/git/index-lock.ts';
import { type Clock, systemClock } from '../../../src/util/clock.ts';
import { requirePart } from '../../support/parts.ts';
import { type Scratch, scratchRepo } from '../../support/repo.ts';
import { until } from '../../support/wait.ts';

const MINUTE_AGO = () => systemClock.now() / 1000 - 60;

describe('clearStaleIndexLock', () => {
  let scratch: Scratch;
  let children: ChildProcess[];
  beforeEach(() => {
    scratch = scratchRepo();
    children = [];
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    scratch.close();
  });

  const lock = (age: 'old' | 'new') => {
    const path = scratch.write('.git/index.lock', '');
    if (age === 'old') utimesSync(path, MINUTE_AGO(), MINUTE_AGO());
    return path;
  };
  const start = (command: string, args: string[], cwd = scratch.folder) => {
    const child = spawn(command, args, { cwd, stdio: 'ignore', env: { ...scratch.env, READY: join(scratch.folder, 'ready') } });
    children.push(child);
    return until('the holder is ready', () => existsSync(join(scratch.folder, 'ready')));
  };
  /** Time goes by without anybody waiting for it. */
  const hasty = (): Clock & { slept: number } => {
    const clock = {
      ...systemClock,
      slept: 0,
      monotonic: () => clock.slept,
      now: () => systemClock.now() + clock.slept,
      async sleep(ms: number) {
        clock.slept += ms;
      },
    };
    return clock;
  };
  const clear = (clock: Clock = hasty()) => clearStaleIndexLock(scratch.open({ clock }), scratch.emit, 5);

  it('scar 30, field bug 33: an old lock without a holder goes, and that is told', async (context) => {
    requirePart(context, 'linux');
    const path = lock('old');
    expect(await clear()).toBe('cleared');
    expect(existsSync(path)).toBe(false);
    expect(scratch.events).toEqual([{ kind: 'stale_index_lock_cleared', fields: { lock_path: path, round_num: 5 } }]);
    expect(await clear()).toBe('absent');
  });

  it('field bug 33: a young lock is waited for until it is old enough', async (context) => {
    requirePart(context, 'linux');
    lock('new');
    const clock = hasty();
    expect(await clear(clock)).toBe('cleared');
    expect(clock.slept).toBeGreaterThanOrEqual(9_000);
  });

  it('field bug 33: a lock that a live process holds open is never removed, however old', async () => {
    const path = lock('old');
    await start('sh', ['-c', `exec 9<'${path}'; : > "$READY"; exec sleep 60`]);
    expect(await clear()).toBe('held');
    expect(existsSync(path)).toBe(true);
    expect(scratch.events).toEqual([]);
  });

  it('a git at work in the tree counts as holder: it closes its lock while hooks run', async () => {
    scratch.write('.git/hooks/pre-commit', '#!/bin/sh\n: > "$READY"\nexec sleep 60\n', 0o755);
    scratch.write('tracked.txt', 'second\n');
    await start('git', ['commit', '-q', '-a', '-m', 'slow'], scratch.workDir);
    const path = join(scratch.workDir, '.git/index.lock');
    utimesSync(path, MINUTE_AGO(), MINUTE_AGO());
    expect(await clear()).toBe('held');
    // The hook outlives its git.
    const hook = readFileSync(`/proc/${children[0]?.pid}/task/${children[0]?.pid}/children`, 'utf8').trim();
    process.kill(Number(hook), 'SIGKILL');
  });

  it('waits for a holder that finishes', async () => {
    lock('new');
    const path = join(scratch.workDir, '.git/index.lock');
    await start('sh', ['-c', `exec 9<'${path}'; : > "$READY"; sleep 0.5; rm '${path}'`]);
    expect(await clear(systemClock)).toBe('absent');
  });

  it('a stash and a commit get through a stale lock', async (context) => {
    requirePart(context, 'linux');
    for (const action of ['stash', 'auto_commit'] as const) {
      lock('old');
      scratch.write(`${action}.txt`, 'new');
      expect(['stashed', 'committed']).toContain((await scratch.resolve(action)).kind);
    }
    expect(scratch.kinds()).toEqual(['stale_index_lock_cleared', 'orphan_stashed', 'stale_index_lock_cleared', 'dirty_auto_committed']);
  });

  it('a held lock makes the stash fail, told as such', async () => {
    const path = lock('old');
    await start('sh', ['-c', `exec 9<'${path}'; : > "$READY"; exec sleep 60`]);
    scratch.write('new.txt', 'new');
    expect(await scratch.resolve('stash', {}, scratch.open({ clock: hasty() }))).toMatchObject({ kind: 'failed' });
    expect(scratch.events[0]).toMatchObject({ kind: 'orphan_stash_failed', fields: { reason: expect.stringContaining('index.lock') } });
    expect(scratch.read('new.txt')).toBe('new');
  });
});
