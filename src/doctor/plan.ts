import { adapterName } from '../agents/registry.ts';
import { agentIdentity, phaseOf, profileFor } from '../config/profile.ts';
import { nextRoundNumber } from '../state/round-number.ts';
import { asStatus, readState } from '../state/serve-state.ts';
import { type ProjectContext, projectCheck } from './check.ts';

export const PHASE_PLAN = 'phase_plan';

/** What one of the next rounds would be. */
export interface PlannedRound {
  round_num: number;
  phase: string | null;
  agent: string;
  adapter: string;
  round_timeout_s: number;
  prompt_files: string[];
  fresh_eyes: boolean;
}

function planRounds({ loaded: { config }, paths }: ProjectContext, rounds: number): PlannedRound[] {
  const first = nextRoundNumber(paths, readState(paths.status, asStatus)?.round_num ?? 0);
  return Array.from({ length: rounds }, (_, i) => {
    const roundNum = first + i;
    const phase = phaseOf(config, roundNum);
    const { agent, runtime, prompt } = profileFor(config, phase);
    const identity = agentIdentity(agent);
    const everyN = config.runtime.fresh_eyes_every_n;
    return {
      round_num: roundNum,
      phase,
      agent: identity,
      adapter: adapterName(identity, agent.adapter),
      round_timeout_s: runtime.round_timeout_s,
      prompt_files: prompt.files,
      fresh_eyes: everyN !== null && roundNum % everyN === 0,
    };
  });
}

export const phasePlan = projectCheck(PHASE_PLAN, 'what the next rounds would be (`--rounds N` of them)', (project, { rounds }) => {
  const plan = planRounds(project, rounds);
  const words = plan.map(({ round_num: number, phase, agent }) => `${number} ${phase === null ? agent : `${phase} (${agent})`}`);
  return [{ status: 'info', summary: words.join(', '), facts: { rounds: plan } }];
});
