import type { LoadedConfig } from '../config/load.ts';
import type { Clock } from '../util/clock.ts';
import { seconds } from '../util/duration.ts';
import { messageOf } from '../util/errors.ts';
import type { Guard } from './guard.ts';
import { GUARDS } from './list.ts';
import { openScene, type Stage } from './scene.ts';
import { makeScratch } from './scratch.ts';

/** `drill --json`; docs/drill.md describes it. Fields are only ever added. */
export interface DrillReport {
  schema_version: '1.0';
  /** Every guard was tried and works here. */
  ok: boolean;
  /** A signal ended the drill early. */
  interrupted: boolean;
  duration_s: number;
  /** The agent ran behind the user's exec_prefix. */
  exec_prefix: boolean;
  /** False where the work tree could not be cloned and an empty repository stood in for it. */
  cloned: boolean;
  guards: GuardReport[];
}

export interface GuardReport {
  name: string;
  what: string;
  /** Null: not tried, because a round does not work here at all or the drill was interrupted. */
  works: boolean | null;
  detail: string;
  duration_s: number;
}

export interface DrillRequest {
  loaded: LoadedConfig;
  program: readonly [string, ...string[]];
  env: NodeJS.ProcessEnv;
  clock: Clock;
  stop: AbortSignal;
  /** Told of each guard as soon as it was tried. */
  tried: (report: GuardReport) => void;
}

/**
 * Lets the shipped scripted agent try every guard in the user's own set-up: their prefix, their environment, a scratch clone of their work
 * tree, a scratch folder below their log_dir. Ends everything that it started and removes everything that it made.
 */
export async function drill(request: DrillRequest): Promise<DrillReport> {
  const { loaded, clock, env, stop } = request;
  const { agent, runtime } = loaded.config;
  const since = clock.monotonic();
  const prefixed = agent.exec_prefix.length > 0;
  const scratch = await makeScratch(runtime.work_dir, runtime.log_dir, prefixed, env);
  const stage: Stage = { scratch, config: loaded.config, program: request.program, env, clock, stop };
  const guards: GuardReport[] = [];
  try {
    for (const guard of GUARDS) {
      const report = stop.aborted
        ? untried(guard, 'interrupted')
        : guards[0]?.works === false
          ? untried(guard, 'no clean round, so nothing to show')
          : await tryGuard(stage, guard);
      guards.push(report);
      request.tried(report);
    }
  } finally {
    scratch.remove();
  }
  return {
    schema_version: '1.0',
    ok: guards.every(({ works }) => works === true),
    interrupted: stop.aborted,
    duration_s: seconds(clock.monotonic() - since),
    exec_prefix: prefixed,
    cloned: scratch.cloned,
    guards,
  };
}

async function tryGuard(stage: Stage, guard: Guard): Promise<GuardReport> {
  const { clock, stop } = stage;
  const since = clock.monotonic();
  const scene = await openScene(stage, guard.name);
  let outcome: { works: boolean | null; detail: string };
  try {
    outcome = await guard.run(scene);
    if (stop.aborted) outcome = { works: null, detail: 'interrupted' };
  } catch (error) {
    outcome = { works: false, detail: messageOf(error) };
  }
  if (outcome.works !== true) await scene.end();
  return { name: guard.name, what: guard.what, ...outcome, duration_s: seconds(clock.monotonic() - since) };
}

function untried({ name, what }: Guard, detail: string): GuardReport {
  return { name, what, works: null, detail, duration_s: 0 };
}
