import type { Document } from '../document.ts';
import type { KeyPath } from '../problems.ts';
import { isTable, tableOf } from '../tables.ts';
import type { Edit } from './edits.ts';
import type { Syntax } from './syntax.ts';

/**
 * One change of the file, said twice: in the text, and in the document that the text means. It is adopted only when parsing the edited
 * text gives exactly the expected document, so that neither half needs to be trusted.
 */
export interface Rewrite {
  /** Null when it cannot be done safely the way the text is written: then a person has to. */
  edits(syntax: Syntax): Edit[] | null;
  /** A new document; the given one is not changed. */
  expected(document: Document): Document;
}

/** Several rewrites of different places as one. */
export function together(...rewrites: readonly Rewrite[]): Rewrite {
  return {
    edits(syntax) {
      const parts = rewrites.map((rewrite) => rewrite.edits(syntax));
      return parts.every((part) => part !== null) ? parts.flat() : null;
    },
    expected: (document) => rewrites.reduce((now, rewrite) => rewrite.expected(now), document),
  };
}

export function withValue(document: Document, path: KeyPath, value: unknown): Document {
  const [step, ...rest] = path;
  if (step === undefined) return document;
  return { ...document, [step]: rest.length === 0 ? value : withValue(tableOf(document[step]), rest, value) };
}

export function without(document: Document, path: KeyPath): Document {
  const [step, ...rest] = path;
  if (step === undefined || !Object.hasOwn(document, step)) return document;
  const { [step]: below, ...others } = document;
  return rest.length === 0 || !isTable(below) ? others : { ...others, [step]: without(below, rest) };
}

/** The same for two documents exactly when they mean the same: order, layout and empty tables do not count. */
export function meaningOf(value: unknown): string {
  return JSON.stringify(canonical(value));
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isTable(value)) return typeof value === 'string' ? value : [typeof value, String(value)];
  const keys = Object.keys(value).filter((key) => !isEmpty(value[key]));
  return Object.fromEntries(keys.sort().map((key) => [key, canonical(value[key])]));
}

function isEmpty(value: unknown): boolean {
  return isTable(value) && Object.values(value).every(isEmpty);
}
