import { RunnerError } from '../../util/errors.ts';

/**
 * The value at `path` (`service.rate_limit.agent`, `defenses.0.name`): dots part the segments, digits index a list. Throws AR-PEE-002
 * naming the segment that is not there. A null on the way ends there too.
 */
export function selectPath(tree: unknown, path: string): unknown {
  let current = tree;
  for (const segment of path.split('.')) {
    const next = childOf(current, segment);
    if (next === undefined) {
      throw new RunnerError({
        code: 'AR-PEE-002',
        message: `--select ${path}: there is no '${segment}'${describe(current)}`,
        remedy: "'agent-runner peek --json' prints the whole tree",
      });
    }
    current = next;
  }
  return current;
}

function childOf(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
  return (value as Record<string, unknown>)[segment] ?? null;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return ` in a list of ${value.length}`;
  if (typeof value !== 'object' || value === null) return ` in ${JSON.stringify(value)}`;
  const keys = Object.keys(value);
  return keys.length === 0 ? ' in an empty object' : `; there are ${keys.slice(0, 30).join(', ')}`;
}
