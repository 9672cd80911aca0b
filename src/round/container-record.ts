import { basename } from 'node:path';
import type { Runtime } from '../container/detect.ts';
import type { Container } from '../container/prepare.ts';
import { removeFolder } from '../container/private-dir.ts';
import { stopContainer } from '../container/stop.ts';
import type { NamedProcess } from '../run/types.ts';
import type { InFlight } from '../state/in-flight.ts';
import type { InFlightContainer } from '../state/in-flight-container.ts';
import type { Clock } from '../util/clock.ts';
import { survivingContainer } from './survivors.ts';

/** What leads a client to its engine and to its own files. Everything else of its environment may be a secret and is not written down. */
const ENGINE_VARIABLES = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME'],
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_CERT_PATH', 'DOCKER_TLS', 'DOCKER_TLS_VERIFY', 'DOCKER_API_VERSION'],
  ...['CONTAINER_HOST', 'CONTAINER_CONNECTION', 'CONTAINER_SSHKEY', 'CONTAINERS_CONF', 'CONTAINERS_CONF_OVERRIDE'],
  ...['CONTAINERS_STORAGE_CONF', 'CONTAINERS_REGISTRIES_CONF', 'STORAGE_DRIVER', 'STORAGE_OPTS'],
  ...['CONTAINERD_ADDRESS', 'CONTAINERD_NAMESPACE', 'NERDCTL_TOML'],
]);

/** For the record in flight, made durable before the client starts. */
export function recordOf({ runtime, control, cwd, env, cidfile, cidfileIsOperators, folder }: Container): InFlightContainer {
  return {
    runtime,
    control,
    cwd,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => ENGINE_VARIABLES.has(name))),
    cidfile,
    cidfile_is_operators: cidfileIsOperators,
    folder,
  };
}

export interface RecordedEnd {
  containerId: string | null;
  /** Null: it is verified that no container of the round runs. */
  survivor: NamedProcess | null;
}

/**
 * Ends the container of a round whose supervisor died, after the round's processes. `sameBoot` false: no client can be in the middle of
 * making it any more, and an engine that does not answer runs nothing.
 */
export async function endRecorded(
  record: InFlight,
  { graceS, sameBoot, clock }: { graceS: number; sameBoot: boolean; clock: Clock },
): Promise<RecordedEnd> {
  const { container } = record;
  if (container === null) return { containerId: null, survivor: null };
  const stop = await stopContainer(reached(record, container), { graceS, clock, interrupted: sameBoot });
  const gone = stop.ok || (!sameBoot && stop.containerId === null);
  // The name is checked because what follows cannot be undone: the record lies where more people write than in our own folder.
  if (gone && container.folder !== null && basename(container.folder) === record.round_id) removeFolder(container.folder);
  return { containerId: stop.containerId, survivor: gone ? null : survivingContainer(container.runtime, stop.containerId, stop.detail) };
}

function reached(
  { round_id, owner }: InFlight,
  { runtime, control, cwd, env, cidfile, cidfile_is_operators }: InFlightContainer,
): Container {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    runtime: runtime as Runtime,
    control,
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    roundId: round_id,
    owner,
    cidfile,
    cidfileIsOperators: cidfile_is_operators,
    controlDir: null,
    folder: null,
    removesItself: false,
    memoryLimited: false,
  };
}
