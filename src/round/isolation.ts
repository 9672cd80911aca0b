import { makeLeaf } from '../process/cgroup-leaf.ts';
import { pidNamespaces } from '../process/pid-namespace.ts';
import type { RunSpec } from '../run/types.ts';
import { RunnerError } from '../util/errors.ts';
import type { RoundBodyInput } from './body.ts';

const MB = 1024 * 1024;

/**
 * What keeps the agent and all that it starts together: the round's own control group where one can be made (without it the round is
 * supervised by the other means), the PID namespace and the bound on memory where the configuration asks for them. Makes the group. A
 * container has groups and a namespace of its own, by its engine; its client gets none of ours: podman leaves helpers that tidy up after it.
 * The start-up checks refuse the same; a person who skips them must not get an agent outside what the configuration promises.
 */
export async function isolation(
  { loaded, leaf: place }: Pick<RoundBodyInput, 'loaded' | 'leaf'>,
  inContainer: boolean,
): Promise<Pick<RunSpec, 'leaf' | 'pidNamespace' | 'memoryMaxBytes'>> {
  const { pid_namespace: wanted } = loaded.config.runtime;
  const { round_memory_max_mb: maxMb } = loaded.config.limits;
  if (inContainer) {
    if (wanted) throw refused('AR-CHK-013', 'runtime.pid_namespace', 'the agent runs in a container, which has a PID namespace of its own');
    if (maxMb !== null) throw refused('AR-CHK-014', 'limits.round_memory_max_mb', 'it would bound the client and not its container');
    return {};
  }
  const pidNamespace = wanted ? await namespacePrefix() : null;
  const leaf = place === null ? null : makeLeaf(place.folder);
  return {
    ...(leaf === null ? {} : { leaf }),
    ...(pidNamespace === null ? {} : { pidNamespace }),
    ...(maxMb === null ? {} : { memoryMaxBytes: maxMb * MB }),
  };
}

async function namespacePrefix(): Promise<readonly string[]> {
  const namespaces = await pidNamespaces();
  if (namespaces.available) return namespaces.prefix;
  throw refused('AR-CHK-012', 'runtime.pid_namespace', namespaces.reason, namespaces.remedy);
}

function refused(code: string, key: string, reason: string, remedy = `remove ${key}`): RunnerError {
  return new RunnerError({ code, message: `${key} cannot be kept: ${reason}`, remedy, exit: 'config' });
}
