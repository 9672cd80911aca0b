import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WELL } from '../support/fake-agents.ts';
import { requirePart } from '../support/parts.ts';
import { type Project, project } from '../support/project.ts';

const TASK = 'Do the next task of the plan. '.repeat(20);
const failures = (text: string) => [...text.matchAll(/STARTUP FAIL: (\S+): /g)].map(([, name]) => name);

interface Case {
  name: string;
  /** Makes the project unfit. */
  spoil(at: Project): void;
  exit: 76 | 78;
  check: string;
  code: string;
  words: string;
}

const prompt = (name: string, text: string, words: string): Case => ({
  name,
  spoil: (at) => void at.write('prompts/main.md', text),
  exit: 78,
  check: 'prompt_smoke_passes',
  code: 'AR-CHK-005',
  words,
});

const CASES: Case[] = [
  {
    name: 'log_dir cannot be made',
    spoil: (at) => writeFileSync(at.logDir, 'a file'),
    exit: 76,
    check: 'log_dir_writable',
    code: 'AR-CHK-001',
    words: 'cannot be written',
  },
  {
    name: 'work_dir does not exist',
    spoil: (at) => {
      at.edit('file = "prompts', `file = "${at.workDir}/prompts`);
      at.edit('work_dir = "."', 'work_dir = "../gone"');
    },
    exit: 78,
    check: 'work_dir_is_git_repo',
    code: 'AR-CHK-002',
    words: 'is not a directory',
  },
  {
    name: 'work_dir is no work tree',
    spoil: (at) => rmSync(join(at.workDir, '.git'), { recursive: true }),
    exit: 78,
    check: 'work_dir_is_git_repo',
    code: 'AR-CHK-003',
    words: 'git init',
  },
  {
    name: 'the prompt file does not exist',
    spoil: (at) => rmSync(join(at.workDir, 'prompts/main.md')),
    exit: 78,
    check: 'prompt_file_exists',
    code: 'AR-CHK-004',
    words: 'prompts/main.md does not exist',
  },
  {
    name: 'the prompt is a directory',
    spoil: (at) => {
      rmSync(join(at.workDir, 'prompts/main.md'));
      mkdirSync(join(at.workDir, 'prompts/main.md'));
    },
    exit: 78,
    check: 'prompt_file_exists',
    code: 'AR-CHK-004',
    words: 'no regular file',
  },
  prompt('the prompt is empty', '', 'empty'),
  prompt('scar 1: the prompt is nothing but front matter', `---\ntitle: ${TASK}${TASK}\n---\n`, 'empty'),
  prompt('the prompt is shorter than 500 bytes', 'x'.repeat(449), 'fewer than 500'),
  {
    name: 'the agent is not installed',
    spoil: (at) => rmSync(join(at.folder, 'agent.sh')),
    exit: 78,
    check: 'agent_cli_in_path',
    code: 'AR-CHK-006',
    words: 'agent.command[0]',
  },
  {
    name: 'the agent may not be executed',
    spoil: (at) => chmodSync(join(at.folder, 'agent.sh'), 0o644),
    exit: 78,
    check: 'agent_cli_in_path',
    code: 'AR-CHK-006',
    words: 'is not an executable',
  },
  {
    name: 'the prefix of the agent is not installed',
    spoil: (at) => at.edit('[agent]', '[agent]\nexec_prefix = ["no-such-sandbox", "--"]'),
    exit: 78,
    check: 'agent_cli_in_path',
    code: 'AR-CHK-006',
    words: 'agent.exec_prefix[0] "no-such-sandbox"',
  },
  {
    name: 'the secrets of the agent are missing',
    spoil: (at) => at.edit('[agent]', '[agent]\nenv_file = "../secrets.env"'),
    exit: 78,
    check: 'env_file_readable',
    code: 'AR-CFG',
    words: 'secrets.env',
  },
  {
    name: 'the secrets of the agent are for everybody',
    spoil: (at) => {
      writeFileSync(join(at.folder, 'secrets.env'), 'KEY=value\n', { mode: 0o644 });
      at.edit('[agent]', '[agent]\nenv_file = "../secrets.env"');
    },
    exit: 78,
    check: 'env_file_readable',
    code: 'AR-CFG',
    words: 'chmod 600',
  },
];

describe('reference case 20: each check, alone', () => {
  it.each(CASES.map((one) => [one.name, one] as const))('%s', async (_name, { spoil, exit, check, code, words }) => {
    const at = project({ agent: WELL });
    spoil(at);
    const round = await at.run(['round']);
    expect(round.code).toBe(exit);
    const [line = ''] = round.stderr.split('\n').filter((text) => text.includes('STARTUP FAIL'));
    expect(line).toMatch(new RegExp(`^STARTUP FAIL: ${check}: .+ \\[${code}.*\\] \\| how-to-fix: .+`));
    expect(line).toContain(words);
    expect(failures(round.stderr)).toEqual([check]);
    expect(at.has('rounds') && at.events('agent_spawn').length > 0).toBe(false);

    const serve = await at.run(['serve', '--once']);
    expect(serve.code).toBe(exit);
    if (exit === 78) {
      expect(failures(serve.stderr)).toEqual([check]);
      expect(at.json('state/stopped.json')).toMatchObject({ reason: 'config_broken', exit_code: 78 });
      expect((await at.run(['peek', '--check'])).stdout).toMatch(
        new RegExp(
          `^Stopped for good .* by config_broken \\(exit 78\\): (?!STARTUP).+ \\[${code}.*\\]; a person is needed: .+then start serve again`,
        ),
      );
    }
  });

  it('a work tree of another user is 78 and says what git wants', async (context) => {
    requirePart(context, 'root');
    const at = project({ agent: WELL });
    for (const path of [at.workDir, join(at.workDir, '.git')]) chownSync(path, 12_345, 12_345);
    const { code, stderr } = await at.run(['round']);
    expect(code).toBe(78);
    expect(stderr).toMatch(/work_dir_is_git_repo: .*\[AR-CHK-009\].*safe\.directory/);
  });
});

it('all problems are told at once, and one that is permanent decides', async () => {
  const at = project({ agent: WELL });
  rmSync(join(at.workDir, '.git'), { recursive: true });
  rmSync(join(at.workDir, 'prompts/main.md'));
  rmSync(join(at.folder, 'agent.sh'));
  writeFileSync(at.logDir, 'a file');
  const { code, stderr } = await at.run(['round']);
  expect(code).toBe(78);
  expect(failures(stderr)).toEqual(['log_dir_writable', 'work_dir_is_git_repo', 'prompt_file_exists', 'agent_cli_in_path']);
  rmSync(at.logDir);
  const serve = await at.run(['serve']);
  expect(serve.code).toBe(78);
  expect(failures(serve.stderr)).toEqual(['work_dir_is_git_repo', 'prompt_file_exists', 'agent_cli_in_path']);
  expect(at.events('serve_stopped')).toMatchObject([{ reason: 'config_broken', exit_code: 78 }]);
});

it('a phase with an agent or a prompt of its own is checked by its name', async () => {
  const at = project({
    agent: WELL,
    more: '\n[phases]\nlist = ["plan", "build", "review"]\n[phases.build.agent]\ncommand = ["no-such-agent"]\n[phases.review]\nprompt.files = ["prompts/review.md"]\n',
  });
  const { code, stderr } = await at.run(['round']);
  expect(code).toBe(78);
  expect(failures(stderr)).toEqual(['prompt_file_exists:review', 'agent_cli_in_path:build']);
});

it('field bug 39: an agent whose program vanishes between two rounds stops serve with 78: the program is named, not the folder', async () => {
  const at = project({ agent: `${WELL}; rm -f "$0"` });
  const { code, stderr } = await at.run(['serve']);
  expect(code).toBe(78);
  expect(at.outcomes()).toEqual(['ok']);
  expect(new Set(failures(stderr))).toEqual(new Set(['agent_cli_in_path']));
  expect(at.events('config_broken')).toMatchObject([{ reason: expect.stringContaining('agent.sh') }]);
});

it('field bug 39: a work_dir that vanishes between two rounds is named as such, although the system says that the program is missing', async () => {
  const at = project({ agent: `${WELL}; [ $AGENT_RUNNER_ROUND_NUM = 1 ] || rm -rf "$PWD"`, logs: '../logs' });
  const { code, stderr } = await at.run(['serve'], {
    cwd: at.folder,
    wrapper: ['sh', '-c', 'exec "$@" --config work/agent-runner.toml', 'sh'],
  });
  expect(code).toBe(78);
  expect(at.outcomes()).toHaveLength(2);
  expect(failures(stderr)).toContain('work_dir_is_git_repo');
  expect(stderr).toContain('[AR-CHK-002]');
});

it('a prompt that is emptied on the way stops serve with 78 before the next agent', async () => {
  const at = project({ agent: `${WELL}; : > prompts/main.md`, vcs: { dirty_action: 'ignore' } });
  const { code, stderr } = await at.run(['serve']);
  expect(code).toBe(78);
  expect(at.outcomes()).toEqual(['ok']);
  expect(new Set(failures(stderr))).toEqual(new Set(['prompt_smoke_passes']));
  expect(at.events('needs_human')).toMatchObject([{ reason: 'config_broken' }]);
  at.git('checkout', '-q', 'prompts/main.md');
  at.setAgent(WELL);
  expect((await at.run(['serve', '--once'])).code).toBe(0);
  expect(at.json('state/needs-human.json')).toEqual({ entries: [] });
});

it.each(['1', 'true', 'YES', 'on'])('AGENT_RUNNER_SKIP_STARTUP_CHECK=%s: every check is skipped', async (value) => {
  const at = project({ agent: WELL, prompt: 'short' });
  expect((await at.run(['round'])).code).toBe(78);
  expect((await at.run(['round'], { env: { AGENT_RUNNER_SKIP_STARTUP_CHECK: value } })).code).toBe(0);
  expect(at.outcomes()).toEqual(['ok']);
  expect((await at.run(['round'], { env: { AGENT_RUNNER_SKIP_STARTUP_CHECK: '0' } })).code).toBe(78);
});

it('round --dry-run names every check and starts nothing', async () => {
  const at = project({ agent: WELL });
  const good = await at.run(['round', '--dry-run']);
  expect(good.code).toBe(0);
  for (const check of ['config_loaded', 'log_dir_writable', 'work_dir_is_git_repo', 'prompt_smoke_passes', 'agent_cli_in_path']) {
    expect(good.stdout).toContain(`ok   ${check}`);
  }
  rmSync(join(at.folder, 'agent.sh'));
  const told = (await at.run(['round', '--dry-run'])).stdout;
  expect(told).toMatch(/^round 1 could not start in /);
  expect(told).toMatch(/ {2}FAIL agent_cli_in_path: agent\.command\[0\] .+ \[AR-CHK-006\]\n {7}install it/);
  const bad = await at.run(['round', '--dry-run', '--json']);
  expect(bad.code).toBe(78);
  expect(JSON.parse(bad.stdout).checks).toContainEqual(expect.objectContaining({ name: 'agent_cli_in_path', ok: false }));
  expect(at.events()).toEqual([]);
});
