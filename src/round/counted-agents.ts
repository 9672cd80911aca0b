import type { AgentAdapter } from '../agents/adapter.ts';
import { loadAdapter } from '../agents/load-adapter.ts';
import type { LoadedConfig } from '../config/load.ts';
import { agentIdentity, profileFor } from '../config/profile.ts';
import { messageOf } from '../util/errors.ts';

/** An agent that rounds may run, and what its CLI tells of what it uses. */
export interface CountedAgent {
  /** `codex (phase build)`, `pi (fallback 1)`: for people. */
  who: string;
  tokens: boolean;
  cost: AgentAdapter['understands']['cost'];
  /** Why its adapter is not known; then it tells nothing. */
  problem: string | null;
}

/** Every agent that can have a turn: of each phase, or of the base without phases, itself and its fallbacks. */
export async function countedAgents({ config }: LoadedConfig): Promise<CountedAgent[]> {
  const phases = config.phases.list.length === 0 ? [null] : config.phases.list;
  const all = phases.flatMap((phase) => {
    const { fallback } = profileFor(config, phase).agent;
    return [0, ...fallback.map((_, index) => index + 1)].map((nth) => ({ phase, nth, agent: profileFor(config, phase, nth).agent }));
  });
  const found = await Promise.all(
    all.map(async ({ phase, nth, agent }) => {
      // Fallbacks are the same for every phase.
      const place = nth > 0 ? ` (fallback ${nth})` : phase === null ? '' : ` (phase ${phase})`;
      const who = `${agentIdentity(agent)}${place}`;
      try {
        const { tokens, cost } = (await loadAdapter(agentIdentity(agent), agent.adapter, config.runtime.work_dir, config.plugins.disable))
          .understands;
        return { who, tokens, cost, problem: null };
      } catch (error) {
        return { who, tokens: false, cost: false, problem: messageOf(error) };
      }
    }),
  );
  return found.filter(({ who }, index) => found.findIndex((other) => other.who === who) === index);
}

/** The limits that need what a CLI tells, as far as they are set. */
export function countedLimits({ config: { limits } }: LoadedConfig): Record<'cost' | 'tokens', string[]> {
  const set = (...keys: (keyof typeof limits)[]) => keys.filter((key) => limits[key] !== null).map((key) => `limits.${key}`);
  return { cost: set('max_cost_usd_per_day', 'max_cost_usd_total'), tokens: set('max_tokens_per_day') };
}

/** Agents whose price is told for some models alone, while a limit of cost is set: that limit may count too little. */
export async function unsurePrices(loaded: LoadedConfig): Promise<string[]> {
  const { cost: limits } = countedLimits(loaded);
  if (limits.length === 0) return [];
  const unsure = (await countedAgents(loaded)).filter(({ cost }) => cost === 'some models');
  if (unsure.length === 0) return [];
  const who = unsure.map((agent) => agent.who).join(', ');
  return [
    `${limits.join(' and ')} may count too little: ${who} tell${unsure.length === 1 ? 's' : ''} a price for some models alone; limits.max_tokens_per_day counts them all`,
  ];
}
