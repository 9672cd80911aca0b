import { parseJsonLine } from './json-line.ts';
import { ADAPTERS } from './registry.ts';

/** Which shipped adapter's CLI wrote this beginning of a log; null when nothing in it tells. */
export function guessAgent(head: string): string | null {
  for (const line of head.split('\n')) {
    const record = parseJsonLine(line);
    const owner = record && ADAPTERS.find(({ wrote }) => wrote?.(record));
    if (owner) return owner.name;
    if (/^Aider v\d/.test(line)) return 'aider';
  }
  return null;
}
