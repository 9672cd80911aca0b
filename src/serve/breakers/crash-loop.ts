import { STREAK_LIMITS } from '../../state/serve-state.ts';
import type { Breaker } from './breaker.ts';

/** An agent that dies within a minute, again and again, will die the next time too. */
export const crashLoop: Breaker = ({ crash }) =>
  crash >= STREAK_LIMITS.crash
    ? {
        event: 'crash_loop',
        reason: 'crash_loop',
        exit: 'breaker',
        consecutive: crash,
        sentence: `the agent failed ${crash} times in a row within a minute each`,
        remedy: 'read the log of the last round, mend the cause, then start serve again',
      }
    : null;
