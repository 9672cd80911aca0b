import { type AST, parseTOML } from 'toml-eslint-parser';
import type { KeyPath } from './problems.ts';

/** From 1, as editors count. */
export interface Position {
  line: number;
  column: number;
}

interface Place {
  key: Position;
  value: Position;
}

const START: Position = { line: 1, column: 1 };
/** No key of ours lies deeper. A dotted key of a hundred thousand parts would cost the square of that in time and memory. */
const DEEPEST_PATH = 16;

/**
 * Finds where a key of the document stands in the text. A path that the text does not have (a missing key, something from a preset) gets
 * the place of the nearest table around it. Only asked when there is something to tell, as the parse costs milliseconds.
 */
export function positionFinder(text: string): (path: KeyPath, at: 'key' | 'value') => Position {
  let places: Map<string, Place> | null = null;
  return (path, at) => {
    places ??= indexOf(text);
    for (let length = path.length; length > 0; length -= 1) {
      const place = places.get(keyOf(path.slice(0, length)));
      if (place) return length === path.length ? place[at] : place.key;
    }
    return START;
  };
}

function keyOf(path: KeyPath): string {
  return JSON.stringify(path);
}

function indexOf(text: string): Map<string, Place> {
  const places = new Map<string, Place>();
  try {
    const [root] = parseTOML(text, { tomlVersion: '1.1.0' }).body;
    for (const node of root.body) {
      if (node.type === 'TOMLKeyValue') indexKeyValue(node, [], places);
      else indexTable(node, places);
    }
  } catch {
    // smol-toml takes a few texts that this parser does not: then the problem is told without its line.
  }
  return places;
}

function indexTable(table: AST.TOMLTable, places: Map<string, Place>): void {
  const place = { key: positionOf(table.key), value: positionOf(table.key) };
  for (let length = 1; length <= Math.min(table.resolvedKey.length, DEEPEST_PATH); length += 1)
    add(places, table.resolvedKey.slice(0, length), place);
  for (const entry of table.body) indexKeyValue(entry, table.resolvedKey, places);
}

function indexKeyValue(entry: AST.TOMLKeyValue, base: KeyPath, places: Map<string, Place>): void {
  let path = base;
  for (const part of entry.key.keys) {
    if (path.length >= DEEPEST_PATH) return;
    path = [...path, part.type === 'TOMLBare' ? part.name : part.value];
    add(places, path, { key: positionOf(part), value: positionOf(entry.value) });
  }
  indexValue(entry.value, path, places);
}

function indexValue(value: AST.TOMLContentNode, path: KeyPath, places: Map<string, Place>): void {
  if (path.length >= DEEPEST_PATH) return;
  if (value.type === 'TOMLInlineTable') for (const entry of value.body) indexKeyValue(entry, path, places);
  if (value.type !== 'TOMLArray') return;
  value.elements.forEach((element, index) => {
    const own = [...path, index];
    add(places, own, { key: positionOf(element), value: positionOf(element) });
    indexValue(element, own, places);
  });
}

/** The first mention wins: `[a.b]` before `[a]` is where `a` begins. */
function add(places: Map<string, Place>, path: KeyPath, place: Place): void {
  const key = keyOf(path);
  if (!places.has(key)) places.set(key, place);
}

function positionOf(node: { loc: AST.SourceLocation }): Position {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}
