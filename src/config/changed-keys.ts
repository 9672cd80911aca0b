import { parse } from 'smol-toml';
import { dotted, type KeyPath } from './problems.ts';
import { isTable } from './tables.ts';

/** The dotted keys, as written, whose values differ between two configuration texts; sorted. Both must be valid TOML. Never values. */
export function changedKeys(before: string, after: string): string[] {
  const old = leavesOf(parse(before));
  const now = leavesOf(parse(after));
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].filter((key) => old.get(key) !== now.get(key)).sort();
}

function leavesOf(table: Record<string, unknown>, path: KeyPath = [], out: Map<string, string> = new Map()): Map<string, string> {
  for (const [name, value] of Object.entries(table)) {
    const own = [...path, name];
    if (isTable(value) && Object.keys(value).length > 0) leavesOf(value, own, out);
    // nan and inf are null in JSON.
    else
      out.set(
        dotted(own),
        JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? String(inner) : inner)),
      );
  }
  return out;
}
