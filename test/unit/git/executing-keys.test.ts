import { describe, expect, it } from 'vitest';
import { parseConfigList } from '../../../src/git/config-values.ts';
import { isExecuting, neutralisedFilters, neutralOverrides } from '../../../src/git/executing-keys.ts';

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

describe('neutralOverrides', () => {
  it('takes back a filter of the repository as a whole: an empty process hides clean, required would make it an error', () => {
    expect(neutralOverrides([value('local', 'filter.evil.clean')])).toEqual([
      ['filter.evil.clean', ''],
      ['filter.evil.process', ''],
      ['filter.evil.required', 'false'],
      ['filter.evil.smudge', ''],
    ]);
  });

  it('brings the global LFS filter back where the repository redefines it', () => {
    const overrides = neutralOverrides([
      value('global', 'filter.lfs.process', 'git-lfs filter-process'),
      value('global', 'filter.lfs.required', 'true'),
      value('local', 'filter.lfs.process', './evil'),
    ]);
    expect(overrides).toContainEqual(['filter.lfs.process', 'git-lfs filter-process']);
    expect(overrides).toContainEqual(['filter.lfs.required', 'true']);
  });

  it('leaves what only the user or the machine defines', () => {
    expect(neutralOverrides([value('global', 'filter.lfs.clean'), value('system', 'diff.external')])).toEqual([]);
  });

  it.each(['diff.external', 'diff.a.b=c.command', 'merge.x.driver', 'lfs.customtransfer.x.path', 'lfs.standalonetransferagent'])(
    'covers %s',
    (key) => {
      expect(neutralOverrides([value('worktree', key)]).map(([name]) => name)).toEqual([key]);
    },
  );
});

describe('neutralisedFilters', () => {
  it('names filters that nobody else defines', () => {
    const values = [value('local', 'filter.a.clean'), value('global', 'filter.b.clean'), value('local', 'filter.b.clean')];
    expect(neutralisedFilters(values)).toEqual(new Set(['a']));
  });
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
