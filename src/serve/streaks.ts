import { CONSEQUENCES } from '../round/consequences.ts';
import type { Outcome } from '../round/outcome.ts';
import type { StreakState } from '../state/serve-state.ts';

type Change = 'reset' | 'add' | 'keep';

const apply = (count: number, change: Change): number => (change === 'add' ? count + 1 : change === 'reset' ? 0 : count);

/**
 * The streaks after a round: the outcome's row of consequences, plus what only the tree can tell. `auth` is by account, see settle.
 * `spendsNothing`: the network failed, and a night of that is no standstill of the work.
 */
export function nextStreaks(streaks: StreakState, outcome: Outcome, moved: boolean, { spendsNothing = false } = {}): StreakState {
  const row = CONSEQUENCES[outcome];
  const ran =
    !spendsNothing && outcome !== 'environment' && outcome !== 'container_error' && outcome !== 'config_broken' && outcome !== 'stopped';
  return {
    crash: apply(streaks.crash, row.crash),
    // A wall that was hit after real work is no stall.
    stall: apply(streaks.stall, row.stall === 'add' && moved ? 'reset' : row.stall),
    no_progress: apply(streaks.no_progress, row.noProgress),
    auth: apply(streaks.auth, row.auth),
    memory: apply(streaks.memory, row.memory),
    environment: apply(streaks.environment, row.environment),
    unmoved: apply(streaks.unmoved, moved ? 'reset' : ran ? 'add' : 'keep'),
  };
}
