import { everyAgent } from '../config/profile.ts';
import type { Agent, Config } from '../config/schema.ts';
import { containerStopBudgetS } from '../container/stop.ts';
import { hooksOfKindS } from '../hooks/limits.ts';

/** One part of the time that ending a round may take, for people to add up. */
export interface StopTerm {
  name: string;
  seconds: number;
  why: string;
}

/** Between SIGTERM and SIGKILL for CLIs without a cooperative stop, seconds; the predecessor's REAP_GRACE_S. */
export const REAP_GRACE_S = 5;
/** A cooperative stop may take no longer, seconds: the service manager's patience is counted with it. */
export const LONGEST_COOPERATIVE_GRACE_S = 12;
/** Ten seconds of killing, half a second for helpers to leave, half for the pipe, one for Node's news of the exit. */
const LADDER_S = 12;
/** A commit with the project's own hooks, the longest of git's bounds. */
const COMMIT_S = 120;
/** The predecessor's share for hooks; also without one, because TimeoutStopSec is written before hooks are. */
const LEAST_HOOKS_S = 60;

/** The looks at the tree before and after the agent (10 s each), and what is written at the end. */
export const AROUND_S = 25;

/** What a round of this configuration may take beyond its own wall, whatever its phase. Pure. */
export function beyondTheWall({ agent, phases, hooks }: Config): StopTerm[] {
  const agents = everyAgent({ agent, phases });
  const grace = Math.max(...agents.map(longestGraceS));
  const hooksS = hooksOfKindS(hooks.pre_round.length) + hooksOfKindS(hooks.post_round.length);
  return [
    { name: 'stop grace', seconds: grace, why: 'from the stop signal to SIGKILL: agent.sigterm_grace_s, within 5 and 12 s' },
    { name: 'ladder', seconds: LADDER_S, why: 'killing until nobody of the round lives, and its last output' },
    ...(agents.some(({ exec_prefix: prefix }) => prefix.length > 0)
      ? [{ name: 'container', seconds: containerStopBudgetS(grace), why: 'an engine that stops the container of agent.exec_prefix' }]
      : []),
    { name: 'commit', seconds: COMMIT_S, why: "git commit with the project's hooks, the longest of git's bounds" },
    {
      name: 'hooks',
      seconds: Math.max(LEAST_HOOKS_S, hooksS),
      why: 'each command of hooks.pre_round and hooks.post_round, at most 120 s a list',
    },
  ];
}

/** The outer ceiling of a round, seconds: its wall and everything that may come after it. */
export function roundCeilingS(config: Config, roundTimeoutS: number): number {
  return roundTimeoutS + sumOf(beyondTheWall(config));
}

/** The longest that any round of this configuration may take, all told, seconds. */
export function longestRoundS(config: Config): number {
  return roundCeilingS(config, longestWallS(config)) + AROUND_S;
}

export function longestWallS({ runtime, phases }: Config): number {
  return Math.max(runtime.round_timeout_s, ...Object.values(phases.overrides).map((phase) => phase.round_timeout_s ?? 0));
}

export function sumOf(terms: readonly StopTerm[]): number {
  return terms.reduce((sum, { seconds }) => sum + seconds, 0);
}

function longestGraceS({ sigterm_grace_s }: Agent): number {
  return Math.max(REAP_GRACE_S, Math.min(sigterm_grace_s, LONGEST_COOPERATIVE_GRACE_S));
}
