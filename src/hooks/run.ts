import { type CommandResult, runCommand } from '../process/command.ts';
import { reapMembers } from '../run/recover.ts';
import { HOOK_MARK, hookEnvironment } from './environment.ts';
import type { HookWorld } from './world.ts';

export type HookKind = 'serve_start' | 'pre_round' | 'post_round' | 'notify';

export interface HookCall {
  kind: HookKind;
  name: string;
  /** The program already resolved. */
  argv: readonly [string, ...string[]];
  /** Written to its standard input as one line of JSON. */
  payload: object;
  workDir: string;
  /** To SIGTERM; SIGKILL follows, to its group and to whoever carries its mark. */
  timeoutMs: number;
  /** From there to SIGKILL; default: the limit of hooks. */
  killAfterMs?: number;
  /** Aborting ends it now. */
  signal?: AbortSignal;
}

/** What is wrong, as `hook_failed` tells it. */
export interface HookFailure {
  error_type:
    | 'timeout'
    | 'exit_status'
    | 'signal'
    | 'not_started'
    | 'given_up'
    | 'no_time_left'
    | 'invalid_output'
    | 'changed'
    | 'internal';
  error_message: string;
  /** What it said on standard error, head and tail. */
  traceback?: string;
}

export interface HookEnd {
  stdout: string;
  /** Some of the output is not there. */
  truncated: boolean;
  failure: HookFailure | null;
}

/** Kept of each stream. A context has room in a quarter of it, a message of an error needs less. */
const MOST_OUTPUT_BYTES = 64 * 1024;
/** Of standard error in `hook_failed`, at each end; as the predecessor's tracebacks. */
const TRACEBACK_PART = 1000;

/**
 * Runs one program of the user's: JSON on its standard input, bounded time and output, everything of it ended when it does not end by
 * itself. Never rejects. A daemon that it left behind after a good end is its own affair and holds nothing up.
 */
export async function runHook(world: HookWorld, call: HookCall): Promise<HookEnd> {
  const { kind, name, argv, payload, workDir, timeoutMs, killAfterMs = world.limits.killAfterMs, signal } = call;
  const token = world.journal.begin(kind, name);
  const env = hookEnvironment({ inherited: world.env, logDir: world.paths.logDir, workDir, token });
  const since = world.clock.monotonic();
  const result = await runCommand(argv, {
    cwd: workDir,
    env,
    input: `${JSON.stringify(payload)}\n`,
    timeoutMs,
    killAfterMs,
    maxBytes: MOST_OUTPUT_BYTES,
    ...(signal ? { signal } : {}),
  });
  // What left its group before the time was up is not reached by the signals of its group.
  if (result.timedOut || signal?.aborted) await reapMembers({ mark: { name: HOOK_MARK, value: token }, graceMs: 0, clock: world.clock });
  world.journal.end(token);
  const failure = failureOf(result, timeoutMs, signal?.aborted === true);
  const ms = Math.round(world.clock.monotonic() - since);
  world.debug(`hook ${name} (${kind}) ${failure === null ? 'ended well' : failure.error_message} after ${ms} ms`, {
    hook_kind: kind,
    hook_name: name,
    stderr: result.stderr.slice(-TRACEBACK_PART),
  });
  return { stdout: result.stdout, truncated: result.truncated, failure };
}

function failureOf({ code, signal, stderr, timedOut, spawnError }: CommandResult, timeoutMs: number, aborted: boolean): HookFailure | null {
  const traceback = headAndTail(stderr);
  const said = traceback === '' ? {} : { traceback };
  if (spawnError !== null) return { error_type: 'not_started', error_message: `could not be started: ${spawnError}` };
  if (timedOut) return { error_type: 'timeout', error_message: `did not end within ${timeoutMs / 1000} s and was ended`, ...said };
  if (code === 0) return null;
  if (aborted) return { error_type: 'given_up', error_message: 'was ended because serve or the round is to end', ...said };
  if (signal !== null) return { error_type: 'signal', error_message: `was ended by ${signal}`, ...said };
  return { error_type: 'exit_status', error_message: `exited with ${code}`, ...said };
}

function headAndTail(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= 2 * TRACEBACK_PART) return trimmed;
  return `${trimmed.slice(0, TRACEBACK_PART)}\n...\n${trimmed.slice(-TRACEBACK_PART)}`;
}
