import { basename, join, relative } from 'node:path';
import { type ContainerProblem, problem, type RunFacts } from './problem.ts';
import { contains } from './real-path.ts';
import { clientReachesUs } from './wrappers.ts';

/** What works, and hurts later: told once at start. */
export function containerWarnings(facts: RunFacts): ContainerProblem[] {
  return CHECKS.flatMap((check) => check(facts));
}

const warn = (code: Parameters<typeof problem>[2], message: string) => problem('warning', 'container_options', code, message);

const CHECKS: readonly ((facts: RunFacts) => ContainerProblem[])[] = [
  ({ options }) => (options.rm ? [] : [warn('AR-CON-010', 'no --rm: every round leaves a stopped container behind')]),
  ({ options }) => (options.init ? [] : [warn('AR-CON-011', 'no --init: nobody reaps zombies, and unhandled signals are ignored')]),
  ({ options }) =>
    (options.user ?? options.userns) === null ? [warn('AR-CON-012', 'no -u and no --userns: the agent is root in the container')] : [],
  valuedSecrets,
  unsetNames,
  ({ options }) => (options.network === 'none' ? [warn('AR-CON-015', '--network none: an agent cannot reach its model')] : []),
  ({ options }) => (options.sigProxy ? [] : [warn('AR-CON-016', '--sig-proxy=false: the agent gets no polite stop')]),
  credentialsInTree,
  ownCidfile,
  ({ run, user }) => (clientReachesUs(run, user) ? [] : [warn('AR-CON-021', `the engine's client runs as ${run.runsAs}`)]),
  ({ mounts, workDir, realPath }) =>
    mounts.some(({ source }) => contains(source, realPath(workDir))) ? [] : [warn('AR-CON-022', `no mount holds work_dir ${workDir}`)],
  ({ options }) =>
    options.mounts
      .filter(({ source }) => SOCKET.test(source))
      .map(({ source }) => warn('AR-CON-023', `${source} is mounted: the container protects nothing`)),
  ({ options, prefixLength }) =>
    prefixLength > 0 && (options.imageIndex ?? Number.POSITIVE_INFINITY) >= prefixLength
      ? [warn('AR-CON-024', 'exec_prefix ends before an image: the first word of agent.command is taken as one')]
      : [],
];

const SOCKET = /\/(docker|podman|containerd|buildkitd)\.sock$/;
/** As a whole part of the name: ANTHROPIC_API_KEY, GH_TOKEN; not MAX_OUTPUT_TOKENS, not GIT_AUTHOR_NAME. */
const SECRET_NAME = /(^|_)(KEY|APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|PAT)(_|$)/i;
/** Where agent CLIs and the tools around them keep credentials. */
const CREDENTIAL_PATH =
  /^(\.claude|\.claude\.json|\.codex|\.gemini|\.qwen|\.kimi|\.pi|\.opencode|\.aider.*|\.ssh|\.gnupg|\.aws|\.azure|\.docker|\.kube|\.netrc|\.npmrc|\.git-credentials|\.?credentials(\.json)?|auth\.json|\.env)$/;

function valuedSecrets({ options }: RunFacts): ContainerProblem[] {
  return options.env
    .filter(({ name, value }) => value !== null && value !== '' && SECRET_NAME.test(name))
    .map(({ name }) => warn('AR-CON-013', `-e ${name}=… puts a secret into the command line`));
}

function unsetNames({ options, env, run }: RunFacts): ContainerProblem[] {
  const arrives = (name: string) => (run.envKept.includes(name) ? true : !run.envScrubbed && env[name] !== undefined);
  return options.env
    .filter(
      ({ name, value }) => value === null && name !== '' && !name.endsWith('*') && !name.startsWith('AGENT_RUNNER_') && !arrives(name),
    )
    .map(({ name }) =>
      warn('AR-CON-014', `-e ${name}: ${env[name] === undefined ? 'it is not set' : 'it does not pass the wrapper before the engine'}`),
    );
}

function credentialsInTree({ mounts, workDir, realPath }: RunFacts): ContainerProblem[] {
  const work = realPath(workDir);
  const inside = mounts.filter(({ source }) => contains(source, work)).map(({ source, target }) => join(target, relative(source, work)));
  return mounts
    .filter(({ source, target }) => {
      const fromTree = contains(work, source) && source !== work;
      const intoTree = inside.some((folder) => contains(folder, target) && target !== folder);
      return (fromTree && CREDENTIAL_PATH.test(basename(source))) || (intoTree && CREDENTIAL_PATH.test(basename(target)));
    })
    .map(({ source, target }) => warn('AR-CON-017', `${source}:${target} puts credentials into the work tree`));
}

function ownCidfile({ options }: RunFacts): ContainerProblem[] {
  if (options.cidfile === null) return [];
  return [warn('AR-CON-019', `--cidfile ${options.cidfile} is yours and stays: the next round would not start while it exists`)];
}
