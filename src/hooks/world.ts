import type { Emit } from '../events/emit.ts';
import type { Layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import type { HookJournal } from './journal.ts';
import type { HookLimits } from './limits.ts';
import type { ProgramGuard } from './programs.ts';

/** What runs of the user's own programs have in common, in the life of one supervisor. */
export interface HookWorld {
  paths: Layout;
  clock: Clock;
  /** The log itself: a failure of the user's program is never notified by that program. */
  emit: Emit;
  /** The supervisor's; hooks get it cleaned. */
  env: NodeJS.ProcessEnv;
  limits: HookLimits;
  journal: HookJournal;
  programs: ProgramGuard;
  /** A program that agents can write is not what it was: a person is to be asked. */
  onChanged(paths: string[]): void;
  /** One line for whoever watches: something did not work. */
  warn(words: string, fields?: Record<string, unknown>): void;
  debug(words: string, fields?: Record<string, unknown>): void;
}
