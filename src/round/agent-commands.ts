import { readEnvFile } from '../config/env-file.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Profile } from '../config/profile.ts';
import { detectContainer } from '../container/detect.ts';
import { agentArgv, resolveBinary } from './argv.ts';
import { profilesToCheck } from './checks/profiles.ts';
import { agentEnvironment } from './environment.ts';

/** What a profile would start, as far as that is known before a round. */
export interface AgentCommand {
  /** Empty for the base, `:review` for a phase. */
  label: string;
  profile: Profile;
  /** Prefix and command, without a prompt; the program resolved where it can be. */
  argv: [string, ...string[]];
  /** Without what only a round knows. */
  env: Record<string, string>;
}

export function agentCommand(
  { config }: LoadedConfig,
  { label, profile }: { label: string; profile: Profile },
  inherited: NodeJS.ProcessEnv,
): AgentCommand {
  const { work_dir: workDir, log_dir: logDir } = config.runtime;
  const { agent, phase } = profile;
  const round = { roundNum: 0, roundId: '', phase, freshEyes: false };
  const env = agentEnvironment({ inherited, logDir, workDir, ...round, envFile: readableEnvFile(agent.env_file), configured: agent.env });
  const [program, ...args] = agentArgv(agent, '', workDir);
  return { label, profile, argv: [resolveBinary(program, env.PATH, workDir) ?? program, ...args], env };
}

/** Whether any profile of this configuration runs its agent in a container that we can end. */
export function startsContainer(loaded: LoadedConfig): boolean {
  const { work_dir: workDir } = loaded.config.runtime;
  return profilesToCheck(loaded).some(({ profile }) => detectContainer(agentArgv(profile.agent, '', workDir))?.kind === 'run');
}

/** One that cannot be read is told by its own check. */
function readableEnvFile(path: string | null | undefined): Record<string, string> {
  try {
    return path ? readEnvFile(path) : {};
  } catch {
    return {};
  }
}
