import { isStripped } from '../util/inherited.ts';

/** Where the agent finds what the supervisor knows; the round id is also the mark by which escapees are found. */
export const ROUND_MARK = 'AGENT_RUNNER_ROUND_ID';

export interface AgentEnvironment {
  inherited: NodeJS.ProcessEnv;
  logDir: string;
  roundNum: number;
  roundId: string;
  phase: string | null;
  freshEyes: boolean;
  /** `agent.env_file`, already parsed. */
  envFile: Record<string, string>;
  /** `[agent.env]`. */
  configured: Record<string, string>;
  workDir: string;
}

/** The complete environment of an agent, in the order in which later entries win; PWD is pinned last and cannot be overridden. */
export function agentEnvironment(input: AgentEnvironment): Record<string, string> {
  const kept = Object.entries(input.inherited).filter(([name, value]) => value !== undefined && !isStripped(name)) as [string, string][];
  return {
    ...Object.fromEntries(kept),
    AGENT_RUNNER_LOG_DIR: input.logDir,
    AGENT_RUNNER_ROUND_NUM: String(input.roundNum),
    AGENT_RUNNER_PHASE: input.phase ?? '',
    AGENT_RUNNER_FRESH_EYES: input.freshEyes ? '1' : '0',
    ...input.envFile,
    ...input.configured,
    [ROUND_MARK]: input.roundId,
    PWD: input.workDir,
  };
}
