import type { KeyPath } from '../problems.ts';
import { tableOf, valueAt } from '../tables.ts';
import { type Edit, hasComment, indentation, lineStart, nextLine, slice, written } from './edits.ts';
import { rename } from './operations.ts';
import { type Rewrite, together, without, withValue } from './rewrite.ts';
import { type Entry, entryAt, type Header, headerAt, type Syntax } from './syntax.ts';

/**
 * Moves every key of the table `[parent, group]` up into `parent` under another name; `names` has one for each key that is there. Works
 * for each way in which TOML can write such a table: under a header of its own, in braces, or by dotted keys.
 */
export function dissolve(parent: KeyPath, group: string, names: Readonly<Record<string, string>>): Rewrite {
  const path = [...parent, group];
  const target = (key: string) => [...parent, names[key] ?? key];
  return {
    edits(syntax) {
      const header = headerAt(syntax, path);
      if (header !== undefined) return header.kind === 'standard' ? underHeader(syntax, header, parent, names) : null;
      const entry = entryAt(syntax, path);
      if (entry !== undefined) return entry.valueKind === 'inline_table' ? inBraces(syntax, entry, target) : null;
      const dotted = syntax.entries.filter(({ path: own }) => own.length === path.length + 1 && own[parent.length] === group);
      return together(...dotted.map(({ path: own }) => rename(own, target(String(own.at(-1)))))).edits(syntax);
    },
    expected: (document) =>
      Object.entries(tableOf(valueAt(document, path))).reduce(
        (now, [key, value]) => withValue(now, target(key), value),
        without(document, path),
      ),
  };
}

function underHeader(syntax: Syntax, header: Header, parent: KeyPath, names: Readonly<Record<string, string>>): Edit[] {
  const renames = header.entries.map(({ key, path }): Edit => ({ range: key, text: written([names[String(path.at(-1))] ?? '']) }));
  const above = headerAt(syntax, parent);
  if (above === undefined) return [{ range: header.key, text: written(parent) }, ...renames];
  if (syntax.headers[syntax.headers.indexOf(header) - 1] === above) return [withoutHeader(syntax, header), ...renames];
  return moveTo(syntax, above, header, renames);
}

/** The keys are already where they belong as soon as their header is gone. Its comment, if any, keeps the line. */
function withoutHeader(syntax: Syntax, { range: [start, end] }: Header): Edit {
  const lineEnd = nextLine(syntax, end);
  const commented = hasComment(syntax, [end, lineEnd]);
  if (!commented) return { range: [lineStart(syntax, start), lineEnd], text: '' };
  return { range: [start, end + (/^[ \t]*/.exec(syntax.text.slice(end))?.[0].length ?? 0)], text: '' };
}

/** Other tables stand between: the lines move up, with the comments among them. */
function moveTo(syntax: Syntax, above: Header, header: Header, renames: readonly Edit[]): Edit[] {
  const from = lineStart(syntax, header.range[0]);
  const until = nextLine(syntax, (header.entries.at(-1) ?? header).range[1]);
  const place = nextLine(syntax, (above.entries.at(-1) ?? above).range[1]);
  let block = syntax.text.slice(from, until);
  for (const { range, text } of [withoutHeader(syntax, header), ...renames].sort((a, b) => b.range[0] - a.range[0]))
    block = block.slice(0, range[0] - from) + text + block.slice(range[1] - from);
  const lastLineIsOpen = place === syntax.text.length && !syntax.text.endsWith('\n') ? syntax.eol : '';
  return [
    { range: [place, place], text: lastLineIsOpen + (block === '' || block.endsWith('\n') ? block : `${block}${syntax.eol}`) },
    { range: [from, until], text: '' },
  ];
}

function inBraces(syntax: Syntax, entry: Entry, target: (key: string) => KeyPath): Edit[] | null {
  if (hasComment(syntax, entry.value)) return null;
  const parts = syntax.entries.filter(({ base, within }) => within === 'inline' && base === entry.path);
  const lines = parts.map((part) => {
    const to = target(String(part.path.at(-1)));
    return `${written(to.slice(entry.base.length))} = ${slice(syntax, part.value)}`;
  });
  if (parts.some(({ path }) => path.length !== entry.path.length + 1)) return null;
  const between = entry.within === 'inline' ? ', ' : `${syntax.eol}${indentation(syntax, entry.range[0])}`;
  return lines.length === 0 ? null : [{ range: entry.range, text: lines.join(between) }];
}
