import { basename } from 'node:path';
import type { Agent, Config, Prompt, Runtime, Schedule } from './schema.ts';

/** What one round runs with: a phase laid over the base. Parts that the phase does not change are the base's own objects. */
export interface Profile {
  phase: string | null;
  agent: Agent;
  /** Which of the phase's agents that is: 0 its own, n the n-th of `agent.fallback`. */
  fallback: number;
  runtime: Pick<Runtime, 'round_timeout_s' | 'disable_pre_round_hooks'>;
  prompt: Prompt;
  schedule: Schedule;
}

/** `fallback`: 0 for the phase's own agent, n for the n-th of its fallbacks; one that is not there is the own agent. */
export function profileFor(config: Config, phase: string | null, fallback = 0): Profile {
  const { overrides } = config.phases;
  // A phase may be called like something that every object inherits.
  const own = phase !== null && Object.hasOwn(overrides, phase) ? overrides[phase] : undefined;
  const agent = own?.agent ?? config.agent;
  const standIn = agent.fallback[fallback - 1];
  return {
    phase,
    agent: standIn ?? agent,
    fallback: standIn === undefined ? 0 : fallback,
    runtime: {
      round_timeout_s: own?.round_timeout_s ?? config.runtime.round_timeout_s,
      disable_pre_round_hooks: own?.disable_pre_round_hooks ?? config.runtime.disable_pre_round_hooks,
    },
    prompt: own?.prompt ?? config.prompt,
    schedule: own?.schedule ?? config.schedule,
  };
}

/** The phase whose turn round `roundNum` (from 1) is, or null without phases. */
export function phaseOf(config: Config, roundNum: number): string | null {
  const { list } = config.phases;
  return list.length === 0 ? null : (list[(Math.max(1, roundNum) - 1) % list.length] ?? null);
}

/** What throttles and crash counts key on: never the cosmetic name, never the prefix. */
export function agentIdentity(agent: { command: readonly [string, ...string[]] }): string {
  return basename(agent.command[0]);
}

/** Scope of throttles and refused logins. */
export function accountOf(agent: Parameters<typeof agentIdentity>[0] & Pick<Agent, 'account'>): string {
  return agent.account ?? agentIdentity(agent);
}

/** Every agent that a round may run: the base one, those of phases, and their fallbacks. */
export function everyAgent({ agent, phases }: Pick<Config, 'agent' | 'phases'>): Agent[] {
  const own = [agent, ...Object.values(phases.overrides).flatMap((phase) => phase.agent ?? [])];
  return own.flatMap((one) => [one, ...one.fallback]);
}
