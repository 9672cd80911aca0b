import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type InitOptions, initProject } from '../../../src/config/init/init.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { testFolder } from '../../support/folder.ts';

// init writes the env file of a project under HOME.
const REAL_HOME = process.env.HOME;
let home = '';
beforeEach(() => {
  home = join(testFolder(), 'home');
  mkdirSync(home);
  process.env.HOME = home;
});
afterEach(() => {
  process.env.HOME = REAL_HOME;
});

function repository(name = 'shop') {
  const folder = join(testFolder(), name);
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Person');
  git('config', 'user.email', 'person@example.org');
  const init = (changes: Partial<InitOptions> = {}) =>
    initProject({
      config: join(folder, 'agent-runner.toml'),
      preset: null,
      detect: false,
      terminal: false,
      force: false,
      commit: true,
      path: '',
      container: null,
      compose: false,
      stopBudgetS: ({ runtime }) => runtime.round_timeout_s + 200,
      ...changes,
    });
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  return { folder, git, init, read };
}

describe('init --container', () => {
  it.each(['docker', 'podman'] as const)('%s: exec_prefix, a Dockerfile, and the command that builds the image', async (container) => {
    const { git, init, read } = repository();
    const report = await init({ preset: 'codex', container });
    const { exec_prefix: prefix } = loadConfig(report.config_path).config.agent;
    expect(prefix.slice(0, 4)).toEqual([container, 'run', '--rm', '-i']);
    expect(prefix.at(-1)).toBe('agent-runner-codex:local');
    expect(prefix).toContain('CODEX_API_KEY');
    expect(report.deploy).toMatchObject({ grace_s: null, env_file: null, pack_problem: null });
    expect(report.deploy.build).toMatch(
      new RegExp(
        `^${container} build --target agent -t agent-runner-codex:local .*--build-arg AGENT_INSTALL='npm install -g @openai/codex' deploy$`,
      ),
    );
    expect(read('deploy/Dockerfile')).toContain('AS agent');
    expect(git('ls-files')).toBe('.gitignore\nagent-runner.toml\ndeploy/.dockerignore\ndeploy/Dockerfile\nprompts/main.md');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('the bundled agent lies elsewhere in the image, and its image is built from the packed program', async () => {
    const { folder, init } = repository();
    const report = await init({ preset: 'demo', container: 'docker' });
    expect(loadConfig(report.config_path).config.agent.command).toEqual(['node', '/opt/agent-runner/src/agents/demo/agent.mjs']);
    expect(report.deploy.build).toContain('--target agent-runner -t agent-runner-demo:local');
    expect(report.written.filter((path) => path.endsWith('.tgz') && existsSync(path) && path.startsWith(folder))).toHaveLength(1);
  });
});

describe('init --compose', () => {
  it('the files of one container for all, the packed program, a private file for secrets; what is local stays out of git', async () => {
    const { folder, git, init, read } = repository();
    const report = await init({ preset: 'claude', compose: true });
    expect(report.deploy).toEqual({ grace_s: 2000, env_file: join(home, '.agent-runner/shop/env'), build: null, pack_problem: null });
    const compose = read('deploy/docker-compose.yml');
    expect(compose).toContain('stop_grace_period: 2000s');
    expect(compose).toContain(`"${'$'}{HOME}/.agent-runner/shop/env"`);
    expect(compose).toContain(`AGENT_UID: "${statSync(folder).uid || 1000}"`);
    expect(read('deploy/.env')).toContain('COMPOSE_PROJECT_NAME=agent-runner-shop\n');
    expect(statSync(report.deploy.env_file as string).mode & 0o777).toBe(0o600);
    expect(loadConfig(report.config_path).config.agent.exec_prefix).toEqual([]);
    expect(git('ls-files', 'deploy')).toBe('deploy/.dockerignore\ndeploy/.env\ndeploy/Dockerfile\ndeploy/docker-compose.yml');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('with --container docker: the file in which each round has a container of its own, and what it must know of this machine', async () => {
    const { folder, git, init, read } = repository();
    const report = await init({ preset: 'claude', compose: true, container: 'docker' });
    expect(loadConfig(report.config_path).config.agent.exec_prefix[0]).toBe('docker');
    expect(read('deploy/docker-compose.yml')).toContain('  supervisor:\n');
    expect(read('deploy/.env')).toMatch(new RegExp(`^AGENT_RUNNER_WORK_DIR=${folder}$`, 'm'));
    expect(read('deploy/.env')).toMatch(/^DOCKER_GID=\d+$/m);
    expect(git('ls-files', 'deploy')).toBe('deploy/.dockerignore\ndeploy/Dockerfile\ndeploy/docker-compose.yml');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('in a project that is set up: the configuration and edited files stay, the grace follows round_timeout_s', async () => {
    const { folder, git, init, read } = repository();
    const { config_path: config } = await init({ preset: 'demo', compose: true });
    const file = join(folder, 'deploy/docker-compose.yml');
    writeFileSync(file, `${readFileSync(file, 'utf8')}# my own line\n`);
    writeFileSync(config, readFileSync(config, 'utf8').replace('round_timeout_s = 60', 'round_timeout_s = 7200'));
    const report = await init({ compose: true });
    expect(report).toMatchObject({ preset: null, backup: null });
    expect(report.kept).toEqual(expect.arrayContaining([config, join(folder, 'deploy/Dockerfile'), report.deploy.env_file]));
    expect(read('deploy/docker-compose.yml')).toContain('stop_grace_period: 7400s');
    expect(read('deploy/docker-compose.yml')).toContain('# my own line');
    const again = await init({ compose: true });
    expect(again.kept).toContain(file);
    expect(again.committed).toBe(false);
    expect(git('status', '--porcelain')).toBe('M agent-runner.toml');
  });

  it('of an exec_prefix by docker it makes the other file by itself; one by podman is refused before anything is written', async () => {
    const { init, read, folder } = repository();
    await init({ preset: 'claude', container: 'docker' });
    await init({ compose: true });
    expect(read('deploy/docker-compose.yml')).toContain('  supervisor:\n');

    const other = repository('other');
    await expect(other.init({ preset: 'claude', container: 'podman', compose: true })).rejects.toMatchObject({ code: 'AR-INI-008' });
    expect(existsSync(join(other.folder, 'agent-runner.toml'))).toBe(false);
    expect(existsSync(join(folder, 'agent-runner.toml'))).toBe(true);
  });

  it('files that the user ignores are written and not committed', async () => {
    const { folder, git, init } = repository();
    writeFileSync(join(folder, '.gitignore'), '.env\n');
    const report = await init({ preset: 'demo', compose: true });
    expect(report).toMatchObject({ committed: true, commit_problem: null });
    expect(existsSync(join(folder, 'deploy/.env'))).toBe(true);
    expect(git('ls-files', 'deploy')).not.toContain('deploy/.env');
  });

  it('--force replaces edited files and keeps them beside', async () => {
    const { folder, git, init, read } = repository();
    await init({ preset: 'demo', compose: true });
    writeFileSync(join(folder, 'deploy/Dockerfile'), 'FROM mine\n');
    await init({ preset: 'demo', compose: true, force: true });
    expect(read('deploy/Dockerfile')).toContain('AS agent-runner');
    expect(read('deploy/Dockerfile.bak')).toBe('FROM mine\n');
    expect(git('status', '--porcelain')).toBe('');
  });
});
