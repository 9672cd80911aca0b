import { CONSEQUENCES } from '../round/consequences.ts';
import type { Outcome } from '../round/outcome.ts';
import type { StreakState } from '../state/serve-state.ts';
import type { Progress } from './progress.ts';

type Change = 'reset' | 'add' | 'keep';

const apply = (count: number, change: Change): number => (change === 'add' ? count + 1 : change === 'reset' ? 0 : count);

/** A round that proves nothing of the kind neither adds to a streak of rounds without progress nor ends it. */
const NO_PROGRESS: Record<Exclude<Progress, 'seen'>, Change> = { no_usage: 'add', quiet: 'keep', waiting: 'keep', idle: 'keep' };
const QUIET: Record<Exclude<Progress, 'seen'>, Change> = { no_usage: 'keep', quiet: 'add', waiting: 'keep', idle: 'reset' };

/**
 * The streaks after a round: the outcome's row of consequences, plus what only the tree and the ledger can tell. `auth` is by account,
 * see settle. `spendsNothing`: the network failed, and a night of that is no standstill of the work.
 */
export function nextStreaks(
  streaks: StreakState,
  outcome: Outcome,
  moved: boolean,
  { progress = 'seen', spendsNothing = false }: { progress?: Progress; spendsNothing?: boolean } = {},
): StreakState {
  const row = CONSEQUENCES[outcome];
  const ran =
    !spendsNothing && outcome !== 'environment' && outcome !== 'container_error' && outcome !== 'config_broken' && outcome !== 'stopped';
  return {
    crash: apply(streaks.crash, row.crash),
    // A wall that was hit after real work is no stall.
    stall: apply(streaks.stall, row.stall === 'add' && moved ? 'reset' : row.stall),
    no_progress: apply(streaks.no_progress, progress === 'seen' ? row.noProgress : NO_PROGRESS[progress]),
    quiet: apply(streaks.quiet, progress === 'seen' ? (row.noProgress === 'reset' ? 'reset' : 'keep') : QUIET[progress]),
    auth: apply(streaks.auth, row.auth),
    memory: apply(streaks.memory, row.memory),
    environment: apply(streaks.environment, row.environment),
    unmoved: apply(streaks.unmoved, moved ? 'reset' : ran ? 'add' : 'keep'),
  };
}
