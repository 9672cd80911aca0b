import { isAbsolute, join, relative, resolve } from 'node:path';
import { type ContainerProblem, problem, type RunFacts } from './problem.ts';
import { contains } from './real-path.ts';

/** What no round could survive: found at start, exit 78. */
export function containerErrors(facts: RunFacts): ContainerProblem[] {
  return CHECKS.flatMap((check) => check(facts) ?? []);
}

const CHECKS: readonly ((facts: RunFacts) => ContainerProblem | null)[] = [interactive, terminal, detached, logDirOutside, worktree, image];

/** Scar 18: without `-i` the engine gives the agent an empty standard input, and it waits until the wall. */
function interactive({ promptDelivery, options, run }: RunFacts): ContainerProblem | null {
  if (promptDelivery !== 'stdin' || options.interactive) return null;
  const message = `the prompt comes by standard input, and "${run.runtime} run" has no -i`;
  return problem('error', 'stdin_container_interactive', 'AR-CON-001', message);
}

function terminal({ options, run }: RunFacts): ContainerProblem | null {
  if (!options.tty) return null;
  return problem('error', 'container_terminal', 'AR-CON-002', `"${run.runtime} run" has -t, and an unattended agent has no terminal`);
}

function detached({ options, run }: RunFacts): ContainerProblem | null {
  if (!options.detach) return null;
  return problem('error', 'container_detached', 'AR-CON-003', `"${run.runtime} run" has -d: every round would look finished at once`);
}

/** Scar 17: what the agent can write, it can forge. */
function logDirOutside({ mounts, logDir, realPath }: RunFacts): ContainerProblem | null {
  const real = realPath(logDir);
  const mount = mounts.find(({ source }) => contains(source, real));
  if (mount === undefined) return null;
  const message = `log_dir ${logDir} lies in ${mount.source}, which the container sees as ${mount.target}`;
  return problem('error', 'control_plane_outside_container', 'AR-CON-004', message);
}

/** Field bug 31: a worktree's `.git` is a file with a host path in it. */
function worktree({ gitFile, mounts, workDir, realPath }: RunFacts): ContainerProblem | null {
  if (gitFile === null) return null;
  const work = mounts.find(({ source }) => contains(source, realPath(workDir)));
  const workInside = work === undefined ? workDir : join(work.target, relative(work.source, realPath(workDir)));
  const missing = [gitFile.commonDir, gitFile.gitDir].find((folder) => {
    const expected = isAbsolute(gitFile.written) ? folder : resolve(workInside, relative(workDir, folder));
    return !mounts.some(({ source, target }) => contains(source, folder) && join(target, relative(source, folder)) === expected);
  });
  if (missing === undefined) return null;
  const inside = isAbsolute(gitFile.written) ? missing : resolve(workInside, relative(workDir, missing));
  const message = `work_dir is a linked worktree of ${gitFile.commonDir}, which the container does not see`;
  return problem('error', 'container_worktree', 'AR-CON-005', message, `add "-v", "${missing}:${inside}" to agent.exec_prefix`);
}

function image({ imagePresent, options, argv }: RunFacts): ContainerProblem | null {
  if (imagePresent !== false || options.imageIndex === null) return null;
  return problem(
    'error',
    'container_image',
    'AR-CON-007',
    `the image ${argv[options.imageIndex]} is not there, and --pull never forbids to fetch it`,
  );
}
