import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLES } from './tables.ts';

const BLOCK = /(<!-- generated:([\w-]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g;

export interface StaleDoc {
  path: string;
  /** The text as it should be. */
  text: string;
}

/** Every Markdown file of docs/ and of the root whose generated blocks differ from what the code says. Throws on an unknown block name. */
export async function staleDocs(root: string): Promise<StaleDoc[]> {
  const files = [...markdownIn(root), ...markdownIn(join(root, 'docs'))];
  const stale: StaleDoc[] = [];
  for (const path of files) {
    const text = readFileSync(path, 'utf8');
    const fresh = await withTables(text, path);
    if (fresh !== text) stale.push({ path, text: fresh });
  }
  return stale;
}

async function withTables(text: string, path: string): Promise<string> {
  const names = new Set([...text.matchAll(BLOCK)].map((match) => match[2] ?? ''));
  const tables = new Map<string, string>();
  for (const name of names) {
    const make = TABLES[name];
    if (make === undefined) throw new Error(`${path}: nobody generates '${name}'; there are ${Object.keys(TABLES).join(', ')}`);
    tables.set(name, (await make()).trimEnd());
  }
  return text.replace(BLOCK, (_whole, start: string, name: string, end: string) => `${start}\n${tables.get(name)}\n\n${end}`);
}

function markdownIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}
