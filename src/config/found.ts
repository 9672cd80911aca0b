import type { KeyPath } from './problems.ts';

/** A value as the user would recognise it, short. Values of environment variables may be secrets and are never shown. */
export function describeValue(value: unknown, path: KeyPath): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'object' && value !== null) return 'a table';
  const shown = !path.includes('env');
  if (typeof value === 'string') return shown ? `text ${JSON.stringify(shorten(value))}` : 'text';
  if (typeof value === 'boolean') return shown ? String(value) : 'true or false';
  if (typeof value === 'number') return shown ? numeral(value) : 'a number';
  return 'nothing';
}

function numeral(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return String(value);
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

/** The part of a wrong value that zod's path points at. */
export function valueAtPath(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : inner), value);
}
