import { type CommandResult, runCommand } from '../process/command.ts';
import type { Container } from './prepare.ts';

/** How an engine is spoken to: the operator's own words before `run`, in the client's own surroundings. */
export type EngineAccess = Pick<Container, 'runtime' | 'control' | 'env' | 'cwd'>;

/** A question to the engine that takes longer than this has no answer: docker answers in 0.02 s, podman in 0.05 s. */
const QUESTION_MS = 5_000;
/** A client that does not end on TERM gets KILL soon: it has nothing to lose. */
const CLIENT_KILL_AFTER_MS = 500;

export type EngineAnswer = { ok: true; stdout: string } | { ok: false; missing: boolean; detail: string };

/** One short engine command: `stop`, `inspect`, `ps` … Never throws. `missing`: the engine says that there is no such container or image. */
export async function askEngine(access: EngineAccess, args: readonly string[], timeoutMs = QUESTION_MS): Promise<EngineAnswer> {
  const argv = [...access.control, ...args] as [string, ...string[]];
  const result = await runCommand(argv, {
    env: access.env,
    cwd: access.cwd,
    timeoutMs: Math.max(1, timeoutMs),
    killAfterMs: CLIENT_KILL_AFTER_MS,
    maxBytes: 1024 * 1024,
  });
  if (result.code === 0 && !result.timedOut) return { ok: true, stdout: result.stdout };
  return { ok: false, missing: saysMissing(result.stderr), detail: explain(result, args[0] ?? '') };
}

/** docker: "No such container: x", "No such object: x"; podman: `no container with name or ID "x" found: no such container`. */
export function saysMissing(stderr: string): boolean {
  return /no such (container|object|image)|image not known/i.test(stderr);
}

function explain(result: CommandResult, verb: string): string {
  if (result.spawnError !== null) return `${verb}: the engine's client could not be started (${result.spawnError})`;
  if (result.timedOut) return `${verb}: no answer in time`;
  // stderr of an engine client holds no secrets of the agent, but it may be long: the last line says what went wrong.
  const line = result.stderr.trim().split('\n').at(-1) ?? '';
  return `${verb}: exit ${result.code ?? result.signal}${line === '' ? '' : `: ${line.slice(0, 300)}`}`;
}

export interface ContainerState {
  id: string;
  /** The engine's word: created, configured, initialized, running, paused, restarting, stopping, removing, exited, stopped, dead … */
  status: string;
  roundId: string;
  owner: string;
  /** Host pid of the main process; 0 when it does not run (or the engine is elsewhere). */
  pid: number;
}

/** null: the engine answered, and knows no such container. 'unknown': it could not be asked. */
export async function inspectContainer(access: EngineAccess, id: string, timeoutMs?: number): Promise<ContainerState | null | 'unknown'> {
  const answer = await askEngine(access, ['inspect', '--type', 'container', id], timeoutMs);
  if (!answer.ok) return answer.missing ? null : 'unknown';
  return stateIn(answer.stdout) ?? 'unknown';
}

/** Reads what `inspect` of docker, podman and nerdctl have in common: a list of one. (`--format {{json .}}` differs between them.) */
export function stateIn(json: string): ContainerState | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  const container = asRecord(Array.isArray(value) ? value[0] : null);
  const state = asRecord(container.State);
  const labels = asRecord(asRecord(container.Config).Labels);
  if (typeof container.Id !== 'string' || typeof state.Status !== 'string') return null;
  return {
    id: container.Id,
    status: state.Status.toLowerCase(),
    roundId: asText(labels['agent-runner.round']),
    owner: asText(labels['agent-runner.owner']),
    pid: typeof state.Pid === 'number' ? state.Pid : 0,
  };
}

/** Ids of all containers with this label, in any state. 'unknown': the engine could not be asked. */
export async function containersByLabel(access: EngineAccess, label: string, timeoutMs?: number): Promise<string[] | 'unknown'> {
  const answer = await askEngine(access, ['ps', '--all', '--quiet', '--no-trunc', '--filter', `label=${label}`], timeoutMs);
  if (!answer.ok) return 'unknown';
  return answer.stdout.split(/\s+/).filter((word) => /^[0-9a-f]{64}$/.test(word));
}

/** For `--pull never`: is the image there? null when the engine could not be asked. */
export async function imageExists(access: EngineAccess, image: string): Promise<boolean | null> {
  const answer = await askEngine(access, ['image', 'inspect', '--format', '{{.Id}}', image]);
  if (answer.ok) return true;
  return answer.missing ? false : null;
}

/**
 * `docker version --format {{.Server.Version}}` and the like: does the engine answer, and who is it? For a look at a machine before anything runs.
 *
 * @public
 */
export async function engineVersion(access: EngineAccess): Promise<EngineAnswer> {
  const answer = await askEngine(access, ['version', '--format', '{{.Server.Version}}']);
  if (answer.ok || access.runtime === 'docker') return answer.ok ? { ok: true, stdout: answer.stdout.trim() } : answer;
  // podman without a service and a rootless nerdctl have no server part.
  const client = await askEngine(access, ['version', '--format', '{{.Client.Version}}']);
  return client.ok ? { ok: true, stdout: client.stdout.trim() } : client;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
