import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

export interface Block {
  /** `recipes/claude.md:40`. */
  place: string;
  language: string;
  text: string;
}

/** Every fenced block of a Markdown file, `path` relative to the project's root. */
export function blocksOf(path: string): Block[] {
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n');
  const blocks: Block[] = [];
  let open: { at: number; language: string } | null = null;
  lines.forEach((line, i) => {
    const fence = /^```(\w*)$/.exec(line);
    if (fence === null) return;
    if (open === null) open = { at: i, language: fence[1] ?? '' };
    else {
      blocks.push({ place: `${path}:${open.at + 1}`, language: open.language, text: `${lines.slice(open.at + 1, i).join('\n')}\n` });
      open = null;
    }
  });
  return blocks;
}

/** Names of the Markdown files of a folder, relative to the project's root. */
export function markdownIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();
}
