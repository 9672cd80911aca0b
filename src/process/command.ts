import type { ChildProcess } from 'node:child_process';
import type { Stream } from 'node:stream';
import { execa } from 'execa';
import { errnoOf } from '../util/errors.ts';

export interface CommandOptions {
  /** Default: the root, because the folder that we were started in may be gone, and then nothing could be started. */
  cwd?: string;
  /** The complete environment; defaults to this process's own. */
  env?: NodeJS.ProcessEnv;
  /** Hard bound, milliseconds: TERM to the command's whole group, KILL after `killAfterMs`. Default 10 s, as for git in the predecessor. */
  timeoutMs?: number;
  killAfterMs?: number;
  /** Text for standard input; without it the command reads /dev/null. */
  input?: string | Buffer;
  /** Kept bytes of each of stdout and stderr; the rest is read and dropped. Default 4 MiB. */
  maxBytes?: number;
  /** How the bytes of both streams become text; `latin1` keeps each byte as one character (file names need not be UTF-8). Default utf8. */
  encoding?: 'utf8' | 'latin1';
  /** Descriptors handed down as 3, 4, ... */
  fds?: number[];
  /** Aborting ends the command like a time-out, without `timedOut`. */
  signal?: AbortSignal;
}

export interface CommandResult {
  /** Exit code, or null when a signal ended it or it never started. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  /** True when more than `maxBytes` came out of either stream. */
  truncated: boolean;
  /** errno when the program could not be started (`ENOENT` also means: the cwd is missing). */
  spawnError: string | null;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_KILL_AFTER_MS = 3_000;
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;
/** A background process that the command left behind may hold its pipe for ever: after `exit` we read this long and no longer. */
const DRAIN_MS = 500;
/** How often a group that was told to end is looked at once its leader is gone. */
const GROUP_CHECK_MS = 25;
/** A process in uninterruptible sleep (a dead network file system) does not even die of KILL: no caller waits for it longer than this. */
const AFTER_KILL_MS = 2_000;

/**
 * The one door for short commands (git, flock, engines, systemctl, hooks): own session, bounded time, bounded output, never a
 * prompt on a terminal. Never rejects: whatever happened is in the result.
 */
export function runCommand(argv: readonly [string, ...string[]], options: CommandOptions = {}): Promise<CommandResult> {
  const { cwd = '/', env = process.env, timeoutMs = DEFAULT_TIMEOUT_MS, killAfterMs = DEFAULT_KILL_AFTER_MS, input, signal } = options;
  const { maxBytes = DEFAULT_MAX_BYTES, encoding = 'utf8' } = options;
  const [file, ...args] = argv;
  const result: CommandResult = { code: null, signal: null, stdout: '', stderr: '', timedOut: false, truncated: false, spawnError: null };

  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = execa(file, args, {
        cwd,
        env: env as Record<string, string>,
        extendEnv: false,
        // execa takes any descriptor; its types know only 0 to 2.
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...((options.fds ?? []) as unknown as 'inherit'[])],
        detached: true,
        cleanup: false,
        buffer: false,
        reject: false,
      }) as unknown as ChildProcess;
    } catch (error) {
      // A NUL in an argument.
      resolve({ ...result, spawnError: errnoOf(error) ?? 'EINVAL' });
      return;
    }

    const stdout = collect(child.stdout, maxBytes);
    const stderr = collect(child.stderr, maxBytes);
    const timers = new Set<NodeJS.Timeout>();
    const after = (ms: number, action: () => void) => timers.add(setTimeout(action, ms));
    const signalGroup = (name: NodeJS.Signals | 0): boolean => {
      try {
        return child.pid !== undefined && process.kill(-child.pid, name);
      } catch {
        return false; // ESRCH: it is gone already.
      }
    };
    let ending = false;
    let killed = false;
    const end = () => {
      if (ending) return;
      ending = true;
      signalGroup('SIGTERM');
      after(killAfterMs, () => {
        killed = true;
        signalGroup('SIGKILL');
        after(AFTER_KILL_MS, finish);
      });
    };
    let exited = false;
    after(timeoutMs, () => {
      if (exited) return;
      result.timedOut = true;
      end();
    });
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });

    let done = false;
    const finish = () => {
      if (done) return;
      // A leader that obeys TERM may leave members that do not: the bound holds for the whole group, so KILL is still due.
      if (ending && !killed && signalGroup(0)) {
        after(GROUP_CHECK_MS, finish);
        return;
      }
      done = true;
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      child.stdout?.destroy();
      child.stderr?.destroy();
      result.stdout = stdout.text(encoding);
      result.stderr = stderr.text(encoding);
      result.truncated = stdout.truncated() || stderr.truncated();
      resolve(result);
    };
    if (child.pid === undefined) {
      // ENOENT arrives as an `error` event, but for E2BIG execa hands out a dummy that never emits one: only its promise tells both.
      (child as unknown as Promise<unknown>).then((failure) => {
        result.spawnError = errnoOf(failure) ?? 'EUNKNOWN';
        finish();
      });
    }
    child.once('exit', (code, exitSignal) => {
      exited = true;
      result.code = code;
      result.signal = exitSignal;
      after(DRAIN_MS, finish);
    });
    // Without a process `close` may come before the promise that knows why.
    if (child.pid !== undefined) child.once('close', finish);
    if (input !== undefined && child.stdin) {
      // The command may exit without reading: EPIPE is its right, and without a listener it would end this process.
      child.stdin.on('error', () => {});
      child.stdin.end(input);
    }
  });
}

function collect(stream: (Stream & NodeJS.ReadableStream) | null, maxBytes: number) {
  const chunks: Buffer[] = [];
  let kept = 0;
  let dropped = false;
  stream?.on('data', (chunk: Buffer) => {
    const room = maxBytes - kept;
    if (chunk.length > room) dropped = true;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    kept += Math.min(room, chunk.length);
  });
  stream?.on('error', () => {});
  return { text: (encoding: BufferEncoding) => Buffer.concat(chunks).toString(encoding), truncated: () => dropped };
}
