import { type AST, parseTOML } from 'toml-eslint-parser';
import type { KeyPath } from '../problems.ts';
import { samePath } from '../tables.ts';

/** Offsets into the text, end exclusive. */
export type Range = readonly [start: number, end: number];

/** One `key = value` of the text, wherever it stands. */
export interface Entry {
  /** From the root of the document. */
  path: KeyPath;
  /** Path of the table that it is written in: what stands before its own key. */
  base: KeyPath;
  within: 'root' | 'table' | 'inline';
  range: Range;
  key: Range;
  value: Range;
  valueKind: 'inline_table' | 'array' | 'scalar';
  /** Entries of the same table, in order; for an inline table these are separated by commas. */
  siblings: readonly Entry[];
}

/** One `[table]` or `[[table]]` header and what stands below it. */
export interface Header {
  path: KeyPath;
  kind: 'standard' | 'array';
  /** With its brackets. */
  range: Range;
  key: Range;
  entries: readonly Entry[];
}

export interface Syntax {
  text: string;
  /** Line ending of the file, as its first line has it. */
  eol: '\n' | '\r\n';
  /** All of them, those of inline tables too. */
  entries: readonly Entry[];
  headers: readonly Header[];
  comments: readonly Range[];
}

/** Where everything of a TOML text stands; null when this parser does not take the text (smol-toml takes a few that it does not). */
export function readSyntax(text: string): Syntax | null {
  try {
    const program = parseTOML(text, { tomlVersion: '1.1.0' });
    const entries: Entry[] = [];
    const headers: Header[] = [];
    const [root] = program.body;
    const loose: Entry[] = [];
    for (const node of root.body) {
      if (node.type === 'TOMLKeyValue') addEntry(node, [], 'root', loose, entries);
      else headers.push(headerOf(node, text, entries));
    }
    return { text, eol: /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n', entries, headers, comments: rangesOf(program.comments) };
  } catch {
    return null;
  }
}

export function entryAt(syntax: Syntax, path: KeyPath): Entry | undefined {
  return syntax.entries.find((entry) => samePath(entry.path, path));
}

export function headerAt(syntax: Syntax, path: KeyPath): Header | undefined {
  return syntax.headers.find((header) => samePath(header.path, path));
}

/** Whether `path` is `prefix` or lies below it. */
export function isWithin(path: KeyPath, prefix: KeyPath): boolean {
  return path.length >= prefix.length && samePath(path.slice(0, prefix.length), prefix);
}

function headerOf(table: AST.TOMLTable, text: string, all: Entry[]): Header {
  const brackets = table.kind === 'array' ? 2 : 1;
  const entries: Entry[] = [];
  for (const node of table.body) addEntry(node, table.resolvedKey, 'table', entries, all);
  const [, keyEnd] = table.key.range;
  return {
    path: table.resolvedKey,
    kind: table.kind,
    range: [table.range[0], text.indexOf(']', keyEnd) + brackets],
    key: table.key.range,
    entries,
  };
}

function addEntry(node: AST.TOMLKeyValue, base: KeyPath, within: Entry['within'], siblings: Entry[], all: Entry[]): void {
  const own = node.key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
  const path = [...base, ...own];
  const { type } = node.value;
  const entry: Entry = {
    path,
    base,
    within,
    range: node.range,
    key: node.key.range,
    value: node.value.range,
    valueKind: type === 'TOMLInlineTable' ? 'inline_table' : type === 'TOMLArray' ? 'array' : 'scalar',
    siblings,
  };
  siblings.push(entry);
  all.push(entry);
  if (node.value.type !== 'TOMLInlineTable') return;
  const inner: Entry[] = [];
  for (const part of node.value.body) addEntry(part, path, 'inline', inner, all);
}

function rangesOf(nodes: readonly { range: AST.Range }[]): Range[] {
  return nodes.map(({ range }) => range);
}
