import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { locateProject } from '../../../src/config/locate.ts';
import { testFolder } from '../../support/folder.ts';

const NO_ENV = {};

function located(text: string | null, { explicit = false, env = NO_ENV as NodeJS.ProcessEnv } = {}) {
  const folder = testFolder();
  const path = join(folder, 'agent-runner.toml');
  if (text !== null) writeFileSync(path, text);
  return { folder, found: locateProject(path, explicit, env) };
}

test('scar 23: work_dir is relative to the file, log_dir to work_dir', () => {
  const { folder, found } = located('[runtime]\nwork_dir = "shop"\nlog_dir = "../{project}-logs"\n');
  expect(found).toMatchObject({
    problem: null,
    project: 'shop',
    workDir: join(folder, 'shop'),
    logDir: join(folder, 'shop-logs'),
    logDirFrom: 'config',
  });
});

test('a file that is no TOML still tells where its state lies', () => {
  const { folder, found } = located('[runtime]\nwork_dir = "."\n  log_dir = \'logs\' # here\n[agent\n');
  expect(found.problem?.kind).toBe('broken');
  expect(found.problem?.message).not.toContain('\n');
  expect(found).toMatchObject({ logDir: join(folder, 'logs'), logDirFrom: 'text' });
});

test.each([
  ['missing', null, 'missing'],
  ['empty', '', 'broken'],
  ['without log_dir', '[runtime]\nwork_dir = "."\n', 'broken'],
  ['log_dir of another type', '[runtime]\nwork_dir = "."\nlog_dir = 3\n', 'broken'],
  ['runtime of another type', 'runtime = 3\n', 'broken'],
  ['scar 65: a newline in log_dir', '[runtime]\nwork_dir = "."\nlog_dir = "a\\nb"\n', 'broken'],
  ['a NUL in log_dir', '[runtime]\nwork_dir = "."\nlog_dir = "a\\u0000b"\n', 'broken'],
  ['binary', '\u0000\u0001\u0002', 'broken'],
  ['longer than any configuration', `# ${'x'.repeat(1024 * 1024)}\n`, 'unreadable'],
])('%s: log_dir is not known, and the reason is', (_name, text, kind) => {
  const { found } = located(text);
  expect(found.logDir).toBeNull();
  expect(found.problem?.kind).toBe(kind);
});

test('AGENT_RUNNER_LOG_DIR fills in when nobody named a file', () => {
  const env = { AGENT_RUNNER_LOG_DIR: '/somewhere/logs' };
  expect(located(null, { env }).found).toMatchObject({ logDir: '/somewhere/logs', logDirFrom: 'environment' });
  expect(located(null, { env, explicit: true }).found.logDir).toBeNull();
  expect(located(null, { env: { AGENT_RUNNER_LOG_DIR: 'relative' } }).found.logDir).toBeNull();
});

test('scar 70: the file wins over the environment', () => {
  const { folder, found } = located('[runtime]\nwork_dir = "."\nlog_dir = "logs"\n', { env: { AGENT_RUNNER_LOG_DIR: '/other' } });
  expect(found.logDir).toBe(join(folder, 'logs'));
});

test('a folder, a dangling link and a path with a control character in place of the file', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'folder.toml'));
  symlinkSync('nowhere', join(folder, 'dangling.toml'));
  expect(locateProject(join(folder, 'folder.toml'), true, NO_ENV).problem?.kind).toBe('unreadable');
  expect(locateProject(join(folder, 'dangling.toml'), true, NO_ENV).problem?.kind).toBe('missing');
  expect(locateProject(`${folder}/a\nb`, true, NO_ENV).problem?.message).toContain('U+000A');
});

test.skipIf(process.getuid?.() === 0)('a file that may not be read', () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'x.toml'), '');
  chmodSync(join(folder, 'x.toml'), 0);
  expect(locateProject(join(folder, 'x.toml'), true, NO_ENV).problem?.message).toContain('EACCES');
});
