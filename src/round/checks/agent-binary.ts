import { resolveBinary } from '../argv.ts';
import { type Check, type CheckResult, pass } from './check.ts';

/** The program that will really be started: the first token of exec_prefix when there is one, else the agent's own. */
export const agentInPath: Check = ({ profiles, env, loaded }) =>
  profiles.map(({ label, profile }): CheckResult => {
    const name = `agent_cli_in_path${label}`;
    const { exec_prefix: prefix, command, env: agentEnv } = profile.agent;
    const program = prefix[0] ?? command[0] ?? '';
    const path = agentEnv.PATH ?? env.PATH;
    if (resolveBinary(program, path, loaded.config.runtime.work_dir)) return pass(name);
    const where = prefix.length > 0 ? 'agent.exec_prefix[0]' : 'agent.command[0]';
    return {
      name,
      ok: false,
      permanent: true,
      code: 'AR-CHK-006',
      reason: `${where} ${JSON.stringify(program)} is not an executable on the agent's PATH`,
      remedy: 'install it, give its absolute path, or set PATH in [agent.env]',
      detail: `PATH now: ${path ?? 'unset'}`,
    };
  });
