import { describe, expect, it } from 'vitest';
import { parseConfigList } from '../../../src/git/config-values.ts';
import { isExecuting, neutralise } from '../../../src/git/executing-keys.ts';

const value = (scope: string, key: string, text = 'x') => ({ scope, origin: 'file:.git/config', key, value: text });

describe('isExecuting', () => {
  it.each([
    'core.fsmonitor',
    'core.hookspath',
    'core.sshcommand',
    'core.editor',
    'core.worktree',
    'filter.a.clean',
    'diff.a.textconv',
    'include.path',
    'includeif.onbranch:x.path',
    'gpg.program',
    'alias.st',
    'remote.origin.uploadpack',
    'submodule.a.update',
    'lfs.customtransfer.a.path',
    'hook.of-a-newer-git.command',
  ])('%s counts', (key) => {
    expect(isExecuting(key)).toBe(true);
  });

  it.each([
    'branch.main.remote',
    'user.name',
    'remote.origin.url',
    'remote.a.b.fetch',
    'core.bare',
    'core.filemode',
    'submodule.a.url',
    'color.ui',
    'extensions.worktreeconfig',
    'lfs.https://host/path.access',
  ])('%s does not: daily work changes it', (key) => {
    expect(isExecuting(key)).toBe(false);
  });
});

describe('neutralise', () => {
  const both = (key: string, mine: string, theirs: string) => [value('global', key, mine), value('local', key, theirs)];

  it.each([
    ['only the repository has it', [value('local', 'filter.f.clean')], { clean: '', smudge: '', process: '', required: 'false' }, true],
    [
      'the LFS filter of the user, redefined',
      [value('global', 'filter.f.clean', 'lfs'), ...both('filter.f.process', 'lfs', 'evil'), value('global', 'filter.f.required', 'true')],
      { clean: 'lfs', smudge: '', process: 'lfs', required: 'true' },
      false,
    ],
    [
      'clean and smudge of the user: process is not mentioned, since an empty one would hide them',
      [...both('filter.f.clean', 'mine', 'evil'), value('global', 'filter.f.smudge', 'mine')],
      { clean: 'mine', smudge: 'mine', required: 'false' },
      false,
    ],
    [
      'a process put over clean and smudge of the user cannot be taken away without them',
      [value('global', 'filter.f.clean', 'mine'), value('local', 'filter.f.process', 'evil')],
      { clean: '', smudge: '', process: '', required: 'false' },
      true,
    ],
  ])('filter: %s', (_, values, expected, off) => {
    const { overrides, filters } = neutralise(values);
    expect(Object.fromEntries(overrides)).toEqual(
      Object.fromEntries(Object.entries(expected).map(([part, text]) => [`filter.f.${part}`, text])),
    );
    expect(filters.has('f')).toBe(off);
  });

  it('leaves what only the user or the machine defines', () => {
    const values = [value('global', 'filter.lfs.clean'), value('system', 'diff.external')];
    expect(neutralise(values)).toEqual({ overrides: [], filters: new Set() });
  });

  it.each(['diff.external', 'diff.a.b=c.command', 'merge.x.driver', 'lfs.customtransfer.x.path', 'lfs.standalonetransferagent'])(
    'covers %s',
    (key) => {
      expect(neutralise([value('worktree', key)]).overrides.map(([name]) => name)).toEqual([key]);
    },
  );
});

describe('parseConfigList', () => {
  it('reads keys with and without a value, values of several lines, and a cut output', () => {
    const text = 'local\0file:.git/config\0core.bare\0global\0file:/g\0alias.x\na\nb\0local\0file:';
    expect(parseConfigList(text)).toEqual([
      { scope: 'local', origin: 'file:.git/config', key: 'core.bare', value: 'true' },
      { scope: 'global', origin: 'file:/g', key: 'alias.x', value: 'a\nb' },
    ]);
  });
});
