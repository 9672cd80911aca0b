import { closest, distance } from 'fastest-levenshtein';
import { dotted, type KeyPath } from './problems.ts';

/** The known name that a misspelt one was probably meant to be, or null when none is near. */
export function nearest(name: string, known: readonly string[]): string | null {
  if (known.length === 0) return null;
  const found = closest(name.toLowerCase(), known);
  return distance(name.toLowerCase(), found) <= Math.max(2, Math.floor(name.length / 3)) ? found : null;
}

/** What to say of an unknown key: the near one of the same table, else the table that this very name belongs to, else what is known here. */
export function unknownKeyRemedy(path: KeyPath, siblings: readonly string[], everywhere: readonly string[]): string {
  const name = String(path.at(-1));
  const elsewhere = everywhere.find((key) => key.endsWith(`.${name}`));
  if (elsewhere !== undefined && !siblings.includes(name)) return `Did you mean ${elsewhere}? It belongs in another table.`;
  const near = nearest(name, siblings);
  if (near !== null) return `Did you mean ${dotted([...path.slice(0, -1), near])}?`;
  return siblings.length > 20 ? 'docs/configuration.md lists every key.' : `Known here: ${siblings.join(', ')}.`;
}
