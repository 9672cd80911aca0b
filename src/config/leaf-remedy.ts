import * as z from 'zod';
import type { KeyPath } from './problems.ts';
import { core } from './schema-walk.ts';
import { nearest } from './suggest.ts';
import { isTable } from './tables.ts';

/** What to do about a value of the wrong kind: the slips that people make get their correction spelt out. */
export function leafRemedy(kind: z.core.$ZodType, value: unknown, path: KeyPath): string {
  const name = String(path.at(-1));
  const inner = core(kind);
  if (typeof value === 'string') {
    if (inner instanceof z.ZodArray || inner instanceof z.ZodTuple) return `Put it into brackets: ${name} = ["..."]`;
    if (inner instanceof z.ZodNumber && /^-?\d{1,15}$/.test(value)) return `Write it without quotes: ${name} = ${value}`;
    if (inner instanceof z.ZodBoolean && /^(true|false)$/i.test(value)) return `Write it without quotes: ${name} = ${value.toLowerCase()}`;
    if (inner instanceof z.ZodEnum) {
      const near = nearest(value, inner.options.map(String));
      if (near !== null) return `Did you mean "${near}"?`;
    }
  }
  if (inner instanceof z.ZodRecord && !isTable(value)) return `Write it as a table: [${path.join('.')}], below it NAME = "text"`;
  return 'docs/configuration.md says what each key takes.';
}
