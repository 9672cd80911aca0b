import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countCommits, headOf } from '../../../src/git/head.ts';
import { treeState } from '../../../src/git/tree.ts';
import { requirePart } from '../../support/parts.ts';
import { type Scratch, scratchRepo } from '../../support/repo.ts';

describe('treeState', () => {
  let scratch: Scratch;
  const look = () => treeState(scratch.repo);
  beforeEach(() => {
    scratch = scratchRepo();
  });
  afterEach(() => scratch.close());

  it('an index that is a FIFO costs the time-out of a call and nothing more', async () => {
    rmSync(join(scratch.workDir, '.git/index'));
    execFileSync('mkfifo', [join(scratch.workDir, '.git/index')]);
    const { problem } = await treeState(scratch.open({ timeouts: { default: 300 } }));
    expect(problem).toMatchObject({ kind: 'timeout' });
  });

  it('gives HEAD, dirty paths and no problem', async () => {
    expect(await look()).toMatchObject({ head: scratch.git('rev-parse', 'HEAD'), dirty: [], problem: null });
    scratch.write('tracked.txt', 'second\n');
    scratch.write('deep/new.txt', 'new\n');
    expect((await look()).dirty.sort()).toEqual(['deep/new.txt', 'tracked.txt']);
  });

  it('scar 29: names files in untracked folders one by one, whatever status.showUntrackedFiles says', async () => {
    scratch.git('config', 'status.showUntrackedFiles', 'no');
    scratch.write('d/a', '');
    scratch.write('d/e/b', '');
    expect((await look()).dirty.sort()).toEqual(['d/a', 'd/e/b']);
  });

  it('names the new path of a rename', async () => {
    scratch.git('mv', 'tracked.txt', 'renamed.txt');
    expect((await look()).dirty).toEqual(['renamed.txt']);
  });

  it('scar 26: takes names with newline, quotes, leading dash, spaces, no UTF-8', async () => {
    const names = ['-rf', 'two words', 'new\nline', '"quoted\'', '--', 'ünïcode ✓', ':(exclude)x', '* glob?'];
    for (const name of names) scratch.write(name, name);
    writeFileSync(Buffer.concat([Buffer.from(`${scratch.workDir}/latin-`), Buffer.from([0xe9])]), 'x');
    expect((await look()).dirty.sort()).toEqual([...names, 'latin-\\xe9'].sort());
  });

  it('has a fingerprint that changes with HEAD and with the content of dirty files, and only then', async () => {
    const clean = (await look()).fingerprint;
    expect((await look()).fingerprint).toBe(clean);
    scratch.write('new.txt', 'aaaa');
    const first = (await look()).fingerprint;
    expect(first).not.toBe(clean);
    expect((await look()).fingerprint).toBe(first);
    utimesSync(scratch.write('new.txt', 'bbbb'), 1, 2);
    const second = (await look()).fingerprint;
    expect(second).not.toBe(first);
    scratch.git('add', '-A');
    scratch.git('commit', '-q', '-m', 'second');
    const committed = await look();
    expect(committed.fingerprint).not.toBe(clean);
    expect(committed.dirty).toEqual([]);
  });

  it('stays quiet about a file that was only touched', async () => {
    utimesSync(join(scratch.workDir, 'tracked.txt'), 1, 2);
    expect((await look()).dirty).toEqual([]);
  });

  it('leaves no lock and takes none: a held index.lock does not stop it', async () => {
    scratch.write('.git/index.lock', '');
    scratch.write('a', '');
    expect(await look()).toMatchObject({ dirty: ['a'], problem: null });
  });

  it('knows an unborn HEAD', async () => {
    const empty = scratchRepo({ commit: false });
    try {
      expect(await treeState(empty.repo)).toMatchObject({ head: null, dirty: [], problem: null });
      empty.write('a', '');
      expect(await treeState(empty.repo)).toMatchObject({ head: null, dirty: ['a'], problem: null });
      expect(await headOf(empty.repo)).toBeNull();
    } finally {
      empty.close();
    }
  });

  it('works from a sub-directory and through a symbolic link', async () => {
    scratch.write('sub/a', '');
    symlinkSync(scratch.workDir, join(scratch.folder, 'link'));
    for (const where of [join(scratch.workDir, 'sub'), join(scratch.folder, 'link')]) {
      expect((await treeState(scratch.open({}, where))).dirty).toEqual(['sub/a']);
    }
  });

  it('says what is wrong: no repository, a missing directory, a broken configuration, no git', async () => {
    const plain = join(scratch.folder, 'plain');
    mkdirSync(plain);
    expect((await treeState(scratch.open({}, plain))).problem?.kind).toBe('not_a_repo');
    expect((await treeState(scratch.open({}, join(plain, 'missing')))).problem?.kind).toBe('not_a_repo');
    expect((await treeState(scratch.open({ env: { PATH: plain } }))).problem).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('ENOENT'),
    });
    scratch.write('.git/config', '[broken');
    expect((await look()).problem).toMatchObject({ kind: 'failed', message: expect.stringContaining('bad config') });
  });

  it('field bug 32: dubious ownership is told as such, never as a clean tree', async (context) => {
    requirePart(context, 'root');
    for (const path of ['', '.git']) chownSync(join(scratch.workDir, path), 4242, 4242);
    expect((await look()).problem).toMatchObject({ kind: 'dubious_ownership', message: expect.stringContaining('safe.directory') });
  });

  it('tells a time-out instead of waiting for a git that hangs', async () => {
    const bin = join(scratch.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    const repo = scratch.open({ env: { ...scratch.env, PATH: `${bin}:${scratch.env.PATH}` }, timeouts: { default: 200, head: 200 } });
    expect((await treeState(repo)).problem).toMatchObject({ kind: 'timeout' });
    expect(await headOf(repo)).toBeNull();
  });

  it('never takes a repository further up for the one that has gone', async () => {
    scratch.write('inner/file', '');
    scratch.gitIn(join(scratch.workDir, 'inner'), 'init', '-q');
    const inner = scratch.open({}, join(scratch.workDir, 'inner'));
    expect((await treeState(inner)).problem).toBeNull();
    rmSync(join(scratch.workDir, 'inner/.git'), { recursive: true });
    expect((await treeState(inner)).problem?.kind).toBe('not_a_repo');
  });

  it('refuses a repository that was exchanged for another one', async () => {
    await look();
    renameSync(join(scratch.workDir, '.git'), join(scratch.folder, 'old.git'));
    scratch.gitIn(scratch.folder, 'init', '-q', '--bare', 'other.git');
    scratch.write('.git', `gitdir: ${join(scratch.folder, 'other.git')}\n`);
    expect((await look()).problem).toMatchObject({ kind: 'failed', message: expect.stringContaining('points to another repository') });
    unlinkSync(join(scratch.workDir, '.git'));
    renameSync(join(scratch.folder, 'old.git'), join(scratch.workDir, '.git'));
    expect((await look()).problem).toBeNull();
  });
});

describe('treeState and repositories inside', () => {
  let scratch: Scratch;
  const look = () => treeState(scratch.repo);
  const inner = () => join(scratch.workDir, 'inner');
  beforeEach(() => {
    scratch = scratchRepo();
    mkdirSync(inner());
    scratch.gitIn(inner(), 'init', '-q');
    scratch.write('inner/a', 'a');
    scratch.gitIn(inner(), 'add', '-A');
    scratch.gitIn(inner(), 'commit', '-q', '-m', 'inner');
  });
  afterEach(() => scratch.close());

  it('counts work in an untracked nested repository as movement', async () => {
    const before = await look();
    expect(before).toMatchObject({ dirty: ['inner/'], entries: [{ kind: 'nested' }] });
    scratch.gitIn(inner(), 'commit', '-q', '--allow-empty', '-m', 'more');
    expect((await look()).fingerprint).not.toBe(before.fingerprint);
  });

  it('sees dirt inside a submodule without starting git there by git, and a moved submodule', async () => {
    scratch.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
    scratch.git('commit', '-q', '-m', 'gitlink');
    expect((await look()).dirty).toEqual([]);
    scratch.write('inner/a', 'changed');
    const dirty = await look();
    expect(dirty).toMatchObject({ dirty: ['inner'], entries: [{ kind: 'nested' }] });
    scratch.write('inner/a', 'changed again');
    expect((await look()).fingerprint).not.toBe(dirty.fingerprint);
    scratch.gitIn(inner(), 'commit', '-q', '-a', '-m', 'more');
    expect(await look()).toMatchObject({ dirty: ['inner'], entries: [{ kind: 'gitlink' }] });
  });

  it('survives a submodule whose .git points nowhere', async () => {
    scratch.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
    scratch.git('commit', '-q', '-m', 'gitlink');
    rmSync(join(inner(), '.git'), { recursive: true });
    scratch.write('inner/.git', 'gitdir: /nowhere/at/all\n');
    expect((await look()).problem).toBeNull();
  });
});

describe('countCommits', () => {
  it('counts what HEAD gained, from nothing too, and does not know a foreign commit', async () => {
    const scratch = scratchRepo();
    try {
      const from = await headOf(scratch.repo);
      for (const name of ['a', 'b']) scratch.git('commit', '-q', '--allow-empty', '-m', name);
      const to = await headOf(scratch.repo);
      expect(await countCommits(scratch.repo, from, to)).toBe(2);
      expect(await countCommits(scratch.repo, null, to)).toBe(3);
      expect(await countCommits(scratch.repo, to, to)).toBe(0);
      expect(await countCommits(scratch.repo, 'f'.repeat(40), to)).toBeNull();
      expect(await countCommits(scratch.repo, '--all', to)).toBeNull();
    } finally {
      scratch.close();
    }
  });
});
