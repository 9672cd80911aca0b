import * as z from 'zod';
import { CATALOGUE_BY_SUBJECT } from './catalogue.ts';
import { type EventEntry, PYTHON } from './kinds/entry.ts';

const SINCE: Record<string, string> = { [PYTHON]: 'cli-agent-runner' };
const EMITTED = { now: '', later: ' *(not written yet)*', never: ' *(only read)*' };

/** The tables of docs/events.md, one for each subject, made from the catalogue. */
export function eventsTable(): string {
  return Object.entries(CATALOGUE_BY_SUBJECT)
    .map(([subject, kinds]) => {
      const rows = Object.entries(kinds as Record<string, EventEntry>).map(([kind, entry]) => row(kind, entry));
      return [`### ${subject}`, '', '| Event | Fields | Meaning | Since |', '| --- | --- | --- | --- |', ...rows].join('\n');
    })
    .join('\n\n');
}

function row(kind: string, entry: EventEntry): string {
  const fields = fieldsOf(entry).map(({ name, type }) => `\`${name}\` ${type}`);
  return `| \`${kind}\` | ${fields.join('<br>')} | ${entry.doc}${EMITTED[entry.emitted]} | ${SINCE[entry.since] ?? entry.since} |`;
}

interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** The fields of a kind in order, with a type that a person can read; `?` marks one that may be missing. */
export function fieldsOf(entry: EventEntry): { name: string; type: string }[] {
  const { properties = {}, required = [] } = z.toJSONSchema(entry.fields, { io: 'input' }) as Schema;
  return Object.entries(properties).map(([name, schema]) => ({ name, type: typeOf(schema) + (required.includes(name) ? '' : '?') }));
}

function typeOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum) return schema.enum.length <= 6 ? schema.enum.map((word) => `"${word}"`).join(' or ') : 'word';
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.properties) return `{${Object.keys(schema.properties).join(', ')}}`;
  return [schema.type ?? 'any'].flat().join(' or ');
}
