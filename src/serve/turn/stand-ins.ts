import { accountOf, profileFor } from '../../config/profile.ts';
import type { Config } from '../../config/schema.ts';

/** Accounts that could take the turn of this phase, in order, each once: of its agents and, where phases are skipped, of all others'. */
export function accountsInReach(config: Config, phase: string | null): string[] {
  const { phases } = config;
  const reachable = phases.phase_policy === 'skip' ? [phase, ...phases.list.filter((other) => other !== phase)] : [phase];
  const all = reachable.flatMap((name) => {
    const { agent } = profileFor(config, name);
    return [agent, ...agent.fallback].map(accountOf);
  });
  return [...new Set(all)];
}
