import { basename } from 'node:path';
import type { Agent, Config, Prompt, Runtime, Schedule } from './schema.ts';

/** What one round runs with: a phase laid over the base. Parts that the phase does not change are the base's own objects. */
export interface Profile {
  phase: string | null;
  agent: Agent;
  runtime: Pick<Runtime, 'round_timeout_s' | 'disable_pre_round_hooks'>;
  prompt: Prompt;
  schedule: Schedule;
}

export function profileFor(config: Config, phase: string | null): Profile {
  const { overrides } = config.phases;
  // A phase may be called like something that every object inherits.
  const own = phase !== null && Object.hasOwn(overrides, phase) ? overrides[phase] : undefined;
  return {
    phase,
    agent: own?.agent ?? config.agent,
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
export function agentIdentity(agent: Pick<Agent, 'command'>): string {
  return basename(agent.command[0]);
}
