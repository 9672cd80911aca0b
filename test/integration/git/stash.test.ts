import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { treeState } from '../../../src/git/tree.ts';
import { layout } from '../../../src/state/layout.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Scratch, scratchRepo } from '../../support/repo.ts';

/** Every kind of change at once. */
function makeDirt(scratch: Scratch): void {
  scratch.write('tracked.txt', 'second\n');
  unlinkSync(join(scratch.workDir, 'gone.txt'));
  scratch.git('mv', 'moved.txt', 'renamed.txt');
  chmodSync(join(scratch.workDir, 'mode.sh'), 0o755);
  scratch.write('staged.txt', 'staged\n');
  scratch.git('add', 'staged.txt');
  scratch.write('untracked/deep/new.bin', 'a\0b');
  scratch.write('-dash "quote"\nline', 'odd name');
  writeFileSync(Buffer.concat([Buffer.from(`${scratch.workDir}/latin-`), Buffer.from([0xe9])]), 'no UTF-8');
  symlinkSync('tracked.txt', join(scratch.workDir, 'link'));
}

function seed(scratch: Scratch): void {
  for (const name of ['gone.txt', 'moved.txt', 'mode.sh']) scratch.write(name, `${name}\n`);
  scratch.git('add', 'gone.txt', 'moved.txt', 'mode.sh');
  scratch.git('commit', '-q', '-m', 'seed');
}

/** Every stash with its content, newest first. */
const stashes = (scratch: Scratch) => {
  const list = scratch.git('stash', 'list', '--format=%H %gs');
  return list === '' ? [] : list.split('\n');
};

describe.each([
  ['log_dir outside', '../logs'],
  ['scar 24: log_dir inside work_dir', 'logs'],
])('stash with %s', (_, logs) => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = scratchRepo({ logs });
    seed(scratch);
    if (logs === 'logs') scratch.write('logs/rounds/R1-x.log', 'log of this round\n');
  });
  afterEach(() => scratch.close());

  it('reference case 18: saves every kind of change under its SHA, leaves the tree clean, and all of it comes back', async () => {
    const status = () => scratch.git('status', '--porcelain', '-z', '-uall', '--', ':/', ':(exclude,top)logs');
    makeDirt(scratch);
    const before = status();
    const result = await scratch.resolve('stash', { roundNum: 7, phase: 'build' });
    expect(result).toMatchObject({ kind: 'stashed', ref: scratch.git('rev-parse', 'refs/stash') });
    expect(status()).toBe('');
    expect(await treeState(scratch.repo)).toMatchObject({ dirty: [], problem: null });
    if (logs === 'logs') expect(scratch.read('logs/rounds/R1-x.log')).toBe('log of this round\n');
    expect(scratch.events).toEqual([
      { kind: 'orphan_stashed', fields: { round_num: 7, ref: result.ref, reason: 'clean_exit_with_dirty_tree' } },
    ]);

    scratch.git('stash', 'apply', '--index', '-q', result.ref ?? '');
    expect(status()).toBe(before);
    expect(scratch.read('untracked/deep/new.bin')).toBe('a\0b');
    expect(readlinkSync(join(scratch.workDir, 'link'))).toBe('tracked.txt');
    expect(lstatSync(join(scratch.workDir, 'mode.sh')).mode & 0o111).not.toBe(0);
  });

  it('writes orphan-state.json for the next round', async () => {
    scratch.write('new.txt', 'new');
    const { ref } = await scratch.resolve('stash', { roundNum: 3, phase: 'docs' });
    expect(JSON.parse(readFileSync(layout(scratch.logDir).orphanState, 'utf8'))).toMatchObject({
      round_num: 3,
      phase: 'docs',
      files: ['new.txt'],
      stashed_ref: ref,
      stash_message: expect.stringMatching(/^ORPHAN R3 phase=docs ts=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      timestamp: expect.stringMatching(/Z$/),
    });
  });

  it('scar 27: a file that is only meant to be added makes the stash fail, which is told; the tree is as it was', async () => {
    scratch.write('intent.txt', 'intent');
    scratch.git('add', '-N', 'intent.txt');
    expect(await scratch.resolve('stash')).toMatchObject({ kind: 'failed', ref: null, files: ['intent.txt'] });
    expect(scratch.events).toMatchObject([{ kind: 'orphan_stash_failed', fields: { round_num: 1, phase: null } }]);
    expect(scratch.events[0]?.fields.reason).toContain("'intent.txt' not uptodate");
    expect(scratch.read('intent.txt')).toBe('intent');
    expect(existsSync(layout(scratch.logDir).orphanState)).toBe(false);
  });

  it('field bug 34: dirt inside a submodule or nested repository is told once for each set, without a stash and without a loop', async () => {
    for (const name of ['sub', 'nested']) {
      mkdirSync(join(scratch.workDir, name));
      scratch.gitIn(join(scratch.workDir, name), 'init', '-q');
      scratch.write(`${name}/a`, 'a');
      scratch.gitIn(join(scratch.workDir, name), 'add', '-A');
      scratch.gitIn(join(scratch.workDir, name), 'commit', '-q', '-m', 'a');
    }
    scratch.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
    scratch.git('commit', '-q', '-m', 'gitlink');
    scratch.write('sub/a', 'dirty');
    for (const roundNum of [1, 2, 3]) {
      expect(await scratch.resolve('stash', { roundNum })).toMatchObject({ kind: 'unstashable', ref: null });
    }
    const told = { kind: 'dirty_unstashable', fields: { round_num: 1, paths: ['nested/', 'sub'], reason: 'nested_repository' } };
    expect(scratch.events).toEqual([told]);
    expect(stashes(scratch)).toEqual([]);

    // Other dirt beside it is stashed all the same, and the nested one stays untouched.
    scratch.write('tracked.txt', 'second\n');
    expect(await scratch.resolve('stash', { roundNum: 4 })).toMatchObject({ kind: 'stashed', files: ['tracked.txt'] });
    expect(scratch.kinds()).toEqual(['dirty_unstashable', 'orphan_stashed']);
    expect(scratch.read('sub/a')).toBe('dirty');
    expect(scratch.read('nested/a')).toBe('a');
    expect(scratch.read('tracked.txt')).toBe('first\n');

    scratch.gitIn(join(scratch.workDir, 'sub'), 'checkout', '-q', '.');
    expect(await scratch.resolve('stash', { roundNum: 5 })).toMatchObject({ kind: 'unstashable' });
    expect(scratch.events.at(-1)).toMatchObject({ kind: 'dirty_unstashable', fields: { round_num: 5, paths: ['nested/'] } });
  });

  it('field bug 34: a nested repository without a commit is no obstacle', async () => {
    mkdirSync(join(scratch.workDir, 'unborn'));
    scratch.gitIn(join(scratch.workDir, 'unborn'), 'init', '-q');
    scratch.write('new.txt', 'new');
    expect(await scratch.resolve('stash')).toMatchObject({ kind: 'stashed', files: ['new.txt'] });
    expect(scratch.kinds()).toEqual(['dirty_unstashable', 'orphan_stashed']);
    expect((await treeState(scratch.repo)).dirty).toEqual(['unborn/']);
  });
});

describe('stash', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = scratchRepo();
  });
  afterEach(() => scratch.close());

  it('scar 4: a second call for the same round within the window makes no second stash', async () => {
    scratch.write('a', '1');
    const first = await scratch.resolve('stash', { roundNum: 1 });
    scratch.write('b', '2');
    expect(await scratch.resolve('stash', { roundNum: 1 })).toMatchObject({ kind: 'stashed', ref: first.ref });
    expect(scratch.kinds()).toEqual(['orphan_stashed', 'orphan_idempotent_skip']);
    expect(stashes(scratch)).toHaveLength(1);
    const later = { ...systemClock, now: () => systemClock.now() + 6_000 };
    expect((await scratch.resolve('stash', { roundNum: 1, clock: later })).ref).not.toBe(first.ref);
    expect(stashes(scratch)).toHaveLength(2);
  });

  it('contract 9: ORPHAN R1 never matches R10', async () => {
    scratch.write('a', '1');
    const ten = await scratch.resolve('stash', { roundNum: 10 });
    scratch.write('b', '2');
    const one = await scratch.resolve('stash', { roundNum: 1 });
    expect(one.kind).toBe('stashed');
    expect(one.ref).not.toBe(ten.ref);
    expect(scratch.kinds()).toEqual(['orphan_stashed', 'orphan_stashed']);
  });

  it("scar 5, scar 28, field bug 35: a person's own stashes stay byte for byte and are never given back as ours", async () => {
    for (const name of ['mine', 'ORPHAN of somebody']) {
      scratch.write('tracked.txt', name);
      scratch.git('stash', 'push', '-q', '-m', name);
    }
    const before = stashes(scratch);
    scratch.write('new.txt', 'new');
    const { ref } = await scratch.resolve('stash');
    expect(before).toHaveLength(2);
    expect(stashes(scratch).slice(1)).toEqual(before);
    expect(stashes(scratch)[0]).toContain(ref);

    // Nothing that git can stash: a file changed to what HEAD has, seen as dirt by a stale look.
    scratch.write('again.txt', '');
    const stale = await treeState(scratch.repo);
    unlinkSync(join(scratch.workDir, 'again.txt'));
    expect(await scratch.resolve('stash', { roundNum: 2, tree: stale })).toMatchObject({ kind: 'unstashable', ref: null });
    expect(scratch.events.at(-1)).toMatchObject({ kind: 'dirty_unstashable', fields: { reason: 'nothing_saved' } });
    expect(stashes(scratch)).toHaveLength(3);
  });

  it('field bug 35: two work trees of one repository, both dirty in the same second, each get their own back', async () => {
    const side = join(scratch.folder, 'side');
    scratch.git('worktree', 'add', '-q', side);
    const other = scratch.open({}, side);
    scratch.write('main.txt', 'of main');
    writeFileSync(join(side, 'side.txt'), 'of side');
    const clock = { ...systemClock, now: () => 1_795_974_000_000 };
    const [a, b] = await Promise.all([scratch.resolve('stash', { clock }), scratch.resolve('stash', { clock }, other)]);
    expect([a.kind, b.kind]).toEqual(['stashed', 'stashed']);
    expect(a.ref).not.toBe(b.ref);
    expect(scratch.git('show', `${a.ref}^3:main.txt`)).toBe('of main');
    expect(scratch.git('show', `${b.ref}^3:side.txt`)).toBe('of side');
    expect(existsSync(join(side, 'side.txt'))).toBe(false);
    expect((await treeState(other)).dirty).toEqual([]);
  });

  it('field bug 36: before the first commit git cannot stash: told once, the tree is left', async () => {
    const empty = scratchRepo({ commit: false });
    try {
      empty.write('a', 'a');
      for (const roundNum of [1, 2]) expect(await empty.resolve('stash', { roundNum })).toMatchObject({ kind: 'unstashable' });
      expect(empty.events).toEqual([{ kind: 'dirty_unstashable', fields: { round_num: 1, paths: ['a'], reason: 'no_commit_yet' } }]);
      expect(empty.read('a')).toBe('a');
    } finally {
      empty.close();
    }
  });

  it('scar 25: an ignored log_dir inside work_dir is no obstacle', async () => {
    const inside = scratchRepo({ logs: 'logs' });
    try {
      inside.write('.gitignore', 'logs/\n');
      inside.git('add', '.gitignore');
      inside.git('commit', '-q', '-m', 'ignore');
      inside.write('logs/status.json', '{}');
      inside.write('new.txt', 'new');
      expect(await inside.resolve('stash')).toMatchObject({ kind: 'stashed', files: ['new.txt'] });
      expect(inside.read('logs/status.json')).toBe('{}');
    } finally {
      inside.close();
    }
  });

  it.each(['-logs', 'lo[g]s*', ':(exclude)logs'])(
    'scar 26: a log_dir called %s inside work_dir is excluded by its very name',
    async (name) => {
      const inside = scratchRepo({ logs: name });
      try {
        inside.write(`${name}/status.json`, '{}');
        inside.write('logs', 'not ours');
        expect(await inside.resolve('stash')).toMatchObject({ kind: 'stashed', files: ['logs'] });
        expect(inside.read(`${name}/status.json`)).toBe('{}');
        expect(existsSync(join(inside.workDir, 'logs'))).toBe(false);
      } finally {
        inside.close();
      }
    },
  );

  it('an unfinished merge is told as a failure; the conflict is left', async () => {
    scratch.git('checkout', '-q', '-b', 'side');
    scratch.write('tracked.txt', 'side\n');
    scratch.git('commit', '-qam', 'side');
    scratch.git('checkout', '-q', 'main');
    scratch.write('tracked.txt', 'main\n');
    scratch.git('commit', '-qam', 'main');
    expect(() => scratch.git('merge', 'side')).toThrow();
    expect(await scratch.resolve('stash')).toMatchObject({ kind: 'failed' });
    expect(await scratch.resolve('auto_commit')).toMatchObject({ kind: 'failed' });
    expect(scratch.kinds()).toEqual(['orphan_stash_failed', 'dirty_commit_failed']);
    expect(scratch.read('tracked.txt')).toContain('<<<<<<<');
  });

  it('does not stash round after round what git itself makes dirty again', async () => {
    // CRLF in the repository under `text=auto`: git sees the file as modified right after each checkout.
    scratch.write('crlf.txt', 'a\r\nb\r\n');
    scratch.git('add', 'crlf.txt');
    scratch.write('.gitattributes', '*.txt text\n');
    scratch.git('add', '.gitattributes');
    scratch.git('-c', 'core.autocrlf=false', 'commit', '-q', '-m', 'crlf');
    scratch.write('crlf.txt', 'a\r\nb\r\nc\r\n');
    const kinds = [];
    for (const roundNum of [1, 2, 3]) kinds.push((await scratch.resolve('stash', { roundNum })).kind);
    expect(kinds).toEqual(['stashed', 'unstashable', 'unstashable']);
    expect(scratch.kinds()).toEqual(['orphan_stashed', 'dirty_unstashable']);
  });

  it('ignore leaves everything, clean does nothing', async () => {
    expect(await scratch.resolve('stash')).toEqual({ kind: 'clean', ref: null, files: [] });
    scratch.write('a', '');
    expect(await scratch.resolve('ignore')).toEqual({ kind: 'ignored', ref: null, files: ['a'] });
    expect(scratch.events).toEqual([]);
  });
});
