import { dotted, type KeyPath } from '../../problems.ts';
import { valueAt } from '../../tables.ts';
import { rename } from '../operations.ts';
import type { Finding, Transform, View } from '../transform.ts';

/** A key that took another one's place. Only values that the new one knows are carried over: what an old word meant is not guessed. */
function renamed(id: string, since: string, doc: string, from: KeyPath, to: KeyPath, values: readonly string[]): Transform {
  return { id, since, kind: 'fix', doc, find: (view) => find(view, from, to, values) };
}

function find({ document }: View, from: KeyPath, to: KeyPath, values: readonly string[]): Finding[] {
  const value = valueAt(document, from);
  if (value === undefined) return [];
  const name = String(to.at(-1));
  if (valueAt(document, to) !== undefined) {
    return [{ key: from, message: `is given together with ${dotted(to)}, which took its place`, remedy: 'Keep the one that is meant.' }];
  }
  const accepted = values.map((known) => `"${known}"`).join(', ');
  const remedy = `Write ${name} with one of ${accepted} instead.`;
  if (!values.includes(value as string)) return [{ key: from, message: `its value is not one that ${name} knows (${accepted})`, remedy }];
  return [{ key: from, message: `renamed to ${dotted(to)}`, remedy, rewrite: rename(from, to) }];
}

export const rateLimitAction = renamed(
  'rate-limit-action',
  '0.1.29',
  '`runtime.rate_limit_action` becomes `transient_error_action` when its value is `back_off`, `skip` or `stop`.',
  ['runtime', 'rate_limit_action'],
  ['runtime', 'transient_error_action'],
  ['back_off', 'skip', 'stop'],
);

export const orphanAction = renamed(
  'orphan-action',
  '0.1.18',
  '`vcs.orphan_action` becomes `dirty_action` when its value is `stash`, `ignore` or `auto_commit`.',
  ['vcs', 'orphan_action'],
  ['vcs', 'dirty_action'],
  ['stash', 'ignore', 'auto_commit'],
);
