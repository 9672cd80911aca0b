import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import type { Layout } from '../state/layout.ts';
import { lookAtJson } from '../state/look.ts';
import type { Clock } from '../util/clock.ts';
import { reachOf, watchedArgvs } from './commands.ts';
import { openHookJournal } from './journal.ts';
import { HOOK_LIMITS, type HookLimits } from './limits.ts';
import { guardPrograms } from './programs.ts';
import type { HookWorld } from './world.ts';

export interface HooksInput {
  paths: Layout;
  clock: Clock;
  emit: Emit;
  env: NodeJS.ProcessEnv;
  loaded: LoadedConfig;
  limits?: HookLimits;
  warn: HookWorld['warn'];
  debug: HookWorld['debug'];
  onChanged: HookWorld['onChanged'];
}

/** For the life of one supervisor; to be opened before the round of a dead one is cleared away, whose record says that it died in one. */
export function openHooks({ paths, clock, emit, env, loaded, limits = HOOK_LIMITS, warn, debug, onChanged }: HooksInput): HookWorld {
  const interrupted = lookAtJson(paths.inFlight).kind !== 'missing';
  const programs = guardPrograms(paths, watchedArgvs(loaded), reachOf(loaded, env), interrupted);
  return { paths, clock, emit, env, limits, journal: openHookJournal(paths), programs, onChanged, warn, debug };
}
