import { CATALOGUE, type EventKind } from './catalogue.ts';

/** What is wrong with an event, or null. Loads zod: for development and tests (see `openEvents`). */
export function eventProblem(kind: EventKind, fields: unknown): string | null {
  const entry = CATALOGUE[kind];
  if (entry === undefined) return `there is no event kind ${kind}: add it to the catalogue`;
  const checked = entry.fields.safeParse(fields);
  if (checked.success) return null;
  return `event ${kind}: ${checked.error.issues.map((issue) => `${issue.path.join('.') || 'fields'}: ${issue.message}`).join('; ')}`;
}
