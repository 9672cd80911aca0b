import type { KeyPath } from './problems.ts';

/** Small questions about a parsed TOML document. */

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export function tableOf(value: unknown): Record<string, unknown> {
  return isTable(value) ? value : {};
}

export function valueAt(document: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, step) => tableOf(value)[step], document);
}

export function samePath(a: KeyPath, b: KeyPath): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}
