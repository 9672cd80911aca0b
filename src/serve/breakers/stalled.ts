import { STREAK_LIMITS, type StreakState } from '../../state/serve-state.ts';
import type { Breaker } from './breaker.ts';

const HEAD_AND_TREE = 'moved neither HEAD nor the tree';

/** The ways to burn a night and to move nothing, the surest sign first. */
const STALLS: readonly { streak: 'stall' | 'no_progress' | 'quiet'; words: (n: number) => string; remedy: string }[] = [
  {
    streak: 'stall',
    words: (n) => `${n} rounds in a row ended at a wall and ${HEAD_AND_TREE}`,
    remedy: 'read the log of the last round; give the agent a smaller task, or a longer round_timeout_s',
  },
  {
    streak: 'no_progress',
    words: (n) => `${n} rounds in a row exited 0 within 30 s, used nothing of a model and ${HEAD_AND_TREE}`,
    remedy: 'read the log of the last round: the agent says that all is well and does nothing; try its command by hand',
  },
  {
    streak: 'quiet',
    words: (n) => `${n} rounds in a row exited 0 within 30 s, told no result and ${HEAD_AND_TREE}`,
    remedy:
      'read the log of the last round: the agent is broken, or has nothing to do; one that has nothing to do ends the loop by .agent-done, or is started by schedule.cron',
  },
];

/** Round after round, and nothing comes of it. */
export const stalledNoProgress: Breaker = (streaks: StreakState) => {
  const found = STALLS.find(({ streak }) => streaks[streak] >= STREAK_LIMITS[streak]);
  if (found === undefined) return null;
  const consecutive = streaks[found.streak];
  return {
    event: 'stalled_no_progress',
    reason: 'stalled_no_progress',
    exit: 'breaker',
    consecutive,
    sentence: found.words(consecutive),
    remedy: found.remedy,
  };
};
