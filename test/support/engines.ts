import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { askEngine, containersByLabel, type EngineAccess, inspectContainer } from '../../src/container/engine.ts';
import { processesInContainer } from '../../src/container/leftovers.ts';
import { type Container, type Prepared, prepareContainer } from '../../src/container/prepare.ts';
import { removeFolder } from '../../src/container/private-dir.ts';
import { systemClock } from '../../src/util/clock.ts';

export const IMAGE = 'agent-runner-test/busybox:1';

export interface Engine {
  runtime: 'docker' | 'podman';
  /** Everything before `run`, in the form that this engine needs here. */
  before: string[];
  /** Options that every run here gets. */
  options: string[];
}

const NO_OUTSIDE = ['--network', 'none', '--pull', 'never'];
/** A container manager around us may forbid podman as root to raise limits. */
const PODMAN_LIMITS = ['--ulimit', 'nofile=1024:4096', '--ulimit', 'nproc=1024:1024'];
const TEST_USER = process.env.AGENT_RUNNER_TEST_PODMAN_USER ?? '';

/** The real engines that `test/support/engine.sh start DIR` brings up and names in the environment. */
const ENGINES = {
  docker: () =>
    process.env.DOCKER_HOST?.startsWith('unix://') ? { runtime: 'docker' as const, before: ['docker'], options: NO_OUTSIDE } : null,
  podman: () => {
    const words = process.env.AGENT_RUNNER_TEST_PODMAN?.split(' ');
    return words ? { runtime: 'podman' as const, before: words, options: [...NO_OUTSIDE, ...PODMAN_LIMITS] } : null;
  },
  // The client as an ordinary user, asked by a supervisor that is root: known by its label alone.
  'podman rootless': () => {
    if (TEST_USER === '') return null;
    const { uid, home } = userOf(TEST_USER);
    const user = ['runuser', '-u', TEST_USER, '--', 'env', '-C', '/', `XDG_RUNTIME_DIR=/run/user/${uid}`, `HOME=${home}`];
    return {
      runtime: 'podman' as const,
      before: [...user, 'podman', '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
      options: NO_OUTSIDE,
    };
  },
} as const satisfies Record<string, () => Engine | null>;

export type EngineName = keyof typeof ENGINES;
export const ENGINE_NAMES = Object.keys(ENGINES) as EngineName[];

/** As `requirePart`: skips by name where the engine is missing, fails under AGENT_RUNNER_TEST_REQUIRE=all. */
export function requireEngine(context: Pick<TestContext, 'skip'>, name: EngineName): Engine {
  const engine = ENGINES[name]();
  if (engine !== null) return engine;
  const text = `needs ${name}: eval "$(test/support/engine.sh start DIR)" as root on Debian`;
  if (process.env.AGENT_RUNNER_TEST_REQUIRE === 'all') throw new Error(text);
  return context.skip(text);
}

/** From the password file: uid and home folder. */
export function userOf(name: string): { uid: number; home: string } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const fields = line?.split(':') ?? [];
  return { uid: Number(fields[2]), home: fields[5] ?? '/' };
}

interface ClientEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** stdout and stderr, in the order in which they came. */
  output: string;
  /** Without the client's own warnings. */
  stdout: string;
}

export interface Client {
  process: ChildProcess;
  prepared: Prepared;
  container: Container;
  startedAt: number;
  end: Promise<ClientEnd>;
  /** What came out of it so far. */
  output(): string;
  /** As the supervisor's ladder does it: to the whole group. */
  signal(name: NodeJS.Signals): void;
}

export interface Bench {
  folder: string;
  workDir: string;
  logDir: string;
  owner: string;
  /** Starts `before run <ours> <options> IMAGE <command>` as the round body will. */
  start(
    engine: Engine,
    command: string[],
    how?: { options?: string[]; stdin?: string; roundId?: string; owner?: string; env?: Record<string, string> },
  ): Client;
  access(engine: Engine): EngineAccess;
  /** Ids of every container of this bench's owner, in any state. */
  containers(engine: Engine, owner?: string): Promise<string[]>;
  /** Removes every container of the owners used here, and the folder. */
  close(): Promise<void>;
}

export function openBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-test-'));
  const [workDir, logDir] = [join(folder, 'work'), join(folder, 'log')];
  mkdirSync(workDir, { mode: 0o777 });
  mkdirSync(logDir);
  const owner = randomUUID();
  const used = new Map<string, { access: EngineAccess; owner: string }>();
  const folders: string[] = [];
  const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));

  const access = (engine: Engine): EngineAccess => ({ runtime: engine.runtime, control: engine.before, env, cwd: workDir });
  const bench: Bench = {
    folder,
    workDir,
    logDir,
    owner,
    access,
    async containers(engine, of = owner) {
      const ids = await containersByLabel(access(engine), `agent-runner.owner=${of}`);
      if (ids === 'unknown') throw new Error('the engine does not answer');
      return ids;
    },
    start(engine, command, how = {}) {
      const roundId = how.roundId ?? randomUUID();
      const of = how.owner ?? owner;
      used.set(`${engine.before.join(' ')} ${of}`, { access: access(engine), owner: of });
      const prefix = [...engine.before, 'run', ...engine.options, ...(how.options ?? ['--rm', '-i', '--init=false']), IMAGE];
      const prepared = prepareContainer({
        argv: [...prefix, ...command],
        prefixLength: prefix.length,
        roundId,
        owner: of,
        workDir,
        logDir,
        env: { ...env, AGENT_RUNNER_LOG_DIR: logDir, AGENT_RUNNER_ROUND_ID: roundId, AGENT_RUNNER_ROUND_NUM: '7', ...how.env },
        hostEnv: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
      });
      if (prepared === null) throw new Error('not a container run');
      if (prepared.container.folder !== null) folders.push(prepared.container.folder);
      const [file = '', ...args] = prepared.argv;
      const client = spawn(file, args, {
        cwd: workDir,
        env: prepared.container.env,
        detached: true,
        stdio: [how.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      });
      let output = '';
      let stdout = '';
      client.stdout?.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
      });
      for (const stream of [client.stdout, client.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      client.stdin?.on('error', () => {});
      client.stdin?.end(how.stdin);
      const end = new Promise<ClientEnd>((resolve) => client.on('close', (code, signal) => resolve({ code, signal, output, stdout })));
      return {
        process: client,
        prepared,
        container: prepared.container,
        startedAt: systemClock.monotonic(),
        end,
        output: () => output,
        signal(name) {
          try {
            process.kill(-(client.pid ?? Number.NaN), name);
          } catch {
            // It is gone.
          }
        },
      };
    },
    async close() {
      for (const { access: engine, owner: of } of used.values()) {
        const ids = await containersByLabel(engine, `agent-runner.owner=${of}`);
        if (ids === 'unknown' || ids.length === 0) continue;
        // podman's `rm -f` alone would wait 10 s for each that ignores TERM.
        await askEngine(engine, ['kill', ...ids]);
        await askEngine(engine, ['rm', '--force', ...ids], 15_000);
      }
      for (const path of folders) removeFolder(path);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

/** The container of this round, once the engine says that it runs. */
export async function runningId(bench: Bench, engine: Engine, client: Client): Promise<string | null> {
  const ids = await containersByLabel(bench.access(engine), `agent-runner.round=${client.container.roundId}`);
  const id = ids === 'unknown' ? undefined : ids[0];
  if (id === undefined) return null;
  const state = await inspectContainer(bench.access(engine), id);
  return state !== null && state !== 'unknown' && state.status === 'running' ? id : null;
}

/** Nothing of the round is left: no container in any state, no process in its cgroup. */
export async function nothingLeft(
  bench: Bench,
  engine: Engine,
  client: Client,
  id: string | null,
): Promise<{ containers: string[]; processes: number[] }> {
  const ids = await containersByLabel(bench.access(engine), `agent-runner.round=${client.container.roundId}`);
  return { containers: ids === 'unknown' ? ['the engine does not answer'] : ids, processes: id === null ? [] : processesInContainer(id) };
}
