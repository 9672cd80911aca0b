import { realpathSync } from 'node:fs';
import { RunnerError } from '../util/errors.ts';

/**
 * Throws AR-CLI-004 when this command was started by the agent of a running round of the same log_dir: a person's word (`ack`,
 * `resume`, `stop` ...) must come from a person. It keeps an honest agent from a mistake; it is no wall against one that clears its
 * environment.
 */
export function refuseInsideRound(verb: string, logDir: string, env: NodeJS.ProcessEnv = process.env): void {
  const { AGENT_RUNNER_ROUND_ID: roundId, AGENT_RUNNER_LOG_DIR: theirs } = env;
  if (!roundId || !theirs || real(theirs) !== real(logDir)) return;
  throw new RunnerError({
    code: 'AR-CLI-004',
    message: `'${verb}' is refused inside a round: it is for the person who watches over ${logDir}`,
    remedy: 'leave it to them; an agent that wants to stop writes its reason into $AGENT_RUNNER_LOG_DIR/.agent-done',
  });
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
