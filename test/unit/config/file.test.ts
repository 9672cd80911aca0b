import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { ConfigProblems, type Problem } from '../../../src/config/problems.ts';
import { testFolder } from '../../support/folder.ts';
import { fileWith, problemsOf } from './sample.ts';

function problemOf(file: string): Problem {
  try {
    loadConfig(file);
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error;
    expect(error.problems).toHaveLength(1);
    expect(error.exitCode).toBe(78);
    return error.problems[0] as Problem;
  }
  throw new Error('the file was accepted');
}

describe('a file that cannot be used as a whole: one clear message', () => {
  const CONTENTS: [name: string, content: string | Uint8Array, code: string, words: string][] = [
    ['empty', '', 'AR-CFG-006', 'empty'],
    ['comments only', '# nothing\n\n', 'AR-CFG-006', 'empty'],
    ['binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), 'AR-CFG-005', 'binary'],
    ['invalid UTF-8', Buffer.from([0x61, 0x3d, 0x22, 0xc3, 0x28, 0x22]), 'AR-CFG-005', 'binary'],
    ['a byte order mark', `\uFEFF${fileWith()}`, 'AR-CFG-005', 'byte order mark'],
    ['UTF-16', Buffer.from('\uFEFFa = 1', 'utf16le'), 'AR-CFG-005', 'UTF-16'],
    ['10 MB', 'a'.repeat(10 * 1024 * 1024), 'AR-CFG-004', 'longer than 1 MiB'],
    ['duplicate key', 'a = 1\n[runtime]\nmax_rounds = 1\nmax_rounds = 2\n', 'AR-CFG-008', 'second time'],
    ['duplicate table', '[vcs]\n[agent]\n[vcs]\n', 'AR-CFG-008', 'second time'],
    ['a value without quotes', '[agent]\nname = claude\n', 'AR-CFG-007', 'not valid TOML'],
    ['Python’s True', 'dry_run = True\n', 'AR-CFG-007', 'not valid TOML'],
    ['an open string', '[agent]\nname = "claude\n', 'AR-CFG-007', 'not valid TOML'],
    ['a Windows path', 'name = "C:\\project"\n', 'AR-CFG-007', 'not valid TOML'],
    ['a NUL in a literal', "name = 'a\0b'\n", 'AR-CFG-005', 'binary'],
    ['__proto__', '__proto__.x = 1\n', 'AR-CFG-007', 'unsafe property'],
    ['lists nested deep', `a = ${'['.repeat(50_000)}`, 'AR-CFG-007', 'not valid TOML'],
    ['an integer over 64 bits', 'a = 99999999999999999999\n', 'AR-CFG-007', 'not valid TOML'],
  ];

  it.each(CONTENTS)('%s', (_name, content, code, words) => {
    const file = join(testFolder(), 'agent-runner.toml');
    writeFileSync(file, content);
    const problem = problemOf(file);
    expect(problem).toMatchObject({ code, file });
    expect(problem.message).toContain(words);
    expect(problem.message).not.toContain('\n');
  });

  it('the place and the key of a duplicate, and of what is no TOML', () => {
    const file = join(testFolder(), 'agent-runner.toml');
    writeFileSync(file, '[runtime]\nmax_rounds = 1\nmax_rounds = 2\n');
    expect(problemOf(file)).toMatchObject({ line: 3, column: 1, key: 'max_rounds' });
    writeFileSync(file, '[agent]\nenv_file = ~/env\n');
    expect(problemOf(file)).toMatchObject({ line: 2, key: 'env_file', remedy: 'Put the text into quotes: key = "text"' });
  });

  it('missing, a directory, a dangling link, a FIFO, a newline in its own path', () => {
    const folder = testFolder();
    expect(problemOf(join(folder, 'none.toml'))).toMatchObject({ code: 'AR-CFG-002' });
    expect(problemOf(join(folder, 'a\nb.toml'))).toMatchObject({ code: 'AR-CFG-018' });
    expect(problemOf(join(folder, 'a\0b.toml'))).toMatchObject({ code: 'AR-CFG-018' });
    expect(problemOf(folder)).toMatchObject({ code: 'AR-CFG-003', message: 'this is a directory' });
    symlinkSync(join(folder, 'gone'), join(folder, 'link.toml'));
    expect(problemOf(join(folder, 'link.toml'))).toMatchObject({ code: 'AR-CFG-002' });
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    expect(problemOf(join(folder, 'fifo'))).toMatchObject({ code: 'AR-CFG-003', message: 'this is not a regular file' });
  });

  it('unreadable', () => {
    const folder = testFolder();
    const file = join(folder, 'agent-runner.toml');
    writeFileSync(file, fileWith());
    chmodSync(file, 0);
    const uid = process.geteuid?.();
    // Root reads everything: for this look the test steps down to another user.
    chmodSync(folder, 0o755);
    if (uid === 0) process.seteuid?.(65534);
    try {
      expect(problemOf(file)).toMatchObject({ code: 'AR-CFG-003', message: 'no permission to read the file (EACCES)' });
    } finally {
      if (uid === 0) process.seteuid?.(0);
    }
  });
});

it('scar 23: a relative work_dir starts at the folder of the file, other paths at work_dir', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'conf'));
  const file = join(folder, 'conf', 'any-name.toml');
  writeFileSync(
    file,
    fileWith({
      runtime: ['work_dir = "../work tree"', 'log_dir = "../logs/{project}"', 'stop_file = "STOP"'],
      agent: ['env_file = "-env"'],
    }),
  );
  const { config, project, path } = loadConfig(file);
  expect(path).toBe(file);
  expect(project).toBe('work tree');
  expect(config.runtime).toMatchObject({
    work_dir: join(folder, 'work tree'),
    log_dir: join(folder, 'logs/work tree'),
    stop_file: join(folder, 'work tree/STOP'),
  });
  expect(config.prompt.files).toEqual([join(folder, 'work tree/prompts/main.md')]);
  expect(config.agent.env_file).toBe(join(folder, 'work tree/-env'));
});

it('the digest is that of the bytes', () => {
  const file = join(testFolder(), 'agent-runner.toml');
  writeFileSync(file, fileWith({ agent: ['name = "Müller’s"'] }));
  const sum = execFileSync('sha256sum', [file], { encoding: 'utf8' }).split(' ')[0];
  expect(loadConfig(file).digest).toBe(`sha256:${sum}`);
});

describe('a home folder is needed only by a path that begins with ~', () => {
  const home = process.env.HOME;
  afterEach(() => {
    process.env.HOME = home;
  });

  it('none to be had: one problem, however many paths want it', () => {
    process.env.HOME = 'not/absolute';
    const changes = { runtime: ['log_dir = "~/logs"', 'stop_file = "~/STOP"'], agent: ['env_file = "~"'] };
    const problems = problemsOf(fileWith(changes));
    expect(problems.map(({ key, code }) => `${key} ${code}`)).toEqual(['runtime.log_dir AR-CFG-021']);
    expect(problemsOf(fileWith())).toEqual([]);
  });

  it('HOME unset: the password file answers, as it did for the predecessor', () => {
    delete process.env.HOME;
    expect(problemsOf(fileWith({ runtime: ['log_dir = "~/logs"'] }))).toEqual([]);
  });
});

it.each(['.', './', '../work', 'x/..'])('log_dir must not be work_dir itself: %s', (logDir) => {
  const problems = problemsOf(fileWith({ runtime: ['work_dir = "/srv/work"', `log_dir = "${logDir}"`] }));
  expect(problems.map(({ key, code }) => `${key} ${code}`)).toEqual(['runtime.log_dir AR-CFG-011']);
});
