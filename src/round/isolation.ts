import { makeLeaf } from '../process/cgroup-leaf.ts';
import { pidNamespaces } from '../process/pid-namespace.ts';
import type { RunSpec } from '../run/types.ts';
import { RunnerError } from '../util/errors.ts';
import type { RoundBodyInput } from './body.ts';

const MB = 1024 * 1024;

/**
 * What keeps the agent and all that it starts together: the round's own control group where one can be made (without it the round is
 * supervised by the other means), the PID namespace and the bound on memory where the configuration asks for them. Makes the group.
 */
export async function isolation({
  loaded,
  leaf: place,
}: Pick<RoundBodyInput, 'loaded' | 'leaf'>): Promise<Pick<RunSpec, 'leaf' | 'pidNamespace' | 'memoryMaxBytes'>> {
  const { runtime, limits } = loaded.config;
  const pidNamespace = runtime.pid_namespace ? await namespacePrefixOrThrow() : undefined;
  const leaf = place === null ? null : makeLeaf(place.folder);
  return {
    ...(leaf === null ? {} : { leaf }),
    ...(pidNamespace === undefined ? {} : { pidNamespace }),
    ...(limits.round_memory_max_mb === null ? {} : { memoryMaxBytes: limits.round_memory_max_mb * MB }),
  };
}

/** The start-up check says the same; a person who skips it must not get an agent outside what the configuration promises. */
async function namespacePrefixOrThrow(): Promise<readonly string[]> {
  const namespaces = await pidNamespaces();
  if (namespaces.available) return namespaces.prefix;
  throw new RunnerError({
    code: 'AR-CHK-012',
    message: `runtime.pid_namespace = true, and ${namespaces.reason}`,
    remedy: namespaces.remedy,
    exit: 'config',
  });
}
