import type { KeyPath } from '../problems.ts';
import { valueAt } from '../tables.ts';
import { type Edit, hasComment, indentation, lineStart, nextLine, slice, written } from './edits.ts';
import { type Rewrite, without, withValue } from './rewrite.ts';
import { type Entry, entryAt, headerAt, isWithin, type Syntax } from './syntax.ts';

/** Gives a key another name in the table that it is written in; value, place and comments stay. */
export function rename(from: KeyPath, to: KeyPath): Rewrite {
  return {
    edits(syntax) {
      const entry = entryAt(syntax, from);
      if (entry === undefined || !isWithin(to, entry.base)) return null;
      return [{ range: entry.key, text: written(to.slice(entry.base.length)) }];
    },
    expected: (document) => withValue(without(document, from), to, valueAt(document, from)),
  };
}

/** Puts `[` and `]` around a value. */
export function wrapInList(path: KeyPath): Rewrite {
  return {
    edits(syntax) {
      const entry = entryAt(syntax, path);
      return entry === undefined ? null : [{ range: entry.value, text: `[${slice(syntax, entry.value)}]` }];
    },
    expected: (document) => withValue(document, path, [valueAt(document, path)]),
  };
}

/** Another whole number in the place of a value. */
export function replaceNumber(path: KeyPath, value: number): Rewrite {
  return {
    edits(syntax) {
      const entry = entryAt(syntax, path);
      return entry === undefined ? null : [{ range: entry.value, text: String(value) }];
    },
    expected: (document) => withValue(document, path, value),
  };
}

/** Adds a key with a whole number: to its table when that has a header, else with a new header at the end of the file. */
export function insertNumber(path: KeyPath, value: number): Rewrite {
  return {
    edits: (syntax) => [insertion(syntax, path, value)],
    expected: (document) => withValue(document, path, value),
  };
}

function insertion(syntax: Syntax, path: KeyPath, value: number): Edit {
  const table = path.slice(0, -1);
  const line = `${written(path.slice(-1))} = ${value}`;
  const { text, eol } = syntax;
  if (table.length === 0) {
    const first = syntax.entries.find(({ within }) => within === 'root');
    if (first === undefined) return { range: [0, 0], text: `${line}${eol}${/^\s*$/.test(text.split('\n', 1)[0] ?? '') ? '' : eol}` };
    return { range: [lineStart(syntax, first.range[0]), lineStart(syntax, first.range[0])], text: `${line}${eol}` };
  }
  const header = headerAt(syntax, table);
  const gap = text === '' || text.endsWith('\n') ? '' : eol;
  if (header === undefined) return { range: [text.length, text.length], text: `${gap}${eol}[${written(table)}]${eol}${line}${eol}` };
  const last = header.entries.at(-1)?.range ?? header.range;
  const at = nextLine(syntax, last[1]);
  return { range: [at, at], text: `${at === text.length ? gap : ''}${indentation(syntax, last[0])}${line}${eol}` };
}

/** Makes a comment of a key, or of a table with all that belongs to it: nothing of what a person wrote is lost. */
export function commentOut(path: KeyPath): Rewrite {
  return {
    edits(syntax) {
      const headers = syntax.headers.filter((header) => isWithin(header.path, path));
      const entries = syntax.entries.filter((entry) => isWithin(entry.path, path) && !isWithin(entry.base, path));
      const below = headers.flatMap((header) => [...header.entries]);
      const lines = [...headers.map(({ range }) => range), ...[...entries, ...below].filter(isOnLines).map(({ range }) => range)];
      const edits = lines.flatMap((range) => commentLines(syntax, range));
      for (const entry of entries.filter((entry) => !isOnLines(entry))) {
        const cut = cutFromInline(syntax, entry);
        if (cut === null) return null;
        edits.push(cut);
      }
      return edits.length === 0 ? null : edits;
    },
    expected: (document) => without(document, path),
  };
}

function isOnLines({ within }: Entry): boolean {
  return within !== 'inline';
}

function commentLines(syntax: Syntax, [start, end]: Entry['range']): Edit[] {
  const column = indentation(syntax, start).length;
  const edits: Edit[] = [];
  for (let at = lineStart(syntax, start); at < end; at = nextLine(syntax, at)) {
    const place = at + Math.min(column, indentation(syntax, at).length);
    edits.push({ range: [place, place], text: '# ' });
  }
  return edits;
}

/** A part of `{ a = 1, b = 2 }` cannot become a comment: it is taken out with its comma. */
function cutFromInline(syntax: Syntax, entry: Entry): Edit | null {
  const at = entry.siblings.indexOf(entry);
  const next = entry.siblings[at + 1];
  const before = entry.siblings[at - 1];
  const [start, end] = entry.range;
  const range = next !== undefined ? ([start, next.range[0]] as const) : ([before?.range[1] ?? start, end] as const);
  return hasComment(syntax, range) ? null : { range, text: '' };
}
