import { containerErrors } from './check-errors.ts';
import { containerWarnings } from './check-warnings.ts';
import { detectContainer, mentionsEngine } from './detect.ts';
import { runOptions } from './options.ts';
import { type ContainerCheckInput, type ContainerProblem, problem, type RunFacts } from './problem.ts';

/** Every problem of a container prefix that can be known before a round. Pure; empty for a prefix that is none. */
export function checkContainer(input: ContainerCheckInput): ContainerProblem[] {
  const found = detectContainer(input.argv);
  if (found === null) {
    const mention = mentionsEngine(input.argv.slice(0, Math.max(input.prefixLength, 1)));
    if (mention === null) return [];
    return [
      problem('warning', 'container_prefix', 'AR-CON-018', `"${mention}" in the agent's command is not understood as a container run`),
    ];
  }
  if (found.kind === 'exec') {
    return [
      problem(
        'error',
        'container_exec',
        'AR-CON-006',
        `"${found.form}" starts a process that outlives its client and cannot be found again`,
      ),
    ];
  }
  const options = runOptions(input.argv, found.runIndex);
  const mounts = options.mounts.map(({ source, target }) => ({ source: input.realPath(source), target }));
  const facts: RunFacts = { ...input, run: found, options, mounts };
  return [...containerErrors(facts), ...containerWarnings(facts)];
}
