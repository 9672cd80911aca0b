import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../../support/cli.ts';
import { testFolder } from '../../support/folder.ts';

const GOOD = '[agent]\npreset = "demo"\n[runtime]\nwork_dir = "."\nlog_dir = "../logs"\n[prompt]\nfile = "p.md"\n';

function fileOf(content: string | Uint8Array): string {
  const path = join(testFolder(), 'agent-runner.toml');
  writeFileSync(path, content);
  return path;
}

test.each([
  ['an unknown key', `${GOOD}[vcs]\ndirty_acton = "stash"\n`, 'AR-CFG-010', ':9:1: vcs.dirty_acton'],
  [
    'scar 66: a bare string for a list',
    GOOD.replace('preset = "demo"', 'preset = "demo"\ncommand = "claude"'),
    'AR-CFG-011',
    ':3:11: agent.command',
  ],
  ['scar 65: a newline in a path', GOOD.replace('"../logs"', '"a\\nUser=root"'), 'AR-CFG-018', ':5:11: runtime.log_dir'],
  ['a duplicate key', GOOD.replace('work_dir = "."', 'work_dir = "."\nwork_dir = "."'), 'AR-CFG-008', ':5:1: work_dir'],
  ['a sandbox that nobody would keep', `${GOOD}[sandbox]\nnetwork = "none"\n`, 'AR-CFG-014', ': sandbox: promises safety'],
  ['no TOML', `${GOOD}what\n`, 'AR-CFG-007', ':8:'],
  ['empty', '', 'AR-CFG-006', 'the file is empty'],
  ['binary', Buffer.from([1, 0, 2]), 'AR-CFG-005', 'binary'],
  ['10 MB', Buffer.alloc(10_000_000, 'a'), 'AR-CFG-004', 'longer than 1 MiB'],
])('%s: one message with place and code, exit 78, no stack trace', async (_name, content, code, words) => {
  for (const verb of [['round'], ['round', '--dry-run'], ['serve', '--once']]) {
    const result = await cli([...verb, '--config', fileOf(content)]);
    expect(result.code).toBe(78);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain(words);
    expect(result.stderr).toContain(`[${code}]`);
    expect(result.stderr).not.toMatch(/^\s+at /m);
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(2);
  }
});

test('several problems at once: text lists them, --json gives them as data', async () => {
  const path = fileOf('[agent]\ncommand = "x"\n[runtime]\nwork_dir = 3\n');
  const text = await cli(['round', '--config', path]);
  expect(text.stderr.match(/\[AR-CFG-\d{3}\]/g)?.length).toBeGreaterThan(3);
  const json = await cli(['round', '--json', '--config', path]);
  expect(json.code).toBe(78);
  const { error } = JSON.parse(json.stdout);
  expect(error.code).toBe('AR-CFG-001');
  expect(error.problems.map(({ key }: { key: string }) => key)).toContain('runtime.work_dir');
});

test('init, then a dry run, from the built program', async () => {
  const folder = join(testFolder(), 'a project');
  mkdirSync(folder);
  execFileSync('git', ['init', '-q'], { cwd: folder });
  const config = join(folder, 'agent-runner.toml');
  const env = { HOME: testFolder() };
  const first = await cli(['init', '--preset', 'demo', '--json', '--no-commit', '--config', config], { env });
  expect(first).toMatchObject({ code: 0 });
  expect(JSON.parse(first.stdout)).toMatchObject({
    preset: 'demo',
    config_path: config,
    log_dir: join(env.HOME, '.agent-runner/a project/logs'),
  });
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('logs/\n');

  const dry = await cli(['round', '--dry-run', '--config', config], { env });
  expect(dry).toMatchObject({ code: 0 });
  expect(dry.stdout).toContain('src/agents/demo/agent.mjs');

  const again = await cli(['init', '--preset', 'demo', '--config', config], { env });
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('[AR-INI-002]');

  const none = await cli(['init', '--detect', '--config', join(folder, 'other.toml')], { env: { ...env, PATH: '/usr/bin:/bin' } });
  if (!existsSync('/usr/bin/claude') && !existsSync('/usr/bin/codex')) expect(none.stderr).toContain('--preset demo');
});

test('init where git does not know who commits: the files are there, and what to tell git', async () => {
  const folder = testFolder();
  execFileSync('git', ['init', '-q'], { cwd: folder });
  execFileSync('git', ['config', 'user.useConfigOnly', 'true'], { cwd: folder });
  const { code, stderr } = await cli(['init', '--preset', 'demo'], { cwd: folder, env: { HOME: testFolder() } });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^agent-runner: the files are written but not committed: fatal: .+\n {2}tell git who you are \(git config .+ commit them\n$/,
  );
  expect(existsSync(join(folder, 'agent-runner.toml'))).toBe(true);
});

test('init says so when a project of the same name keeps its state where this one would', async () => {
  const folder = join(testFolder(), 'app');
  const home = testFolder();
  mkdirSync(folder);
  execFileSync('git', ['init', '-q'], { cwd: folder });
  const init = (...more: string[]) => cli(['init', '--preset', 'demo', '--no-commit', ...more], { cwd: folder, env: { HOME: home } });
  expect((await init()).stderr).toBe('');
  mkdirSync(join(home, '.agent-runner/app/logs/state'), { recursive: true });
  expect((await init('--force')).stderr).toBe('');
  rmSync(join(folder, 'agent-runner.toml'));
  expect((await init()).stderr).toContain(`${join(home, '.agent-runner/app/logs')} is there already`);
});
