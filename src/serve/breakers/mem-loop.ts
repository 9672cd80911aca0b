import { STREAK_LIMITS } from '../../state/serve-state.ts';
import type { Breaker } from './breaker.ts';

/** Loops within two hours, this one included, that a restart will not mend (the predecessor's rule). */
const PERSISTENT_LOOPS = 3;
export const LOOP_WINDOW_MS = 2 * 3600 * 1000;

/**
 * Five rounds in a row that were ended for memory: whatever leaks may be the supervisor, or ends with it, so serve exits with a code that
 * the service manager answers with a restart. The third such loop within two hours is no accident: then it stays down.
 */
export const memLoop: Breaker = ({ memory }, _result, { memLoops }) => {
  if (memory < STREAK_LIMITS.memory) return null;
  const loops = memLoops() + 1;
  if (loops >= PERSISTENT_LOOPS) {
    return {
      event: 'mem_loop_persistent',
      reason: 'mem_loop_persistent',
      exit: 'memLoopPersistent',
      consecutive: loops,
      sentence: `${loops} memory loops within two hours, of ${STREAK_LIMITS.memory} rounds each that were ended for memory`,
      remedy: 'give the host more memory or the agent a smaller task (docs/memory.md), then start serve again',
    };
  }
  return {
    event: 'mem_loop',
    reason: 'mem_loop',
    exit: 'memLoop',
    consecutive: memory,
    sentence: `${memory} rounds in a row were ended for memory (memory loop ${loops} within two hours; serve stays down at ${PERSISTENT_LOOPS})`,
    remedy: 'the service manager starts serve again; without one, start it again',
  };
};
