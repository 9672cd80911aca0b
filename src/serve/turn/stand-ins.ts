import { accountOf, profileFor } from '../../config/profile.ts';
import type { Agent, Config } from '../../config/schema.ts';

/** Accounts that could take the turn of this phase, in order, each once: of its agents and, where phases are skipped, of all others'. */
export function accountsInReach(config: Config, phase: string | null): string[] {
  const { phases } = config;
  const reachable = phases.phase_policy === 'skip' ? [phase, ...phases.list.filter((other) => other !== phase)] : [phase];
  return [...new Set(reachable.flatMap((name) => agentsOf(config, name)).map(accountOf))];
}

/** All agents that any turn of this loop could be given to. */
export function agentsInTurn(config: Config): Agent[] {
  const { list } = config.phases;
  return list.length === 0 ? agentsOf(config, null) : list.flatMap((phase) => agentsOf(config, phase));
}

function agentsOf(config: Config, phase: string | null): Agent[] {
  const { agent } = profileFor(config, phase);
  return [agent, ...agent.fallback];
}
