import * as z from 'zod';
import { isBuilt } from './capabilities.ts';
import { configTable } from './schema.ts';
import { accepts, everyKeyOf, type SchemaKey } from './schema-walk.ts';

/** The table of every key for docs/configuration.md, one Markdown section for each table of the file. */
export function configurationTable(): string {
  const sections = new Map<string, SchemaKey[]>();
  for (const key of everyKeyOf(configTable)) {
    const table = key.path.slice(0, -1).join('.');
    sections.set(table, [...(sections.get(table) ?? []), key]);
  }
  return [...sections]
    .map(([table, keys]) => `### ${table === '' ? 'Top level' : `\`[${table}]\``}\n\n${sectionOf(table, keys)}`)
    .join('\n\n');
}

/** A phase's tables repeat keys of the base: their names are enough. */
function sectionOf(table: string, keys: readonly SchemaKey[]): string {
  const base = /^phases\.<name>\.(agent|runtime|schedule)$/.exec(table)?.[1];
  if (base !== undefined) return `As in \`[${base}]\`, for this phase: ${keys.map(({ path }) => `\`${path.at(-1)}\``).join(', ')}.`;
  return ['| key | takes | default | meaning |', '| --- | --- | --- | --- |', ...keys.map(rowOf)].join('\n');
}

function rowOf({ path, schema }: SchemaKey): string {
  const name = String(path.at(-1));
  const meta = z.globalRegistry.get(schema);
  const soon = isBuilt(path.map((step) => (step === '<name>' ? '*' : step)).join('.')) ? '' : ' *Not in this version yet.*';
  return row([`\`${name}\``, accepts(schema), defaultOf(path, schema), `${meta?.description ?? ''}${soon}`.trim()]);
}

/** In a phase an absent key means the base table, whatever the schema's default is. */
function defaultOf(path: readonly string[], schema: z.core.$ZodType): string {
  if (path.includes('<name>')) return 'as in the base table';
  const words = z.globalRegistry.get(schema)?.default;
  if (typeof words === 'string') return /^[[\d]\S*$/.test(words) || words.startsWith('["') ? `\`${words}\`` : words;
  if (!(schema instanceof z.ZodDefault)) return '**required**';
  const value: unknown = schema.def.defaultValue;
  return value === null ? 'none' : `\`${toml(value)}\``;
}

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  return typeof value === 'object' && value !== null ? '{}' : JSON.stringify(value);
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
