import { guardModules } from '../agents/load-adapter.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import { type Announcer, openAnnouncer, type Words } from '../hooks/announcer.ts';
import { commandsOf, reachOf, watchedArgvs } from '../hooks/commands.ts';
import { projectFacts } from '../hooks/facts.ts';
import { openHooks } from '../hooks/open.ts';
import { filesInReach, missingScript, startable } from '../hooks/programs.ts';
import type { ServeStartInput } from '../hooks/schemas.ts';
import { mayLoad, runSeries } from '../hooks/series.ts';
import type { HookWorld } from '../hooks/world.ts';
import type { Layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import { messageOf, RunnerError } from '../util/errors.ts';
import { exitCode } from '../util/exit-codes.ts';
import { version } from '../util/package.ts';
import type { Redact } from '../util/redact.ts';
import type { Logger } from './log.ts';
import { askPerson } from './person.ts';
import type { StopSignals } from './signals.ts';
import type { LoopEnd } from './world.ts';

export interface UserProgramsInput {
  paths: Layout;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  log: Logger;
  loaded: LoadedConfig;
  signals: StopSignals;
  hide: Redact;
  /** The event log itself. */
  record: Emit;
  describe(stopped: boolean): Words;
}

/** What `serve` runs on behalf of its user: hooks and notifications. Nothing of it can hurt the loop. */
export interface UserPrograms {
  /** Writes an event and tells the user's program, if it wants to know. */
  emit: Emit;
  hooks: HookWorld;
  /** From now on this is the configuration in force. */
  follow(current: () => LoadedConfig): void;
  /** Says what is remarkable about the programs of the configuration in force. */
  remark(): void;
  /** The serve_start hooks: why serve must not go on, or null. */
  startUp(loaded: LoadedConfig): Promise<LoopEnd | null>;
  /** The last word, within the bound of the stop budget. */
  close(end: LoopEnd): Promise<void>;
  /** The same for an end that nobody has planned. */
  closeAfter(error: unknown): Promise<void>;
}

export function openUserPrograms(input: UserProgramsInput): UserPrograms {
  const { paths, clock, env, log, signals, hide, record, describe } = input;
  let current = () => input.loaded;
  let announcer: Announcer | null = null;
  const emit: Emit = (kind, fields) => {
    record(kind, fields);
    announcer?.offer(kind, fields);
  };
  const hooks = openHooks({
    paths,
    clock,
    emit,
    env,
    loaded: input.loaded,
    warn: (words, fields = {}) => log.warn(fields, hide(words)),
    debug: (words, fields = {}) => log.debug({ ...fields, stderr: hide(String(fields.stderr ?? '')) }, hide(words)),
    onChanged: (changed) => askPerson(paths, emit, clock.now(), changedNeed(changed)),
  });
  guardModules((path) => mayLoad(hooks, current(), path));
  const voice = openAnnouncer({ world: { ...hooks, emit: record }, current: () => current(), describe, hide });
  announcer = voice;
  const close = (fields: Parameters<Announcer['close']>[0]) => voice.close(fields, signals.end);

  return {
    emit,
    hooks,
    follow(now) {
      current = now;
    },
    remark() {
      for (const words of remarks(current(), env)) log.warn(words);
    },
    async startUp(loaded) {
      const payload = (): ServeStartInput => ({
        ...projectFacts(loaded),
        hook: 'serve_start',
        version: version(),
        pid: process.pid,
        config_digest: loaded.digest,
        phases: loaded.config.phases.list,
      });
      const [failed] = await runSeries(hooks, { kind: 'serve_start', loaded, payload, signal: signals.drain, stopAtFailure: true });
      return failed === undefined || signals.drain.aborted ? null : refusedStart(failed.name, failed.failure.error_message);
    },
    close: ({ reason, exitCode: exit_code, sentence, remedy, roundsCompleted: rounds_completed, logPath: log_path }) =>
      close({ reason, exit_code, sentence, remedy, rounds_completed, log_path }),
    closeAfter(error) {
      const known = error instanceof RunnerError;
      const exit_code = known ? error.exitCode : exitCode('failure');
      const reason = known ? error.code : 'internal_error';
      return close({
        reason,
        exit_code,
        sentence: messageOf(error),
        remedy: known ? (error.remedy ?? null) : null,
        rounds_completed: 0,
        log_path: null,
      });
    },
  };
}

/** What a person is asked when a program that agents can write is not what it was. */
export function changedNeed(paths: readonly string[]) {
  return {
    reason: 'hooks',
    message: `${paths.join(', ')} was changed since serve started, maybe by an agent, and is not run any more: look at it`,
    command: 'agent-runner ack hooks',
  };
}

/** What is said at each start: a program that is not there, and one in the work tree, which agents can rewrite. */
function remarks(loaded: LoadedConfig, env: NodeJS.ProcessEnv): string[] {
  const reach = reachOf(loaded, env);
  const missing = commandsOf(loaded).flatMap(({ argv }) =>
    startable(argv, reach) === null ? [argv[0]] : (missingScript(argv, reach) ?? []),
  );
  const exposed = watchedArgvs(loaded).flatMap((argv) => filesInReach(argv, reach));
  return [
    ...[...new Set(missing)].map((program) => `there is no program ${program} for a hook or notify.command [AR-HOK-002]`),
    ...[...new Set(exposed)].map(
      (path) =>
        `${path} is run for you and lies where agents write: after a change it is not run before 'agent-runner ack hooks' [AR-HOK-003]`,
    ),
  ];
}

function refusedStart(name: string, what: string): LoopEnd {
  return {
    reason: 'serve_start_hook',
    exitCode: exitCode('config'),
    sentence: `hooks.serve_start: ${name} ${what} [AR-HOK-001]`,
    remedy: 'mend what the hook looks at, or the hook (its words: agent-runner peek --json, recent_hook_failures), then start serve again',
    logPath: null,
    roundsCompleted: 0,
  };
}
