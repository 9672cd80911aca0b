import type { Config } from '../config/schema.ts';
import { NOTIFY_END_S } from '../hooks/limits.ts';
import { AROUND_S, beyondTheWall, longestWallS, type StopTerm, sumOf } from '../round/stop-terms.ts';

export interface StopBudget {
  /** Whole seconds. */
  seconds: number;
  /** What they are made of; the sum of these. */
  terms: StopTerm[];
}

/**
 * How long a graceful stop may take at most, from the first stop signal to the exit of `serve`: it came at the very start of the longest
 * round. The one function behind TimeoutStopSec of the unit, stop_grace_period of compose, and what doctor compares them with; the loop's
 * outer ceiling is the same sum without the last term. Pure.
 */
export function stopBudget(config: Config): StopBudget {
  const terms = [
    { name: 'round', seconds: longestWallS(config), why: 'round_timeout_s, the longest of all phases' },
    ...beyondTheWall(config),
    ...(config.notify.command === null
      ? []
      : [{ name: 'notify', seconds: NOTIFY_END_S, why: 'the last run of notify.command, and one that runs already' }]),
    { name: 'around', seconds: AROUND_S, why: 'the looks at the tree before and after, state and events' },
  ];
  return { seconds: sumOf(terms), terms };
}
