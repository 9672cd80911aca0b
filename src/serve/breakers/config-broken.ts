import type { Breaker } from './breaker.ts';

/** What no waiting can mend stops at once. */
export const configBroken: Breaker = (_streaks, { outcome, problems }) =>
  outcome === 'config_broken'
    ? {
        event: 'config_broken',
        reason: 'config_broken',
        exit: 'config',
        consecutive: 1,
        sentence: `a start-up check failed for good: ${problems.join('; ')}`,
        remedy: 'mend what the check names, then start serve again',
      }
    : null;
