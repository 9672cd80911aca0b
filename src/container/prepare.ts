import { resolve } from 'node:path';
import { CONTROL_MOUNT } from './control-dir.ts';
import { type ContainerRun, detectContainer, isRemoteAddress, type Runtime } from './detect.ts';
import { injectOptions } from './inject.ts';
import { type RunOptions, runOptions } from './options.ts';
import { makeRoundFolder } from './private-dir.ts';
import { realPath } from './real-path.ts';
import { clientReachesUs } from './wrappers.ts';

/** A container run of one round: how to talk to its engine, and by what its container is known. */
export interface Container {
  runtime: Runtime;
  /** Everything before `run`, verbatim. */
  control: string[];
  /** The engine is asked with the environment and in the folder in which the client itself runs: DOCKER_HOST may come from there. */
  env: Record<string, string>;
  cwd: string;
  roundId: string;
  owner: string;
  cidfile: string | null;
  /** The operator's own `--cidfile`: read, never deleted, and its id is believed only when the container carries our label. */
  cidfileIsOperators: boolean;
  /** Host side of /run/agent-runner, null when nothing of ours could be mounted. */
  controlDir: string | null;
  /** To be removed with `removeFolder` when the container has ended; null when there is none. */
  folder: string | null;
  /** `--rm` was asked for: the engine removes the container by itself. */
  removesItself: boolean;
  /** A memory limit was asked for: only then can the engine's own limit have killed it. */
  memoryLimited: boolean;
}

export interface PrepareInput {
  /** Prefix and command, `{work_dir}` filled in. */
  argv: readonly string[];
  /** Length of exec_prefix; a `--cidfile` behind it belongs to the agent. */
  prefixLength: number;
  roundId: string;
  owner: string;
  workDir: string;
  logDir: string;
  /** The complete environment that the client would get. */
  env: Record<string, string>;
  /** The supervisor's own environment: says where private folders go. */
  hostEnv: NodeJS.ProcessEnv;
}

export interface Prepared {
  argv: string[];
  /** To be merged over the client's environment: inside the container the control directory stands for log_dir. */
  env: Record<string, string>;
  container: Container;
}

/** Makes a round's folder and puts our options after `run`. null: no container run; the argv is to be used as it is. */
export function prepareContainer(input: PrepareInput): Prepared | null {
  const run = detectContainer(input.argv);
  if (run?.kind !== 'run') return null;
  const options = runOptions(input.argv, run.runIndex);
  const hostFiles = clientReachesUs(run, input.hostEnv.USER);
  const folder = hostFiles ? makeRoundFolder(input.owner, input.roundId, reachable(options, input), input.hostEnv) : null;
  const controlDir = folder !== null && mayBind(run, options, input.env) ? folder.control : null;
  const operators = operatorCidfile(options, run, input);
  const cidfile = operators.present ? operators.path : (folder?.cidfile ?? null);
  const env: Record<string, string> = controlDir === null ? {} : { AGENT_RUNNER_LOG_DIR: CONTROL_MOUNT };
  const clientEnv = { ...input.env, ...env };
  const names = Object.keys(clientEnv).filter(
    (name) => name.startsWith('AGENT_RUNNER_') && (controlDir !== null || name !== 'AGENT_RUNNER_LOG_DIR'),
  );
  return {
    argv: injectOptions(input.argv, run.runIndex, {
      roundId: input.roundId,
      owner: input.owner,
      cidfile: operators.present ? null : cidfile,
      controlDir,
      relabel: options.mounts.some((mount) => mount.relabel),
      // None of these is a secret, so where sudo drops the environment they are spelled out.
      env: names.map((name) => ({ name, value: run.envScrubbed && !run.envKept.includes(name) ? (clientEnv[name] ?? '') : null })),
    }),
    env,
    container: {
      runtime: run.runtime,
      control: run.control,
      env: clientEnv,
      cwd: input.workDir,
      roundId: input.roundId,
      owner: input.owner,
      cidfile,
      cidfileIsOperators: operators.present,
      controlDir,
      folder: folder?.path ?? null,
      removesItself: options.rm,
      memoryLimited: options.memory !== null,
    },
  };
}

/** A bind of our folder means something only where the engine sees this file system, and only where nothing is mounted already. */
function mayBind(run: ContainerRun, options: RunOptions, env: Record<string, string>): boolean {
  const remote = run.remote || isRemoteAddress((run.runtime === 'podman' ? env.CONTAINER_HOST : env.DOCKER_HOST) ?? '');
  const taken = options.mounts.some((mount) => mount.target.replace(/\/+$/, '') === CONTROL_MOUNT);
  return !remote && !taken;
}

/** Scar 16: a `--cidfile` anywhere in the prefix is the operator's, even where the walk over the options did not see it as one. */
function operatorCidfile(options: RunOptions, run: ContainerRun, input: PrepareInput): { present: boolean; path: string | null } {
  if (options.cidfile !== null) return { present: true, path: resolve(input.workDir, options.cidfile) };
  const stray = input.argv.slice(run.runIndex, input.prefixLength).some((token) => token === '--cidfile' || token.startsWith('--cidfile='));
  return { present: stray, path: null };
}

function reachable(options: RunOptions, input: PrepareInput): string[] {
  return [input.workDir, input.logDir, ...options.mounts.map((mount) => mount.source)].map((path) =>
    realPath(resolve(input.workDir, path)),
  );
}
