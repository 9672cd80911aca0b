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
    if (isArgv(inner)) return `Write it as a list, the program first: ${name} = ${argvOf(value)}`;
    if (isArgvs(inner)) return `Write it as a list of lists, the program first: ${name} = [${argvOf(value)}]`;
    if (inner instanceof z.ZodArray || inner instanceof z.ZodTuple) return `Put it into brackets: ${name} = ["..."]`;
    if (inner instanceof z.ZodNumber && /^-?\d{1,15}$/.test(value)) return `Write it without quotes: ${name} = ${value}`;
    if (inner instanceof z.ZodBoolean && /^(true|false)$/i.test(value)) return `Write it without quotes: ${name} = ${value.toLowerCase()}`;
    if (inner instanceof z.ZodEnum) {
      const near = nearest(value, inner.options.map(String));
      if (near !== null) return `Did you mean "${near}"?`;
    }
  }
  if (isArgvs(inner) && isTexts(value))
    return `Each command is a list of its own: ${name} = [${value.length === 1 ? argvOf(value[0] ?? '') : '["..."]'}]`;
  if (inner instanceof z.ZodRecord && !isTable(value)) return `Write it as a table: [${path.join('.')}], below it NAME = "text"`;
  return 'docs/configuration.md says what each key takes.';
}

const LONGEST_SHOWN = 120;

/** A command line as the list that it stands for, where no shell is needed to take it apart. */
function argvOf(line: string): string {
  const words = line.trim().split(/ +/);
  const isPlain = line.length <= LONGEST_SHOWN && words.every((word) => /^[\w@%+=:,./~{}-]+$/.test(word));
  if (isPlain) return `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
  return /\s/.test(line.trim()) ? '["sh", "-c", "..."]' : '["..."]';
}

function isArgv(kind: z.core.$ZodType): boolean {
  return kind instanceof z.ZodTuple;
}

function isArgvs(kind: z.core.$ZodType): boolean {
  return kind instanceof z.ZodArray && isArgv(core(kind.element));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}
