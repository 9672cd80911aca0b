import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Source {
  /** Relative to the project's root: `src/run/run.ts`. */
  path: string;
  text: string;
  /** `text` with comments blanked out, so that a word in an explanation is no use of it. */
  code: string;
  lines: number;
  imports: Import[];
}

interface Import {
  /** As it is written: `../util/clock.ts`, `node:fs`, `execa`. */
  specifier: string;
  /** For a relative one: the file, relative to the project's root. */
  file: string | null;
  /** `type`: gone after compilation; `lazy`: import(). */
  kind: 'static' | 'lazy' | 'type';
}

/** Every TypeScript file below `folder` (relative to the root). */
export function sources(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs)$/.test(name))
    .sort()
    .map((name) => sourceOf(join(folder, name)));
}

function sourceOf(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const code = withoutComments(text);
  return { path, text, code, lines: text.split('\n').length - 1, imports: importsOf(path, code) };
}

/** Enough for formatted sources: a `//` or `/*` inside a string stays code unless it begins a line. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' ')).replace(/(^|[\s;{}(),])\/\/[^\n]*/g, '$1');
}

const STATIC = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\s+from\s+)?'([^']+)'/gm;
const LAZY = /\bimport\(\s*'([^']+)'\s*\)/g;

function importsOf(path: string, code: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, kind: Import['kind']) => {
    const file = specifier.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(path), specifier)) : null;
    found.push({ specifier, file, kind });
  };
  for (const match of code.matchAll(STATIC)) add(match[2] ?? '', match[1] || onlyTypes(match[0]) ? 'type' : 'static');
  for (const match of code.matchAll(LAZY)) add(match[1] ?? '', 'lazy');
  return found;
}

/** `import { type A, type B } from` leaves nothing behind either, but for its side effects. */
function onlyTypes(statement: string): boolean {
  const names = /\{([^}]*)\}/.exec(statement)?.[1];
  if (names === undefined || /import\s+\w/.test(statement.replace(/import\s+type/, ''))) return false;
  const list = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return list.length > 0 && list.every((name) => name.startsWith('type '));
}
