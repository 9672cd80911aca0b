import type { RoundResult } from '../../round/types.ts';
import type { StreakState } from '../../state/serve-state.ts';
import type { Breaker, BreakerHistory, Stop } from './breaker.ts';
import { brokenAuth } from './broken-auth.ts';
import { configBroken } from './config-broken.ts';
import { crashLoop } from './crash-loop.ts';
import { memLoop } from './mem-loop.ts';
import { stalledNoProgress } from './stalled.ts';

/** In order of precedence: the first that speaks decides the exit code. */
const BREAKERS: readonly Breaker[] = [configBroken, memLoop, crashLoop, stalledNoProgress, brokenAuth];

export function firstStop(streaks: StreakState, result: RoundResult, history: BreakerHistory): Stop | null {
  for (const breaker of BREAKERS) {
    const stop = breaker(streaks, result, history);
    if (stop !== null) return stop;
  }
  return null;
}
