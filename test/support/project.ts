import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { cgroupFacts } from '../../src/process/cgroup.ts';
import { leafAt, leafFolder } from '../../src/process/cgroup-leaf.ts';
import { until } from './wait.ts';

/** The built command line, as users run it; or the one of an installed package. */
export const CLI = process.env.AGENT_RUNNER_TEST_CLI ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface Result {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  pid: number;
  stdout(): string;
  stderr(): string;
  ended: Promise<Result>;
}

export interface StoredEvent {
  ts: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind.
  [field: string]: any;
}

export interface ProjectOptions {
  /** Shell script of the agent; its standard input is the prompt. Default: says something and ends well. */
  agent?: string;
  /** TOML of each table, added to the minimum; a key given here replaces the default line of that key. */
  agentTable?: Record<string, unknown>;
  runtime?: Record<string, unknown>;
  vcs?: Record<string, unknown>;
  promptTable?: Record<string, unknown>;
  /** More TOML at the end. */
  more?: string;
  prompt?: string;
  /** Name of the work folder. */
  name?: string;
  /** log_dir, relative to the work folder. */
  logs?: string;
}

export interface StartOptions {
  /** Added to the project's; a name with the value undefined is taken out. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  nodeArgs?: string[];
  /** `channel`: a way to send messages to the process. */
  stdio?: 'closed-stderr' | 'channel';
  /** Program and arguments in front of the command line: `nohup`, or `sh -c 'exec "$@" 2>/dev/full' sh`. */
  wrapper?: readonly string[];
}

export interface Project {
  folder: string;
  workDir: string;
  logDir: string;
  config: string;
  env: NodeJS.ProcessEnv;
  /** Runs one verb to its end. */
  run(args: readonly string[], options?: StartOptions & { timeoutMs?: number }): Promise<Result>;
  /** Starts a verb and leaves it running. */
  start(args: readonly string[], options?: StartOptions): Running;
  events(kind?: string): StoredEvent[];
  /** Polls until such an event is there, and returns it. */
  event(kind: string, where?: (event: StoredEvent) => boolean, timeoutMs?: number): Promise<StoredEvent>;
  outcomes(): string[];
  /** What the log of round `round` holds, or of the newest round; '' without one. */
  log(round?: number): string;
  json(name: string): Record<string, unknown> | null;
  has(name: string): boolean;
  /** Changes the configuration file as a person's editor does: the first `from` becomes `to`. */
  edit(from: string, to: string): void;
  /** Lets agents with the script `HELD` (fake-agents.ts) go on to their end. */
  release(): void;
  git(...args: string[]): string;
  write(path: string, text: string, mode?: number): string;
  setAgent(script: string): void;
  /** Pids of living processes that carry this project's log_dir in their environment, this test's own children excluded. */
  agents(): number[];
}

const PROMPT = `Do the next task of the plan.\n${'Keep changes small, run the tests, leave a note for the next round. '.repeat(8)}\n`;

/** A git repository with one commit, a configuration and a fake agent; everything that it starts is ended with the test. */
export function project(options: ProjectOptions = {}): Project {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-runner-e2e-')));
  const workDir = join(folder, options.name ?? 'work');
  const logDir = join(workDir, options.logs ?? '../logs');
  const config = join(workDir, 'agent-runner.toml');
  const agentPath = join(folder, 'agent.sh');
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: join(folder, 'home'),
    TMPDIR: join(folder, 'tmp'),
    AGENT_RUNNER_VALIDATE: '1',
    LC_ALL: 'C.UTF-8',
  };
  for (const path of [workDir, env.HOME as string, env.TMPDIR as string]) mkdirSync(path, { recursive: true });
  writeFileSync(
    join(env.HOME as string, '.gitconfig'),
    '[user]\nname = Person\nemail = person@example.org\n[init]\ndefaultBranch = main\n',
  );
  const running = new Set<Running>();

  const it: Project = {
    folder,
    workDir,
    logDir,
    config,
    env,
    async run(args, { timeoutMs = 30_000, ...options } = {}) {
      const one = it.start(args, options);
      const timer = setTimeout(() => one.child.kill('SIGKILL'), timeoutMs);
      const result = await one.ended;
      clearTimeout(timer);
      return result;
    },
    start(args, { env: extra = {}, ...options } = {}) {
      const one = start(args, { cwd: workDir, ...options, env: { ...env, ...extra } });
      running.add(one);
      return one;
    },
    events: (kind) => readEvents(logDir).filter(({ event }) => kind === undefined || event === kind),
    async event(kind, where = () => true, timeoutMs = 20_000) {
      await until(`event ${kind}`, () => it.events(kind).some(where), timeoutMs);
      return it.events(kind).find(where) as StoredEvent;
    },
    outcomes: () => it.events('agent_exit').map(({ outcome }) => outcome),
    log(round) {
      const path = round === undefined ? join(logDir, 'round-current.log') : logOf(logDir, round);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    },
    json: (name) => (existsSync(join(logDir, name)) ? JSON.parse(readFileSync(join(logDir, name), 'utf8')) : null),
    has: (name) => existsSync(join(logDir, name)),
    edit(from, to) {
      const text = readFileSync(config, 'utf8');
      if (!text.includes(from)) throw new Error(`the configuration has no ${from}`);
      writeFileSync(
        config,
        text.replace(from, () => to),
      );
    },
    release: () => writeFileSync(join(folder, 'go'), ''),
    git: (...args) => execFileSync('git', ['-C', workDir, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd(),
    write(path, text, mode = 0o644) {
      const file = join(workDir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
      return file;
    },
    setAgent(script) {
      // At once: a round that starts meanwhile must find the one or the other.
      writeFileSync(`${agentPath}.new`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      renameSync(`${agentPath}.new`, agentPath);
    },
    agents: () => agentsOf(folder),
  };
  it.setAgent(options.agent ?? 'cat >/dev/null; echo "{\\"type\\":\\"result\\",\\"is_error\\":false}"');
  it.write('prompts/main.md', options.prompt ?? PROMPT);
  writeFileSync(config, toml(options, agentPath));
  it.git('init', '-q');
  it.git('add', '-A');
  it.git('commit', '-q', '-m', 'first');

  onTestFinished(async () => {
    for (const one of running) if (one.child.exitCode === null && one.child.signalCode === null) one.child.kill('SIGKILL');
    await Promise.all([...running].map(({ ended }) => ended));
    for (const pid of it.agents()) kill(pid);
    removeLeaves(it);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });
  return it;
}

function start(
  args: readonly string[],
  { env, cwd, nodeArgs = [], stdio, wrapper = [] }: StartOptions & { env: NodeJS.ProcessEnv; cwd: string },
): Running {
  const closing = stdio === 'closed-stderr' ? ['sh', '-c', 'exec "$@" 2>&-', 'sh'] : [];
  const [file = '', ...rest] = [...wrapper, ...closing, process.execPath, ...nodeArgs, CLI, ...args];
  const child = spawn(file, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', ...(stdio === 'channel' ? (['ipc'] as const) : [])] });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<Result>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, pid: child.pid as number, stdout: () => stdout, stderr: () => stderr, ended };
}

function toml(options: ProjectOptions, agentPath: string): string {
  const table = (name: string, values: Record<string, unknown>) =>
    `[${name}]\n${Object.entries(values)
      .map(([key, value]) => `${key} = ${literal(value)}\n`)
      .join('')}\n`;
  return (
    table('agent', { command: [agentPath], prompt_arg_template: [], prompt_delivery: 'stdin', ...options.agentTable }) +
    table('runtime', { work_dir: '.', log_dir: options.logs ?? '../logs', restart_delay_s: 1, round_timeout_s: 20, ...options.runtime }) +
    table('prompt', { file: 'prompts/main.md', ...options.promptTable }) +
    (options.vcs ? table('vcs', options.vcs) : '') +
    (options.more ?? '')
  );
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${key} = ${literal(inner)}`)
      .join(', ')} }`;
  }
  return JSON.stringify(value);
}

function logOf(logDir: string, round: number): string {
  const name = readdirSync(join(logDir, 'rounds')).find((name) => name.startsWith(`R${round}-`));
  return join(logDir, 'rounds', name ?? 'none');
}

/** False also for what cannot be looked at, such as a link to itself. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function readEvents(logDir: string): StoredEvent[] {
  if (!isFolder(logDir)) return [];
  return readdirSync(logDir)
    .filter((name) => /^events-.*\.jsonl$/.test(name))
    .sort()
    .flatMap((name) => readFileSync(join(logDir, name), 'utf8').split('\n'))
    .flatMap((line) => {
      try {
        const event = JSON.parse(line);
        return typeof event === 'object' && event !== null ? [event] : [];
      } catch {
        return [];
      }
    });
}

/** Living, non-zombie processes whose environment names the project's folder as its log_dir. */
function agentsOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environ = readFileSync(`/proc/${name}/environ`, 'utf8');
        if (!environ.split('\0').some((entry) => entry.startsWith(`AGENT_RUNNER_LOG_DIR=${folder}/`))) return [];
        return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${name}/stat`, 'utf8')) ? [] : [Number(name)];
      } catch {
        return [];
      }
    });
}

/** Control groups of rounds whose supervisor was killed and never followed by another. */
function removeLeaves(at: Project): void {
  const { folder } = cgroupFacts();
  if (folder === null) return;
  for (const { round_id } of at.events('round_start')) {
    const leaf = leafAt(leafFolder({ folder }, String(round_id)));
    leaf.kill();
    leaf.remove();
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone.
  }
}
