import { STREAK_LIMITS } from '../../state/serve-state.ts';
import type { Breaker } from './breaker.ts';

/** Five walls in a row without a trace in the tree: the agent burns time and moves nothing. */
export const stalledNoProgress: Breaker = ({ stall, no_progress: noProgress }) => {
  const consecutive = Math.max(stall, noProgress);
  if (consecutive < STREAK_LIMITS.stall) return null;
  return {
    event: 'stalled_no_progress',
    reason: 'stalled_no_progress',
    exit: 'breaker',
    consecutive,
    sentence: `${consecutive} rounds in a row ended at a wall and moved neither HEAD nor the tree`,
    remedy: 'read the log of the last round; give the agent a smaller task, or a longer round_timeout_s',
  };
};
