import { detectContainer } from '../container/detect.ts';
import { engineVersion } from '../container/engine.ts';
import { cgroupFacts } from '../process/cgroup.ts';
import { agentCommand } from '../round/agent-commands.ts';
import { containerProblems } from '../round/checks/container.ts';
import { stopBudget } from '../service/stop-budget.ts';
import type { ContainerFinding, HostFacts, ProjectContext } from './check.ts';

/** The facts as the parts that act on them find them. */
export function hostFacts(guards: HostFacts['guards']): HostFacts {
  return { containers: containersOf, cgroup: cgroupFacts(), stopBudgetS: ({ config }) => stopBudget(config).seconds, guards };
}

async function containersOf(project: ProjectContext, env: NodeJS.ProcessEnv): Promise<ContainerFinding[]> {
  const { loaded, profiles } = project;
  const problems = (await containerProblems({ loaded, profiles, env })).flatMap(({ label, problems: own }) =>
    own.map(({ severity, code, message, remedy }): ContainerFinding => ({ of: nameOf(label), severity, code, message, remedy })),
  );
  const engines = await Promise.all(profiles.map((labelled) => engineOf(project, labelled, env)));
  return unique([...engines.flat(), ...problems]);
}

/** Does the engine answer, and who is it? */
async function engineOf(
  { loaded }: ProjectContext,
  labelled: ProjectContext['profiles'][number],
  env: NodeJS.ProcessEnv,
): Promise<ContainerFinding[]> {
  const { argv, env: clientEnv } = agentCommand(loaded, labelled, env);
  const run = detectContainer(argv);
  if (run?.kind !== 'run') return [];
  const { runtime, control } = run;
  const answer = await engineVersion({ runtime, control, env: clientEnv, cwd: loaded.config.runtime.work_dir });
  const of = nameOf(labelled.label);
  if (answer.ok)
    return [{ of, severity: 'ok', message: `${runtime} ${answer.stdout} answers`, facts: { runtime, version: answer.stdout } }];
  return [
    {
      of,
      severity: 'error',
      message: `${runtime} does not answer: ${answer.detail}`,
      remedy: 'start the engine, or give this user access to it',
      facts: { runtime },
    },
  ];
}

function nameOf(label: string): string {
  return label.replace(/^:/, '') || 'base';
}

/** A phase mostly shares the prefix of the base: the same thing is told once, of the first. */
function unique(findings: readonly ContainerFinding[]): ContainerFinding[] {
  return findings.filter(({ message }, at) => findings.findIndex((other) => other.message === message) === at);
}
