import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runCommand } from '../../src/process/command.ts';
import { CLI, type Result, type StoredEvent } from './project.ts';
import { ROOT } from './sources.ts';
import { until } from './wait.ts';

/** Stands in for Docker Hub's Node image: test/support/debian-image.sh. */
const BASE_IMAGE = 'agent-runner-test/debian:1';
/** The bundled agent's image, as `init --compose` names it. */
const IMAGE = 'agent-runner-demo:local';
/** The user of the image. */
const UID = 1000;

/** Runs a program to its end and returns what came of it; the output of a failure is in the error. */
export async function must(
  argv: readonly [string, ...string[]],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; timeoutMs?: number } = {},
) {
  const result = await runCommand(argv, { timeoutMs: 120_000, ...options, env: { ...process.env, ...options.env } });
  if (result.code !== 0) throw new Error(`${argv.join(' ')}: exit ${result.code}\n${result.stdout}${result.stderr}`);
  return result.stdout;
}

/** Builds deploy/Dockerfile of `folder` without a network, with the legacy builder: no registry is asked. */
export async function buildImage(folder: string, image: string, target: string, args: Record<string, string> = {}): Promise<void> {
  await must(['bash', join(ROOT, 'test/support/debian-image.sh'), BASE_IMAGE], { timeoutMs: 300_000 });
  const given = Object.entries({ BASE_IMAGE, ...args }).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  await must(
    ['docker', 'build', '-q', '--force-rm', '--network', 'none', '--target', target, '-t', image, ...given, join(folder, 'deploy')],
    {
      env: { DOCKER_BUILDKIT: '0' },
    },
  );
}

export interface ComposeProject {
  folder: string;
  work: string;
  home: string;
  /** `docker-compose ARGS` on the project's own file; rejects when it fails. */
  compose(...args: string[]): Promise<string>;
  /** A command in the container of serve; never rejects. */
  exec(...argv: string[]): Promise<Result>;
  /** One value of `docker inspect`. */
  inspect(format: string): Promise<string>;
  health(status: string, timeoutMs?: number): Promise<void>;
  events(kind?: string): Promise<StoredEvent[]>;
  event(kind: string, where?: (event: StoredEvent) => boolean, timeoutMs?: number): Promise<StoredEvent>;
  /** What the agent does: shell, with the prompt on its standard input. */
  setAgent(script: string): void;
  edit(path: string, from: string, to: string): void;
  git(...args: string[]): string;
}

const GIT = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };

/**
 * A work tree set up by `init --compose` (and what `flags` add), owned by the image's user; its agent is a shell script. The engine of the
 * tests has no bridge, so the network is taken away; health is asked every second.
 */
export async function composeProject(service: 'agent-runner' | 'supervisor', flags: readonly string[] = []): Promise<ComposeProject> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-runner-compose-')));
  const work = join(folder, basename(folder).toLowerCase());
  const home = join(folder, 'home');
  mkdirSync(work);
  mkdirSync(home);
  const env = { ...GIT, HOME: home, XDG_STATE_HOME: '' };
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', work, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' }).trim();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Person');
  git('config', 'user.email', 'person@example.org');
  await must([process.execPath, CLI, 'init', '--preset', 'demo', '--compose', ...flags], { cwd: work, env });

  const socket = (process.env.DOCKER_HOST ?? '').replace(/^unix:\/\//, '');
  const override = join(folder, 'override.yml');
  writeFileSync(
    override,
    `services:\n  ${service}:\n    network_mode: none\n    healthcheck: { interval: 1s, retries: 1, start_period: 60s }\n`,
  );
  if (service === 'supervisor') {
    appendFileSync(override, `    volumes: ["${socket}:/var/run/docker.sock"]\n`);
    appendFileSync(join(work, 'deploy/.env'), `DOCKER_GID=${statSync(socket).gid}\n`);
  }
  const files = ['-f', join(work, 'deploy/docker-compose.yml'), '-f', override];
  const name = `agent-runner-${basename(work)}_${service}_1`;

  const it: ComposeProject = {
    folder,
    work,
    home,
    compose: (...args) => must(['docker-compose', ...files, ...args], { env, timeoutMs: 300_000 }),
    async exec(...argv) {
      const { code, signal, stdout, stderr } = await runCommand(['docker', 'exec', name, ...argv], { timeoutMs: 30_000 });
      return { code, signal, stdout, stderr };
    },
    inspect: async (format) => (await must(['docker', 'inspect', '--format', format, name])).trim(),
    health: (status, timeoutMs = 30_000) =>
      until(`health is ${status}`, async () => (await it.inspect('{{.State.Health.Status}}')) === status, timeoutMs).then(() => {}),
    async events(kind) {
      const { stdout } = await it.exec('sh', '-c', 'cat "$HOME"/.agent-runner/*/logs/events-*.jsonl 2>/dev/null');
      return stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line): StoredEvent => JSON.parse(line))
        .filter(({ event }) => kind === undefined || event === kind);
    },
    async event(kind, where = () => true, timeoutMs = 30_000) {
      const found = async () => (await it.events(kind)).find(where);
      return (await until(`event ${kind}`, found, timeoutMs)) as StoredEvent;
    },
    setAgent: (script) => writeFileSync(join(work, 'agent.sh'), `cat >/dev/null\n${script}\n`),
    edit(path, from, to) {
      const file = join(work, path);
      const text = readFileSync(file, 'utf8');
      if (!text.includes(from)) throw new Error(`${path} has no ${from}`);
      writeFileSync(
        file,
        text.replace(from, () => to),
      );
    },
    git,
  };
  onTestFinished(async () => {
    if (process.env.AGENT_RUNNER_TEST_KEEP !== undefined) return;
    await it.compose('down', '-v', '--timeout', '1').catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const command = service === 'supervisor' ? '/opt/agent-runner/src/agents/demo/agent.mjs' : '{package}/src/agents/demo/agent.mjs';
  it.edit('agent-runner.toml', `["node", "${command}"]\nadapter = "demo"`, '["sh", "/work/agent.sh"]');
  it.edit('agent-runner.toml', 'restart_delay_s = 3', 'restart_delay_s = 1');
  it.setAgent(WELL);
  return it;
}

/** A turn that commits. */
export const WELL = 'echo line >> journal.md; git add -A; git commit -qm "one more line"; echo well';

/** Commits what the test has changed, gives everything to the image's user and starts it. */
export async function up(at: ComposeProject): Promise<void> {
  at.git('add', '-A');
  at.git('commit', '-q', '-m', 'set up');
  await must(['chown', '-R', `${UID}:${UID}`, at.work, at.home]);
  await at.compose('up', '-d', '--no-build');
}

const CLI_IMAGE = 'agent-runner-test/docker-cli:1';

/** Stands in for Docker Hub's `docker:cli`: this machine's client in the same place. */
async function dockerCliImage(folder: string): Promise<void> {
  const { stdout } = await runCommand(['docker', 'image', 'ls', '-q', CLI_IMAGE]);
  if (stdout.trim() !== '') return;
  mkdirSync(join(folder, 'usr/local/bin'), { recursive: true });
  await must([
    'sh',
    '-c',
    `cp "$(readlink -f "$(command -v docker)")" ${folder}/usr/local/bin/docker && tar -C ${folder} -c . | docker import - ${CLI_IMAGE}`,
  ]);
}

/** The images of all tests here, made once. */
export async function demoImage(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-image-'));
  try {
    await must(['git', 'init', '-q', folder]);
    await must([process.execPath, CLI, 'init', '--preset', 'demo', '--compose', '--no-commit'], {
      cwd: folder,
      env: { ...GIT, HOME: folder },
    });
    await buildImage(folder, IMAGE, 'agent-runner');
    await dockerCliImage(join(folder, 'cli'));
    await buildImage(folder, 'agent-runner-supervisor:local', 'supervisor', { DOCKER_CLI_IMAGE: CLI_IMAGE });
  } finally {
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
  }
}
