import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type InitOptions, initProject } from '../../../src/config/init/init.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { PRESET_NAMES } from '../../../src/config/preset.ts';
import { testFolder } from '../../support/folder.ts';

const NO_CONTAINER = { container: null, compose: false, stopBudgetS: () => 2000 };

function repository(name = 'project'): {
  folder: string;
  git: (...args: string[]) => string;
  init: (changes?: Partial<InitOptions>) => ReturnType<typeof initProject>;
} {
  const folder = join(testFolder(), name);
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Person');
  git('config', 'user.email', 'person@example.org');
  const init = (changes: Partial<InitOptions> = {}) =>
    initProject({
      config: join(folder, 'agent-runner.toml'),
      preset: 'claude',
      detect: false,
      terminal: false,
      force: false,
      commit: true,
      path: '',
      ...NO_CONTAINER,
      ...changes,
    });
  return { folder, git, init };
}

describe('a fresh work tree', () => {
  it.each(PRESET_NAMES)('preset %s: configuration, prompt, ignore line, one commit', async (preset) => {
    const { folder, git, init } = repository();
    const report = await init({ preset });
    expect(report).toMatchObject({ preset, detected: null, backup: null, committed: true, commit_problem: null, kept: [] });
    expect(report.written.map((path) => path.slice(folder.length + 1)).sort()).toEqual([
      '.gitignore',
      'agent-runner.toml',
      'prompts/main.md',
    ]);
    const { config, project, warnings } = loadConfig(report.config_path);
    expect(warnings).toEqual([]);
    expect(project).toBe('project');
    expect(config.runtime.log_dir).toBe(report.log_dir);
    expect(readFileSync(report.config_path, 'utf8')).not.toContain('{project}');
    expect(git('log', '--format=%s')).toBe('chore: agent-runner initial config');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('scar 1: the prompt passes the check for short prompts and for a first character that CLIs take for a flag', async () => {
    const { folder, init } = repository();
    await init();
    const prompt = readFileSync(join(folder, 'prompts/main.md'));
    expect(prompt.length).toBeGreaterThanOrEqual(500);
    expect('- \n\t\r').not.toContain(String.fromCharCode(prompt[0] as number));
    expect(prompt.toString()).toContain('.agent-done');
  });

  it('a folder whose name needs escaping in TOML', async () => {
    const { init } = repository('it\'s "a" $& \\ täst');
    const { config_path: path } = await init();
    expect(loadConfig(path).project).toBe('it\'s "a" $& \\ täst');
    expect(loadConfig(path).config.runtime.log_dir).toContain('it\'s "a" $& \\ täst/logs');
  });

  it('another name for the file, a folder below the top of the work tree', async () => {
    const { folder, git, init } = repository();
    mkdirSync(join(folder, 'sub'));
    const report = await init({ config: join(folder, 'sub/night.toml') });
    expect(loadConfig(report.config_path).config.runtime.work_dir).toBe(join(folder, 'sub'));
    expect(git('ls-files')).toBe('sub/.gitignore\nsub/night.toml\nsub/prompts/main.md');
  });
});

describe('what is there is not lost', () => {
  it('an existing configuration is refused, and nothing is written', async () => {
    const { folder, init } = repository();
    writeFileSync(join(folder, 'agent-runner.toml'), 'mine = 1\n');
    await expect(init()).rejects.toMatchObject({ code: 'AR-INI-002' });
    expect(readdirSync(folder).sort()).toEqual(['.git', 'agent-runner.toml']);
  });

  it('--force keeps the old one beside, every time, out of git’s sight', async () => {
    const { folder, git, init } = repository();
    writeFileSync(join(folder, 'agent-runner.toml'), 'mine = 1\n');
    const first = await init({ force: true });
    expect(readFileSync(first.backup as string, 'utf8')).toBe('mine = 1\n');
    const second = await init({ force: true, preset: 'codex' });
    expect(second.backup).toBe(`${first.backup}.2`);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('the user’s prompt, other ignore lines and staged changes stay as they are', async () => {
    const { folder, git, init } = repository();
    mkdirSync(join(folder, 'prompts'));
    writeFileSync(join(folder, 'prompts/main.md'), 'my own words');
    writeFileSync(join(folder, '.gitignore'), 'node_modules/\nmylogs/');
    writeFileSync(join(folder, 'code.c'), 'int x;\n');
    git('add', '.gitignore');
    git('commit', '-q', '-m', 'first');
    git('add', 'code.c');
    const report = await init();
    expect(report.kept).toEqual([join(folder, 'prompts/main.md')]);
    expect(readFileSync(join(folder, 'prompts/main.md'), 'utf8')).toBe('my own words');
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('node_modules/\nmylogs/\nlogs/\n');
    expect(git('show', '--name-only', '--format=')).toBe('.gitignore\nagent-runner.toml');
    expect(git('status', '--porcelain')).toBe('A  code.c\n?? prompts/');
  });

  it('an ignore line that is there is not written twice, and a .gitignore with changes of the user’s is not committed', async () => {
    const { folder, git, init } = repository();
    writeFileSync(join(folder, '.gitignore'), 'logs/\r\n');
    expect((await init()).written).not.toContain(join(folder, '.gitignore'));

    const other = repository();
    writeFileSync(join(other.folder, '.gitignore'), 'a\n');
    other.git('add', '.');
    other.git('commit', '-q', '-m', 'first');
    appendFileSync(join(other.folder, '.gitignore'), 'half a thought\n');
    await other.init();
    expect(other.git('show', '--name-only', '--format=')).toBe('agent-runner.toml\nprompts/main.md');
    expect(other.git('status', '--porcelain')).toBe('M .gitignore');
    expect(git('status', '--porcelain')).toBe('?? .gitignore');
  });
});

describe('a commit that fails is told and nothing more', () => {
  it('a hook that refuses', async () => {
    const { folder, git, init } = repository();
    writeFileSync(join(folder, '.git/hooks/pre-commit'), '#!/bin/sh\necho "no commits on Sundays" >&2\nexit 1\n', { mode: 0o755 });
    chmodSync(join(folder, '.git/hooks/pre-commit'), 0o755);
    const report = await init();
    expect(report).toMatchObject({ committed: false, commit_problem: 'no commits on Sundays' });
    expect(existsSync(report.config_path)).toBe(true);
    expect(() => git('rev-parse', '--verify', '-q', 'HEAD')).toThrow();
  });

  it('field bug 36: a signing key that nobody can unlock does not matter', async () => {
    const { git, init } = repository();
    git('config', 'commit.gpgsign', 'true');
    git('config', 'gpg.program', '/bin/false');
    expect(await init()).toMatchObject({ committed: true });
  });

  it('files that the user ignores', async () => {
    const { folder, init } = repository();
    writeFileSync(join(folder, '.gitignore'), '*.toml\nlogs/\n');
    expect(await init()).toMatchObject({ committed: false, commit_problem: expect.stringContaining('ignored') });
  });

  it('--no-commit leaves them untracked', async () => {
    const { git, init } = repository();
    expect(await init({ commit: false })).toMatchObject({ committed: false, commit_problem: null });
    expect(git('status', '--porcelain')).toContain('?? agent-runner.toml');
  });
});

describe('refused before anything is written', () => {
  it('no work tree, a bare repository, the inside of .git', async () => {
    const folder = testFolder();
    const at = (place: string) =>
      initProject({
        config: join(place, 'agent-runner.toml'),
        preset: 'demo',
        detect: false,
        terminal: false,
        force: false,
        commit: true,
        path: '',
        ...NO_CONTAINER,
      });
    await expect(at(folder)).rejects.toMatchObject({ code: 'AR-INI-001', remedy: `git init '${folder}', then run this again` });
    execFileSync('git', ['init', '-q', '--bare', join(folder, 'bare')]);
    await expect(at(join(folder, 'bare'))).rejects.toMatchObject({ code: 'AR-INI-001' });
    expect(readdirSync(folder)).toEqual(['bare']);
    const { folder: work } = repository();
    await expect(at(join(work, '.git'))).rejects.toMatchObject({ code: 'AR-INI-001' });
  });

  it('something that is no file in the place of one', async () => {
    const { folder, init } = repository();
    mkdirSync(join(folder, 'prompts/main.md'), { recursive: true });
    await expect(init()).rejects.toMatchObject({ code: 'AR-INI-004' });
    expect(existsSync(join(folder, 'agent-runner.toml'))).toBe(false);
    const other = repository();
    symlinkSync('nowhere', join(other.folder, '.gitignore'));
    await expect(other.init()).rejects.toMatchObject({ code: 'AR-INI-004' });
  });

  it('an unknown preset, two ways at once', async () => {
    const { init } = repository();
    await expect(init({ preset: 'claud' })).rejects.toMatchObject({ code: 'AR-CFG-022', exitCode: 2, remedy: "Did you mean 'claude'?" });
    await expect(init({ detect: true })).rejects.toMatchObject({ code: 'AR-INI-006', exitCode: 2 });
  });
});

describe('--detect', () => {
  function programs(...names: string[]): string {
    const folder = testFolder();
    for (const name of names) writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
    return folder;
  }

  it('takes the first in the stated order and says what it found', async () => {
    const { init } = repository();
    const path = programs('codex', 'claude');
    const report = await init({ preset: null, detect: true, path });
    expect(report.preset).toBe('claude');
    expect(report.detected).toEqual([
      { preset: 'claude', path: join(path, 'claude') },
      { preset: 'codex', path: join(path, 'codex') },
    ]);
  });

  it('is the default on a terminal; elsewhere the default is claude', async () => {
    const path = programs('codex');
    expect((await repository().init({ preset: null, terminal: true, path })).preset).toBe('codex');
    expect((await repository().init({ preset: null, terminal: false, path })).preset).toBe('claude');
  });

  it('finds nothing: says so and names the demo', async () => {
    const { folder, init } = repository();
    const path = programs();
    mkdirSync(join(path, 'claude'));
    writeFileSync(join(path, 'codex'), 'not executable', { mode: 0o644 });
    writeFileSync(join(folder, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
    await expect(init({ preset: null, detect: true, path: `${path}:.:` })).rejects.toMatchObject({
      code: 'AR-INI-003',
      remedy: expect.stringContaining('--preset demo'),
    });
  });
});
