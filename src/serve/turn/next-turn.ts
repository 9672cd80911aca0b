import { accountOf, type Profile, phaseOf } from '../../config/profile.ts';
import type { Layout } from '../../state/layout.ts';
import { nextRoundNumber } from '../../state/round-number.ts';
import { asStatus, readState } from '../../state/serve-state.ts';
import type { Obstacle } from '../gates/gate.ts';
import type { LoopWorld } from '../world.ts';
import { candidatesOf } from './candidates.ts';
import { planTurn, type Turn } from './plan.ts';

/** A turn that somebody takes, and the number that its round will have; 0 without phases, where nobody needs it. */
export type TakenTurn = Extract<Turn, { kind: 'run' }> & { roundNum: number };

/** Who runs next by what is known now: reads the number of the next round, asks schedules and accounts, and plans. */
export function nextTurn(
  { paths, config, accounts, ignoreSchedule }: LoopWorld,
  now: number,
): TakenTurn | Extract<Turn, { kind: 'closed' }> {
  const { config: inForce } = config.current();
  // Counting costs a look at every log's name, and without phases nobody asks.
  const roundNum = inForce.phases.list.length === 0 ? 0 : roundNumber(paths);
  const candidates = candidatesOf(inForce, {
    inTurn: phaseOf(inForce, roundNum),
    ignoreSchedule,
    schedule: (profile) => scheduleOf(profile, now),
    agent: (agent) => accounts.obstacles(accountOf(agent), agent.env_file),
  });
  const turn = planTurn({ candidates, throttlesWait: inForce.runtime.transient_error_action !== 'skip' });
  return turn.kind === 'run' ? { ...turn, roundNum } : turn;
}

/** A folder that cannot be listed is told by the round that then does not start. */
function roundNumber(paths: Layout): number {
  const last = readState(paths.status, asStatus)?.round_num ?? 0;
  try {
    return nextRoundNumber(paths, last);
  } catch {
    return last + 1;
  }
}

/** The place of `scheduleObstacle`, when there is one: src/serve/schedule/. */
function scheduleOf(_profile: Profile, _now: number): Obstacle | null {
  return null;
}
