import { type Located, locateProject } from '../config/locate.ts';
import { refuseInsideRound } from '../service/inside-round.ts';
import type { ServiceTarget } from '../service/target.ts';
import { type Layout, layout } from '../state/layout.ts';
import { RunnerError } from '../util/errors.ts';
import { visible } from '../util/visible.ts';
import { note } from './output.ts';
import type { GlobalOptions } from './verbs.ts';

/** Where the named project keeps its state. */
export interface Project {
  located: Located;
  paths: Layout;
}

/**
 * The project of a verb that steers or looks at `serve`. A broken configuration is no reason not to stop it, so it is only remarked on
 * while log_dir can be known; throws AR-CLI-005 when it cannot.
 */
export function findProject({ config, configGiven }: GlobalOptions): Project {
  const located = locateProject(config, configGiven);
  const { problem, logDir, logDirFrom } = located;
  if (logDir === null) {
    throw new RunnerError({
      code: 'AR-CLI-005',
      message: `${visible(config)}: ${problem?.message ?? 'runtime.log_dir is not known'}`,
      remedy:
        problem?.kind === 'missing'
          ? "name the project's file with --config, or go to its folder; 'agent-runner init' writes a new one"
          : 'mend the file; its [runtime] log_dir says where the state is kept',
      exit: 'config',
    });
  }
  if (problem !== null)
    note(
      `${visible(config)}: ${problem.message}; going by ${logDirFrom === 'environment' ? 'AGENT_RUNNER_LOG_DIR' : 'its log_dir line'}, ${logDir}`,
    );
  return { located, paths: layout(logDir) };
}

/** What the verbs that manage a service need of it. */
export function serviceTarget({ located: { project, configPath }, paths }: Project): ServiceTarget {
  return { paths, project, configPath };
}

/** The same for verbs that only a person may use. */
export function findProjectToSteer(verb: string, options: GlobalOptions): Project {
  const project = findProject(options);
  refuseInsideRound(verb, project.paths.logDir);
  return project;
}
