import type { Obstacle } from '../gates/gate.ts';

/** One agent that could take the turn, with what stands in its way. */
export interface TurnAgent {
  /** Scope of throttles and refusals: `agent.account`, else the identity. */
  account: string;
  /** Its account is throttled: a limit, an outage, the network. */
  throttle: Obstacle | null;
  /** Its credentials were refused, and it is not yet time to try them again. */
  refusal: Obstacle | null;
}

/** One phase that could have the turn (null: there are no phases). */
export interface Candidate {
  phase: string | null;
  /** The phase's schedule is closed. */
  schedule: Obstacle | null;
  /** The phase's own agent, then its fallbacks in order. */
  agents: readonly [TurnAgent, ...TurnAgent[]];
}

interface Skipped {
  phase: string;
  by: Obstacle;
}

/** Who runs next, or until when nobody can. */
export type Turn =
  | {
      kind: 'run';
      phase: string | null;
      /** 0: the phase's own agent; n: the n-th of `agent.fallback`. */
      fallback: number;
      /** Phases before it that were stepped over, and why. */
      skipped: Skipped[];
    }
  | { kind: 'closed'; obstacle: Obstacle };

export interface TurnInput {
  /** The phase in turn first; further ones only where `phases.phase_policy = "skip"`. */
  candidates: readonly [Candidate, ...Candidate[]];
  /** False for `transient_error_action = "skip"`: a throttle says whom to prefer and holds nobody back; a network that is down does. */
  throttlesWait: boolean;
}

/**
 * The first phase whose schedule is open and of whose agents one is free: the agent itself, else its fallbacks in order. Where the
 * credentials of everybody were refused there is nobody to stand in, and the first tries again: a breaker counts. With nobody to run,
 * the turn is closed until the first of them can.
 */
export function planTurn({ candidates, throttlesWait }: TurnInput): Turn {
  const everybodyRefused = candidates.every(({ agents }) => agents.every(({ refusal }) => refusal !== null));
  const holds = (throttle: Obstacle | null) => throttle !== null && (throttlesWait || throttle.reason === 'network');
  const free: ((agent: TurnAgent) => boolean)[] = [({ throttle, refusal }) => throttle === null && refusal === null];
  if (!throttlesWait) free.push(({ throttle, refusal }) => !holds(throttle) && refusal === null);
  if (everybodyRefused) free.push(({ throttle }) => !holds(throttle));
  for (const isFree of free) {
    const at = candidates.findIndex(({ schedule, agents }) => schedule === null && agents.some(isFree));
    const chosen = candidates[at];
    if (chosen === undefined) continue;
    const skipped = candidates.slice(0, at).map((candidate) => ({ phase: candidate.phase ?? '', by: obstacleOf(candidate) }));
    return { kind: 'run', phase: chosen.phase, fallback: chosen.agents.findIndex(isFree), skipped };
  }
  return { kind: 'closed', obstacle: extreme(candidates.map(obstacleOf), 'first') };
}

/** What holds the phase back: the schedule, or its agents until the first of them is free, whichever ends later. */
function obstacleOf({ schedule, agents }: Candidate): Obstacle {
  const perAgent = agents.map(({ throttle, refusal }) => lastOf([throttle, refusal]));
  const byAgents = perAgent.every((one) => one !== null) ? extreme(perAgent, 'first') : null;
  return lastOf([schedule, byAgents]) ?? NOBODY_KNOWS;
}

function lastOf(obstacles: readonly (Obstacle | null)[]): Obstacle | null {
  const there = obstacles.filter((one) => one !== null);
  return there.length === 0 ? null : extreme(there, 'last');
}

/** The one that ends first or last; one without an end never does. The earlier in the list where they end together. */
function extreme(obstacles: readonly Obstacle[], which: 'first' | 'last'): Obstacle {
  const sign = which === 'first' ? 1 : -1;
  return obstacles.reduce((best, one) => (sign * (endOf(one) - endOf(best)) < 0 ? one : best));
}

/** Infinity minus itself is no number. */
function endOf({ until }: Obstacle): number {
  return until ?? Number.MAX_VALUE;
}

/** Not reached by a candidate that may not run. */
const NOBODY_KNOWS: Obstacle = { reason: 'throttled', until: null, source: 'turn', sentence: 'no agent may run' };
