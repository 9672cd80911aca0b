import { accountOf, type Profile, profileFor } from '../../config/profile.ts';
import type { Agent, Config } from '../../config/schema.ts';
import type { Obstacle } from '../gates/gate.ts';
import type { Candidate, TurnAgent } from './plan.ts';

/** What holds back a phase, or an account, at the moment. */
export interface TurnFacts {
  /** The phase whose turn it is; null without phases. */
  inTurn: string | null;
  /** `--ignore-schedule`: no window is looked at, and the phase in turn is waited for. */
  ignoreSchedule: boolean;
  schedule(profile: Profile): Obstacle | null;
  agent(agent: Agent): Pick<TurnAgent, 'throttle' | 'refusal'>;
}

/** Who could have the turn: with `phase_policy = "skip"` every phase once, from the one in turn on, else that one alone. Pure. */
export function candidatesOf(config: Config, facts: TurnFacts): [Candidate, ...Candidate[]] {
  const { list, phase_policy: policy } = config.phases;
  const { inTurn, ignoreSchedule } = facts;
  const at = inTurn === null ? -1 : list.indexOf(inTurn);
  const others = policy === 'skip' && !ignoreSchedule && at >= 0 ? [...list.slice(at + 1), ...list.slice(0, at)] : [];
  return [candidate(config, inTurn, facts), ...others.map((phase) => candidate(config, phase, facts))];
}

function candidate(config: Config, phase: string | null, { ignoreSchedule, schedule, agent: obstaclesOf }: TurnFacts): Candidate {
  const profile = profileFor(config, phase);
  const turnAgent = (agent: Agent): TurnAgent => ({ account: accountOf(agent), ...obstaclesOf(agent) });
  return {
    phase,
    schedule: ignoreSchedule ? null : schedule(profile),
    agents: [turnAgent(profile.agent), ...profile.agent.fallback.map(turnAgent)],
  };
}
