import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { execa, type Options } from 'execa';
import { errnoOf, type RunnerError } from '../util/errors.ts';
import { launchOf } from './launch.ts';
import { type Channels, closeChildEnds, closeOwnEnds, openChannels } from './pipe.ts';
import { explainSpawnFailure, unstartable } from './spawn-problem.ts';
import type { RunSpec } from './types.ts';

export interface LeaderExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Started {
  pid: number;
  output: number | Socket;
  input: number | Socket | null;
  exited: Promise<LeaderExit>;
  /** From here on a leader that nothing could end no longer keeps this process alive. */
  forget(): void;
}

export type Start = { kind: 'started'; leader: Started } | { kind: 'failed'; errno: string; problem: RunnerError };

type Subprocess = ChildProcess & PromiseLike<unknown>;

/** Starts the leader in a session and group of its own. Never rejects for anything that the specification can be wrong about. */
export async function spawnLeader(spec: RunSpec): Promise<Start> {
  const channels = await openChannels(spec.stdin !== null);
  const start = await launch(spec, channels);
  if (channels) closeChildEnds(channels);
  if (channels && start.kind === 'failed') closeOwnEnds(channels);
  return start;
}

async function launch(spec: RunSpec, channels: Channels | null): Promise<Start> {
  const failed = (errno: string): Start => ({ kind: 'failed', errno, problem: explainSpawnFailure(errno, spec) });
  const { argv, env } = launchOf(spec, channels === null);
  const [file, ...args] = argv;
  if (file !== spec.argv[0]) {
    // The shell would start, and its exit code 127 would look like the agent's own.
    const errno = unstartable(spec.argv[0]);
    if (errno !== null) return failed(errno);
  }
  const stdin = spec.stdin === null ? 'ignore' : (channels?.input?.child ?? 'pipe');
  const stdio = channels ? [stdin, channels.output.child, channels.output.child] : [stdin, 'pipe', 'ignore'];
  let child: Subprocess;
  try {
    child = execa(file, args, {
      cwd: spec.cwd,
      env,
      extendEnv: false,
      stdio: stdio as unknown as NonNullable<Options['stdio']>, // Its types forget plain descriptor numbers.
      detached: true,
      cleanup: false,
      buffer: false,
      reject: false,
    }) as unknown as Subprocess;
  } catch (error) {
    return failed(errnoOf(error) ?? 'EINVAL'); // A NUL in an argument.
  }
  // For ENOENT there is an `error` event, for E2BIG nothing but execa's promise: it tells both.
  if (child.pid === undefined) return failed(errnoOf(await child) ?? 'EUNKNOWN');
  const exited = new Promise<LeaderExit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  return {
    kind: 'started',
    leader: {
      pid: child.pid,
      output: channels ? channels.output.own : (child.stdout as Socket),
      input: channels?.input ? channels.input.own : (child.stdin as Socket | null),
      exited,
      forget: () => child.unref(),
    },
  };
}
