import { hookName } from '../config/hook-name.ts';
import type { LoadedConfig } from '../config/load.ts';
import { messageOf } from '../util/errors.ts';
import { reachOf, watchedOf } from './commands.ts';
import { timeForHook } from './limits.ts';
import { startable } from './programs.ts';
import { type HookFailure, type HookKind, runHook } from './run.ts';
import type { HookWorld } from './world.ts';

export interface Series {
  kind: Exclude<HookKind, 'notify'>;
  loaded: LoadedConfig;
  /** For each hook anew: a later one sees what an earlier one added. */
  payload: () => object;
  /** Aborting gives up the hook that runs and those that wait. */
  signal: AbortSignal;
  roundNum?: number;
  /** After each good end: what is wrong with its output, or null. */
  take?: (stdout: string, truncated: boolean) => string | null;
  /** After each, however it ended. */
  after?: (name: string) => void;
  /** The rest is not run after a failure. */
  stopAtFailure?: boolean;
}

/** Everything that is configured of one kind, without what `plugins.disable` names. */
export function hooksOf({ config }: LoadedConfig, kind: Series['kind']): { name: string; argv: readonly [string, ...string[]] }[] {
  return config.hooks[kind].map((argv) => ({ name: hookName(argv), argv })).filter(({ name }) => !config.plugins.disable.includes(name));
}

/** Runs the hooks of one kind, one after another, within the time of the kind. Failures are `hook_failed`; resolves with them. */
export async function runSeries(world: HookWorld, series: Series): Promise<{ name: string; failure: HookFailure }[]> {
  const { kind, loaded, signal, roundNum, take, after, stopAtFailure = false } = series;
  const reach = reachOf(loaded, world.env);
  const { workDir } = reach;
  const since = world.clock.monotonic();
  const failures: { name: string; failure: HookFailure }[] = [];
  for (const { name, argv } of hooksOf(loaded, kind)) {
    if (signal.aborted || (stopAtFailure && failures.length > 0)) break;
    const failure = await one(name, argv).catch(bugOf);
    after?.(name);
    if (failure === null) continue;
    failures.push({ name, failure });
    world.emit('hook_failed', { hook_name: name, hook_kind: kind, ...failure, ...(roundNum === undefined ? {} : { round_num: roundNum }) });
    world.warn(`hook ${name} (${kind}) ${failure.error_message}`, { hook_kind: kind, hook_name: name });
  }
  return failures;

  async function one(name: string, argv: readonly [string, ...string[]]): Promise<HookFailure | null> {
    const changed = world.programs.changed(argv, reach);
    if (changed.length > 0) return refused(world, kind, name, changed);
    const timeoutMs = timeForHook(world.limits.kindMs - (world.clock.monotonic() - since), world.limits);
    if (timeoutMs === 0) return { error_type: 'no_time_left', error_message: 'was not started: the hooks before it have used the time up' };
    const command = startable(argv, reach);
    if (command === null) return { error_type: 'not_started', error_message: `could not be started: there is no program ${argv[0]}` };
    const end = await runHook(world, { kind, name, argv: command, payload: series.payload(), workDir, timeoutMs, signal });
    if (end.failure !== null) return end.failure;
    const problem = take?.(end.stdout, end.truncated) ?? null;
    return problem === null ? null : { error_type: 'invalid_output', error_message: problem };
  }
}

/**
 * Looks at every program of the user's, after an agent had the chance to change one: what is not run before the next start of serve would
 * otherwise be taken, there, for what it always was.
 */
export function lookAtPrograms(world: HookWorld, loaded: LoadedConfig): void {
  const reach = reachOf(loaded, world.env);
  try {
    for (const { kind, argv } of watchedOf(loaded)) {
      const changed = world.programs.changed(argv, reach);
      if (changed.length > 0) tellChanged(world, kind, hookName(argv), changed);
    }
  } catch (error) {
    world.warn(`programs of hooks could not be looked at: ${messageOf(error)}`);
  }
}

/** Whether the supervisor may load this module: an agent must not have had it in hand. Otherwise that is told, and a person is asked. */
export function mayLoad(world: HookWorld, loaded: LoadedConfig, path: string): boolean {
  const changed = world.programs.changed([path], reachOf(loaded, world.env));
  if (changed.length > 0) tellChanged(world, 'adapter', hookName([path]), changed);
  return changed.length === 0;
}

/** A bug of ours must not cost the round that it was to serve. */
function bugOf(error: unknown): HookFailure {
  return { error_type: 'internal', error_message: `failed within agent-runner: ${messageOf(error)}` };
}

/** A program that an agent may have rewritten is not run before a person has looked at it. */
export function refused(world: HookWorld, kind: HookKind, name: string, paths: string[]): HookFailure {
  tellChanged(world, kind, name, paths);
  return { error_type: 'changed', error_message: `was not run: ${paths.join(', ')} lies where agents write and was changed` };
}

function tellChanged(world: HookWorld, kind: HookKind | 'adapter', name: string, paths: string[]): void {
  if (world.programs.isNews(paths)) world.emit('hook_changed', { hook_name: name, hook_kind: kind, paths });
  world.onChanged(paths);
}
