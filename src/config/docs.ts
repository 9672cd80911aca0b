import * as z from 'zod';
import { isBuilt } from './capabilities.ts';
import { configTable } from './schema.ts';
import { accepts, everyKeyOf, type SchemaKey } from './schema-walk.ts';

/** The table of every key for docs/configuration.md, one Markdown section for each table of the file. */
export function configurationTable(): string {
  const sections = new Map<string, string[]>();
  for (const key of everyKeyOf(configTable)) {
    const table = key.path.slice(0, -1).join('.');
    sections.set(table, [...(sections.get(table) ?? []), rowOf(key)]);
  }
  return [...sections]
    .map(
      ([table, rows]) =>
        `### ${table === '' ? 'Top level' : `\`[${table}]\``}\n\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`,
    )
    .join('\n\n');
}

function rowOf({ path, schema }: SchemaKey): string {
  const name = String(path.at(-1));
  const meta = z.globalRegistry.get(schema);
  const soon = isBuilt(path.map((step) => (step === '<name>' ? '*' : step)).join('.')) ? '' : ' *Not in this version yet.*';
  return row([`\`${name}\``, accepts(schema), defaultOf(path, schema), `${meta?.description ?? ''}${soon}`]);
}

/** In a phase an absent key means the base table, whatever the schema's default is. */
function defaultOf(path: readonly string[], schema: z.core.$ZodType): string {
  if (path.includes('<name>')) return 'as in the base table';
  const words = z.globalRegistry.get(schema)?.default;
  if (typeof words === 'string') return words.startsWith('[') || /^\d+$/.test(words) ? `\`${words}\`` : words;
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
