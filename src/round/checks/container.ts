import { checkContainer } from '../../container/checks.ts';
import { detectContainer } from '../../container/detect.ts';
import { imagePresent, readGitFile } from '../../container/facts.ts';
import type { ContainerProblem } from '../../container/problem.ts';
import { realPath } from '../../container/real-path.ts';
import { type AgentCommand, agentCommand } from '../agent-commands.ts';
import { type Check, type CheckContext, type CheckResult, pass } from './check.ts';

/** What keeps an agent from working in its container, whatever the round: permanent. Warnings are told elsewhere, once. */
export const containerCanWork: Check = async (context) => {
  const found = await containerProblems(context);
  return found.flatMap(({ label, problems, isRun }): CheckResult[] => {
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (errors.length === 0) return isRun ? [pass(`container_options${label}`)] : [];
    return errors.map(({ name, code, message: reason, remedy }) => {
      return { name: `${name}${label}`, ok: false, permanent: true, code, reason, remedy };
    });
  });
};

interface ProfileProblems {
  label: string;
  problems: ContainerProblem[];
  isRun: boolean;
}

type Asked = Pick<CheckContext, 'loaded' | 'profiles' | 'env'>;

/** Errors and warnings of each profile. Asks the engine only whether an image is there that it may not pull. */
export function containerProblems(asked: Asked): Promise<ProfileProblems[]> {
  const workDir = asked.loaded.config.runtime.work_dir;
  return Promise.all(
    asked.profiles.map(async (labelled) => {
      const command = agentCommand(asked.loaded, labelled, asked.env);
      return problemsOf(asked, command, await imagePresent(command.argv, command.env, workDir));
    }),
  );
}

/** The same from the configuration alone: no engine is asked. */
export function writtenContainerProblems(asked: Asked): ProfileProblems[] {
  return asked.profiles.map((labelled) => problemsOf(asked, agentCommand(asked.loaded, labelled, asked.env), null));
}

function problemsOf(
  { loaded, env }: Asked,
  { label, profile, argv, env: clientEnv }: AgentCommand,
  image: boolean | null,
): ProfileProblems {
  const { work_dir: workDir, log_dir: logDir } = loaded.config.runtime;
  const problems = checkContainer({
    argv,
    prefixLength: profile.agent.exec_prefix.length,
    promptDelivery: profile.agent.prompt_delivery,
    workDir,
    logDir,
    env: clientEnv,
    gitFile: readGitFile(workDir),
    imagePresent: image,
    user: env.USER,
    realPath: (path) => realPath(path, workDir),
  });
  return { label, problems, isRun: detectContainer(argv)?.kind === 'run' };
}
