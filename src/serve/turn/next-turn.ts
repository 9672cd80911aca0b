import { accountOf, phaseOf } from '../../config/profile.ts';
import { expectedRoundNumber } from '../../state/round-number.ts';
import { scheduleObstacle } from '../schedule/obstacle.ts';
import type { LoopWorld } from '../world.ts';
import { candidatesOf } from './candidates.ts';
import { planTurn, type Turn } from './plan.ts';

/** A turn that somebody takes. */
export type TakenTurn = Extract<Turn, { kind: 'run' }>;

/**
 * Who runs next by what is known now: reads the number of the next round, asks schedules and accounts, and plans. `isWoken`: a person said
 * now, which one round starts by whatever the schedule says.
 */
export function nextTurn({ paths, config, accounts, ignoreSchedule, starts }: LoopWorld, now: number, { isWoken = false } = {}): Turn {
  const { config: inForce } = config.current();
  const candidates = candidatesOf(inForce, {
    // Counting costs a look at every log's name, and without phases nobody asks.
    inTurn: inForce.phases.list.length === 0 ? null : phaseOf(inForce, expectedRoundNumber(paths)),
    ignoreSchedule,
    schedule: ({ schedule, phase }) => (isWoken ? null : scheduleObstacle(schedule, phase, now, starts.lastStart(schedule))),
    agent: (agent) => accounts.obstacles(accountOf(agent), agent.env_file),
  });
  return planTurn({ candidates, throttlesWait: inForce.runtime.transient_error_action !== 'skip' });
}
