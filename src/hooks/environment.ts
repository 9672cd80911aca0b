import { isStripped } from '../util/inherited.ts';

/**
 * The mark by which a hook that outlived its supervisor is found. Not the mark of a round: hooks are the operator's code, and what is
 * refused inside a round (`pause`, `stop`) is theirs to say.
 */
export const HOOK_MARK = 'AGENT_RUNNER_HOOK_ID';

interface HookEnvironment {
  inherited: NodeJS.ProcessEnv;
  logDir: string;
  workDir: string;
  token: string;
}

/** The supervisor's own environment without what belongs to its own world; nothing of the agents' (`agent.env`, `env_file`). */
export function hookEnvironment({ inherited, logDir, workDir, token }: HookEnvironment): Record<string, string> {
  const kept = Object.entries(inherited).filter(([name, value]) => value !== undefined && !isStripped(name)) as [string, string][];
  return { ...Object.fromEntries(kept), AGENT_RUNNER_LOG_DIR: logDir, [HOOK_MARK]: token, PWD: workDir };
}
