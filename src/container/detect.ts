import { basename } from 'node:path';
import { GLOBAL_VALUE_FLAGS } from './flags.ts';
import { type ClientSetting, unwrap } from './wrappers.ts';

export type Runtime = 'docker' | 'podman' | 'nerdctl';

export interface ContainerRun extends ClientSetting {
  kind: 'run';
  runtime: Runtime;
  /** Where the word `run` stands. */
  runIndex: number;
  /** Everything before `run` (sudo, env, global flags), to be used verbatim before `stop`, `inspect`, `kill`, `ps`, `events`. */
  control: string[];
  /** True when the engine's host is another machine, as far as the argv tells: a bind mount would mean a path over there. */
  remote: boolean;
}

/** A command inside a container that exists already: it outlives its client and carries no mark of ours. */
export interface ContainerExec {
  kind: 'exec';
  runtime: Runtime;
  /** The words as the user wrote them: `docker exec`, `docker compose run`. */
  form: string;
}

const RUNTIMES: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl']);
const COMPOSE_PROGRAMS: Readonly<Record<string, Runtime>> = { 'docker-compose': 'docker', 'podman-compose': 'podman' };

/**
 * Is this argv a container run? Wrappers (`sudo -u root`, `env X=1`, `timeout 60` …) and the engine's global flags are stepped over
 * wherever they stand. Pure: nothing is looked up on the machine. null: not a container, or a form that nobody here understands.
 */
export function detectContainer(argv: readonly string[]): ContainerRun | ContainerExec | null {
  const { index, ...client } = unwrap(argv);
  const program = argv[index];
  if (program === undefined) return null;
  const name = basename(program);

  const composeRuntime = COMPOSE_PROGRAMS[name];
  if (composeRuntime !== undefined) return composeExec(composeRuntime, name, argv, index + 1);
  if (!isRuntime(name)) return null;

  const commandIndex = skipFlags(argv, index + 1, GLOBAL_VALUE_FLAGS);
  const command = argv[commandIndex];
  const control = argv.slice(0, commandIndex);
  if (command === 'compose') return composeExec(name, `${name} compose`, argv, commandIndex + 1);
  if (command === 'exec') return { kind: 'exec', runtime: name, form: `${name} exec` };
  // `container` is a word for the management form only: `docker container events` does not exist, so it is left out of `control`.
  const runIndex = command === 'container' ? commandIndex + 1 : commandIndex;
  if (command === 'container' && argv[runIndex] === 'exec') return { kind: 'exec', runtime: name, form: `${name} container exec` };
  if (argv[runIndex] !== 'run') return null;
  return { kind: 'run', runtime: name, runIndex, control, remote: namesRemoteHost(argv.slice(index + 1, commandIndex)), ...client };
}

/** A mention of an engine in an argv that `detectContainer` did not understand: worth a warning. `dockerized-thing` is none. */
export function mentionsEngine(argv: readonly string[]): string | null {
  return argv.find((token) => /(^|[\s/'"])(docker|podman|nerdctl)(-compose)?($|[\s'"])/.test(token)) ?? null;
}

function isRuntime(name: string): name is Runtime {
  return RUNTIMES.has(name);
}

function composeExec(runtime: Runtime, form: string, argv: readonly string[], from: number): ContainerExec | null {
  // Compose has value flags of its own (-f, -p, --profile …); the first of its verbs that matters decides.
  const verb = argv.slice(from).find((token) => token === 'exec' || token === 'run');
  return verb === undefined ? null : { kind: 'exec', runtime, form: `${form} ${verb}` };
}

/** The index of the first token that is neither a flag nor a flag's value. */
function skipFlags(argv: readonly string[], from: number, valueFlags: ReadonlySet<string>): number {
  let at = from;
  for (let token = argv[at]; token?.startsWith('-') && token !== '-'; token = argv[at]) {
    at += valueFlags.has(token) ? 2 : 1;
  }
  return at;
}

/** `-H tcp://box:2375`, `--url ssh://…`, `podman --remote`. A context or a connection by name may be local or not: taken as local. */
function namesRemoteHost(flags: readonly string[]): boolean {
  return flags.some((flag) => flag === '-r' || flag === '--remote' || isRemoteAddress(flag.replace(/^(-H=?|--[a-z-]+=)/, '')));
}

/** The same for a value of DOCKER_HOST or CONTAINER_HOST. */
export function isRemoteAddress(address: string): boolean {
  const host = /^(?:ssh|tcp|https?):\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)/.exec(address)?.[1];
  return host !== undefined && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);
}
