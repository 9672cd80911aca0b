import { runCommand } from '../process/command.ts';
import type { Notifier } from '../serve/notifier.ts';
import { type Clock, kernelMonotonicUs } from '../util/clock.ts';

/** Sends assignments (`READY=1`, `STATUS=...`) as one message; resolves with what went wrong, or null. */
export type Send = (assignments: readonly string[]) => Promise<string | null>;

export interface NotifyInput {
  send: Send;
  /** The service manager acts when it has heard nothing for so long; null = it does not watch. */
  watchdogMs: number | null;
  clock: Clock;
  /** What is going on, in one line. */
  sentence(): string;
  /** Told once each: a message that did not arrive, a loop that does not move. */
  problem(words: string): void;
}

/** The state files that the sentence is made from are written a moment after a step begins. */
const STATUS_AFTER_MS = 1_000;
/** systemd shows one line of it. */
const LONGEST_STATUS = 250;
/** The last words are waited for this long. */
const CLOSE_WITHIN_MS = 3_000;

export function openNotifier({ send, watchdogMs, clock, sentence, problem }: NotifyInput): Notifier {
  const told = new Set<string>();
  const tell = (kind: string, words: string) => {
    if (told.has(kind)) return;
    told.add(kind);
    problem(words);
  };
  let sending: Promise<void> = Promise.resolve();
  let waiting = 0;
  let closed = false;
  const post = (assignments: readonly string[]) => {
    if (closed) return;
    waiting += 1;
    sending = sending.then(async () => {
      const failure = await send(assignments);
      waiting -= 1;
      if (failure !== null) tell('message', `the service manager could not be told ${assignments[0]}: ${failure}`);
    });
  };

  let lastStatus = '';
  const status = (): string[] => {
    const words = oneLine(sentence());
    if (words === lastStatus) return [];
    lastStatus = words;
    return [`STATUS=${words}`];
  };

  let stepEnds = Number.POSITIVE_INFINITY;
  const ping = () => {
    // One that is still on its way is not overtaken: a machine that cannot start a process for minutes must not collect hundreds of them.
    if (waiting > 0) return;
    if (clock.monotonic() <= stepEnds) post(['WATCHDOG=1', ...status()]);
    else tell('stuck', 'the loop has not moved within the time of its step: the watchdog is no longer kept quiet');
  };
  let pings: NodeJS.Timeout | null = null;
  let statusTimer: NodeJS.Timeout | null = null;
  return {
    ready() {
      post(['READY=1', ...status()]);
      if (watchdogMs !== null) pings ??= setInterval(ping, watchdogMs / 3).unref();
    },
    step(withinMs) {
      stepEnds = clock.monotonic() + withinMs;
      statusTimer ??= setTimeout(() => {
        statusTimer = null;
        const assignments = status();
        if (assignments.length > 0) post(assignments);
      }, STATUS_AFTER_MS).unref();
    },
    reloaded() {
      post(['RELOADING=1', `MONOTONIC_USEC=${kernelMonotonicUs()}`]);
      post(['READY=1']);
    },
    stopping: () => post(['STOPPING=1']),
    async close() {
      if (pings !== null) clearInterval(pings);
      if (statusTimer !== null) clearTimeout(statusTimer);
      closed = true;
      const enough = new AbortController();
      await Promise.race([sending, clock.sleep(CLOSE_WITHIN_MS, enough.signal)]);
      enough.abort();
    },
  };
}

function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_STATUS);
}

/** What systemd has put into the environment of a service for this very process. */
export interface NotifyEnvironment {
  socket: string;
  watchdogMs: number | null;
}

/**
 * Reads NOTIFY_SOCKET and WATCHDOG_* and takes them out of `env`: nobody whom we start has anything to say there. Null outside of a
 * service of Type=notify.
 */
export function takeNotifyEnvironment(env: NodeJS.ProcessEnv, pid: number = process.pid): NotifyEnvironment | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: interval, WATCHDOG_PID: watched } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  if (!socket || !/^[/@]/.test(socket)) return null;
  const watchdogMs = Number(interval) / 1000;
  const forUs = watched === undefined || Number(watched) === pid;
  return { socket, watchdogMs: forUs && Number.isFinite(watchdogMs) && watchdogMs > 0 ? watchdogMs : null };
}

/** By the program that comes with systemd: Node has no datagram sockets of the unix family (docs/decisions/notify.md). */
export function systemdNotify(socket: string, path: string | undefined = process.env.PATH): Send {
  return async (assignments) => {
    const env = { NOTIFY_SOCKET: socket, PATH: path };
    const { code, stderr, spawnError } = await runCommand(['systemd-notify', ...assignments], { env, timeoutMs: 5_000 });
    if (spawnError !== null) return `systemd-notify cannot be started (${spawnError})`;
    return code === 0 ? null : stderr.trim().split('\n', 1)[0] || `systemd-notify ended with ${code}`;
  };
}
