import { insertNumber, replaceNumber } from '../operations.ts';
import type { Finding, Transform, View } from '../transform.ts';

const KEY = ['schema_version'];
const CURRENT = 1;

/** Asked last, and only of a file that was changed: one that is accepted as it is stays as it is. */
export const stampVersion = {
  id: 'schema-version',
  since: '0.3.0',
  kind: 'fix',
  doc: 'A file that was changed gets `schema_version = 1`, last of all; an older number is raised. A newer one is never lowered: it is told.',
  find: ({ document: { schema_version: version } }: View): Finding[] => {
    if (typeof version !== 'number' || !Number.isInteger(version) || version === CURRENT) return [];
    if (version > CURRENT)
      return [{ key: KEY, message: `is ${version}, of a later version than this one`, remedy: 'Upgrade agent-runner.' }];
    return [
      { key: KEY, message: `raised from ${version} to ${CURRENT}`, remedy: `Write ${CURRENT}.`, rewrite: replaceNumber(KEY, CURRENT) },
    ];
  },
} satisfies Transform;

/** The stamp itself; null when the file has one. */
export function stamp({ document }: View): Finding | null {
  if (document.schema_version !== undefined) return null;
  return { key: KEY, message: `${CURRENT} added`, remedy: `Write schema_version = ${CURRENT}.`, rewrite: insertNumber(KEY, CURRENT) };
}
