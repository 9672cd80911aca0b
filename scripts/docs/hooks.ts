import * as z from 'zod';
import * as schemas from '../../src/hooks/schemas.ts';

interface Node {
  type?: string | string[];
  const?: unknown;
  anyOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  description?: string;
}

/** What programs of the user get and may print, in the order of docs/hooks.md. */
const DOCUMENTS: [title: string, schema: z.ZodType][] = [
  ['`notify.command` gets', schemas.notification],
  ['`fields` of `stopped`', schemas.stoppedFields],
  ['A `serve_start` hook gets', schemas.serveStartInput],
  ['A `pre_round` hook gets', schemas.preRoundInput],
  ['A `pre_round` hook may print', schemas.preRoundOutput],
  ['A `post_round` hook gets', schemas.postRoundInput],
];

const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as Node;

/** One table of fields each. */
export function hookInputs(): string {
  return DOCUMENTS.map(([title, schema]) => {
    const rows = rowsOf(jsonSchema(schema)).map(([name, kind, meaning]) => `| \`${name}\` | ${kind} | ${meaning} |`);
    return [`**${title}**`, '', '| field | kind | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  }).join('\n\n');
}

/** The same as JSON Schema, for programs. */
export function hookSchemas(): string {
  return DOCUMENTS.map(
    ([title, schema]) => `${title}:\n\n\`\`\`json\n${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)}\n\`\`\``,
  ).join('\n\n');
}

function rowsOf(node: Node, prefix = ''): [string, string, string][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = [field, ...(field.anyOf ?? [])].find(({ properties }) => properties !== undefined);
    const own: [string, string, string] = [path, kindOf(field), (field.description ?? '').replaceAll('|', '\\|')];
    return [own, ...(inner === undefined ? [] : rowsOf(inner, `${path}.`))];
  });
}

function kindOf(node: Node): string {
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``;
  if (node.anyOf) return node.anyOf.map(kindOf).join(' or ');
  if (node.type === 'array')
    return `list of ${node.items?.properties ? Object.keys(node.items.properties).join(', ') : kindOf(node.items ?? {})}`;
  return [node.type ?? 'any'].flat().join(' or ');
}
