import { hookName } from '../config/hook-name.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import { eventLine } from '../events/shape.ts';
import { withEither } from '../util/abort.ts';
import { WALL_CLOCK_CHECK_MS } from '../util/clock.ts';
import type { Redact } from '../util/redact.ts';
import { reachOf } from './commands.ts';
import { createDebounce, type Happening, type Told } from './debounce.ts';
import { startable } from './programs.ts';
import { type HookFailure, runHook } from './run.ts';
import type { Notification, StoppedFields } from './schemas.ts';
import { refused } from './series.ts';
import type { HookWorld } from './world.ts';

/** What `peek` would say now, and the command that answers if a person is needed. */
export interface Words {
  sentence: string;
  command: string | null;
}

export interface AnnouncerInput {
  world: HookWorld;
  /** The configuration in force. */
  current: () => LoadedConfig;
  describe: (stopped: boolean) => Words;
  hide: Redact;
}

/** Tells the user's program what happens, beside the loop: no call waits, none fails. */
export interface Announcer {
  /** To be told of every event. */
  offer: Emit;
  /** The last word; resolves when it is said, or when the time for it is over: `now` shortens that. */
  close(stopped: StoppedFields, now: AbortSignal): Promise<void>;
}

/** After `kill`, which waits five seconds for an idle serve. */
const HURRY_MS = 2_000;
/** A program that tells something has nothing to put in order. */
const KILL_AFTER_MS = 500;
/** Less is no time to tell anything. */
const LEAST_MS = 250;

export function openAnnouncer({ world, current, describe, hide }: AnnouncerInput): Announcer {
  const { clock, limits } = world;
  const debounce = createDebounce();
  const closing = new AbortController();
  /** Ends what is being told when serve ends, in time for the last word. */
  const cut = new AbortController();
  /** Set when serve ends: monotonic time after which nothing is begun. */
  let deadline = Number.POSITIVE_INFINITY;
  let news = new AbortController();
  let pumps = false;
  let pumping: Promise<void> = Promise.resolve();

  const wants = (event: string) => {
    const { command, on } = current().config.notify;
    return command !== null && on.includes(event);
  };

  const pump = async () => {
    while (!closing.signal.aborted) {
      const next = debounce.take(clock.monotonic());
      if (next !== null) {
        await tell(next, false, cut.signal);
        continue;
      }
      const at = debounce.nextAt(clock.monotonic());
      if (at === null) break;
      news = new AbortController();
      const pauseMs = Math.min(at - clock.monotonic(), WALL_CLOCK_CHECK_MS);
      await withEither([closing.signal, news.signal], (either) => clock.sleep(pauseMs, either));
    }
    pumps = false;
  };
  const start = () => {
    news.abort();
    if (pumps) return;
    pumps = true;
    pumping = pump();
  };

  const tell = async (told: Told, stopped: boolean, signal: AbortSignal) => {
    try {
      const failure = await send(told, stopped, signal);
      if (failure === null) return;
      const name = hookName(current().config.notify.command ?? []);
      // Into the log alone: a notification of a failed notification would go the same way.
      world.emit('hook_failed', { hook_name: name, hook_kind: 'notify', ...failure });
      world.warn(`notify.command (${name}) ${failure.error_message}`, { hook_kind: 'notify', event: told.event });
    } catch (error) {
      world.warn(`a notification failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  const wordsFor = (event: string, stopped: boolean): Words => {
    try {
      return describe(stopped);
    } catch {
      // The state cannot be read: what happened is told all the same.
      return { sentence: `${event} in ${current().project}`, command: null };
    }
  };

  const send = async (told: Told, stopped: boolean, signal: AbortSignal): Promise<HookFailure | null> => {
    const loaded = current();
    const { command } = loaded.config.notify;
    if (command === null) return null;
    const name = hookName(command);
    const reach = reachOf(loaded, world.env);
    const { workDir } = reach;
    const changed = world.programs.changed(command, reach);
    if (changed.length > 0) return refused(world, 'notify', name, changed);
    const timeoutMs = Math.min(limits.notifyMs, deadline - clock.monotonic());
    if (timeoutMs < LEAST_MS) return { error_type: 'no_time_left', error_message: `could not tell '${told.event}': serve ends` };
    const argv = startable(command, reach);
    if (argv === null) return { error_type: 'not_started', error_message: `could not be started: there is no program ${command[0]}` };
    const payload = payloadOf(told, loaded, wordsFor(told.event, stopped), hide);
    const call = { kind: 'notify', name, argv, payload, workDir, timeoutMs, killAfterMs: KILL_AFTER_MS, signal } as const;
    return (await runHook(world, call)).failure;
  };

  return {
    offer(kind, fields) {
      if (closing.signal.aborted || !wants(kind)) return;
      try {
        debounce.offer(happeningOf(kind, fields, clock.now(), hide), clock.monotonic());
        start();
      } catch (error) {
        world.warn(`a notification failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    async close(stopped, now) {
      closing.abort();
      const over = new AbortController();
      const enough = new AbortController();
      const timers: Promise<void>[] = [];
      const endWithin = (ms: number) => {
        deadline = Math.min(deadline, clock.monotonic() + ms);
        timers.push(clock.sleep(ms / 2, over.signal).then(() => cut.abort()));
        timers.push(clock.sleep(ms, over.signal).then(() => enough.abort()));
      };
      // It may come while the last word is being said.
      const hurry = () => endWithin(HURRY_MS);
      endWithin(limits.notifyCloseMs);
      if (now.aborted) hurry();
      else now.addEventListener('abort', hurry, { once: true });
      await pumping;
      // In the order in which it happened, as long as half of the time lasts; the other half is for the end.
      const left = debounce.drain();
      while (left[0] !== undefined && !cut.signal.aborted) await tell(left.shift() as Told, true, cut.signal);
      if (wants('stopped')) await tell({ ...happeningOf('stopped', stopped, clock.now(), hide), repeated: 0 }, true, enough.signal);
      for (const one of left) await tell(one, true, enough.signal);
      now.removeEventListener('abort', hurry);
      over.abort();
      await Promise.all(timers);
    },
  };
}

/** In the form in which the log has it: redacted and bounded. */
function happeningOf(event: string, fields: object, now: number, hide: Redact): Happening {
  const { ts, event: _, ...own } = JSON.parse(eventLine(event, { ...fields }, now, hide)) as { ts: string; event: string };
  return { event, ts, fields: own };
}

function payloadOf({ event, ts, fields, repeated }: Told, loaded: LoadedConfig, words: Words, hide: Redact): Notification {
  const { work_dir, log_dir } = loaded.config.runtime;
  return {
    schema_version: '1.0',
    event,
    ts,
    project: loaded.project,
    config_path: loaded.path,
    work_dir,
    log_dir,
    sentence: hide(words.sentence),
    command: words.command,
    repeated,
    fields,
  };
}
