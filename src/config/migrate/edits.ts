import type { KeyPath } from '../problems.ts';
import type { Range, Syntax } from './syntax.ts';

/** One piece of the text replaced; edits of one rewrite never overlap. */
export interface Edit {
  range: Range;
  text: string;
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.range[0] - a.range[0] || b.range[1] - a.range[1])
    .reduce((out, { range: [start, end], text: piece }) => out.slice(0, start) + piece + out.slice(end), text);
}

export function slice({ text }: Syntax, [start, end]: Range): string {
  return text.slice(start, end);
}

/** Offset of the first character of the line. */
export function lineStart({ text }: Syntax, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Offset behind the line and its line ending; the end of the text on the last line. */
export function nextLine({ text }: Syntax, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** What stands before the first visible character of the line. */
export function indentation(syntax: Syntax, offset: number): string {
  return /^[ \t]*/.exec(syntax.text.slice(lineStart(syntax, offset)))?.[0] ?? '';
}

export function hasComment({ comments }: Syntax, [start, end]: Range): boolean {
  return comments.some(([from]) => from >= start && from < end);
}

/** The key as TOML wants it written, relative to the table that it stands in. */
export function written(path: KeyPath): string {
  return path.map((step) => (/^[A-Za-z0-9_-]+$/.test(String(step)) ? step : JSON.stringify(String(step)))).join('.');
}
