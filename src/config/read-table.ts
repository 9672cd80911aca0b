import * as z from 'zod';
import { describeValue, valueAtPath } from './found.ts';
import { leafRemedy } from './leaf-remedy.ts';
import { pointedRefusal } from './pointed.ts';
import type { KeyPath, Report } from './problems.ts';
import type { CustomIssue } from './schema/kinds.ts';
import { accepts, core, keysOf } from './schema-walk.ts';
import { nearest, unknownKeyRemedy } from './suggest.ts';
import { isTable, samePath } from './tables.ts';

interface Reading {
  report: Report;
  /** Paths that were refused already: one problem each is enough. */
  refused: readonly KeyPath[];
  /** Every dotted key of the schema, for keys that stand in the wrong table. */
  everyKey: readonly string[];
  /** `present`: an override, where an absent key means "as in the base table" and not "the default". */
  mode: 'complete' | 'present';
}

/**
 * Reads one table key by key, so that each wrong key is told and the right ones can still be checked against each other. Returns what
 * could be read: a key that had a problem is absent.
 */
export function readTable(schema: z.ZodObject, raw: unknown, path: KeyPath, reading: Reading): Record<string, unknown> {
  const { report, refused } = reading;
  const out: Record<string, unknown> = {};
  if (raw !== undefined && !isTable(raw)) {
    report({
      code: 'AR-CFG-011',
      path,
      at: 'key',
      message: `found ${describeValue(raw, path)}; accepted: a table`,
      remedy: tableRemedy(path),
    });
    return out;
  }
  const table = raw ?? {};
  const misspelt = misspeltKeys(schema, table);
  for (const [name, kind] of Object.entries(schema.shape)) {
    const own = [...path, name];
    const given = Object.hasOwn(table, name);
    const excused = misspelt.has(name) || refused.some((done) => samePath(done, own));
    if (reading.mode === 'present' && !given) continue;
    const inner = core(kind);
    if (inner instanceof z.ZodObject)
      out[name] = readTable(inner, excused ? {} : table[name], own, excused ? { ...reading, mode: 'present' } : reading);
    else if (!excused && isListOfTables(inner) && Array.isArray(table[name]))
      out[name] = table[name].map((item, index) => readTable(core(inner.element) as z.ZodObject, item, [...own, index], reading));
    else if (!excused) readLeaf(kind as z.ZodType, given ? table[name] : undefined, own, reading, out);
  }
  for (const name of Object.keys(table)) {
    if (!Object.hasOwn(schema.shape, name)) readUnlisted(schema, name, table[name], path, reading, out);
  }
  return out;
}

/** `[[agent.fallback]]`. */
function isListOfTables(kind: z.core.$ZodType): kind is z.ZodArray {
  return kind instanceof z.ZodArray && core(kind.element) instanceof z.ZodObject;
}

/** Known keys that are absent because they were spelt wrong: that is told once, not as a missing key too. */
function misspeltKeys(schema: z.ZodObject, table: Record<string, unknown>): Set<string> {
  const unlisted = Object.keys(table).filter((name) => !Object.hasOwn(schema.shape, name));
  const absent = keysOf(schema).filter((name) => !Object.hasOwn(table, name));
  return new Set(unlisted.flatMap((name) => nearest(name, absent) ?? []));
}

function readLeaf(kind: z.ZodType, value: unknown, path: KeyPath, { report }: Reading, out: Record<string, unknown>): void {
  const result = kind.safeParse(value);
  if (result.success) {
    out[String(path.at(-1))] = result.data;
    return;
  }
  if (value === undefined) {
    report({
      code: 'AR-CFG-012',
      path,
      at: 'key',
      message: `is missing; accepted: ${accepts(kind)}`,
      remedy: `Add ${String(path.at(-1))} = ... to [${path.slice(0, -1).join('.')}].`,
    });
    return;
  }
  for (const issue of distinct(result.error.issues)) {
    const within = presentPart(value, issue.path);
    const at = [...path, ...(within as KeyPath)];
    const found = describeValue(valueAtPath(value, within), at);
    const own = issue.code === 'custom' ? (issue.params as CustomIssue | undefined) : undefined;
    const usual =
      issue.code === 'invalid_key' ? 'is no name for an environment variable' : `found ${found}; accepted: ${accepts(kind, within)}`;
    report({
      code: own?.code ?? 'AR-CFG-011',
      path: at,
      at: 'value',
      message: own ? issue.message : usual,
      remedy: own?.remedy ?? leafRemedy(kind, value, path),
    });
  }
}

/** zod points at the first item of an empty list, and of one that a single text stands for; what is wrong is the whole. */
function presentPart(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] {
  const items = Array.isArray(value) ? value.length : typeof value === 'string' ? 0 : Number.POSITIVE_INFINITY;
  return typeof path[0] === 'number' && path[0] >= items ? [] : path;
}

/** A list with one wrong item is one slip, as is a list of a hundred: told at the first few. */
function distinct(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const seen = new Set<string>();
  return issues.filter((issue) => !seen.has(JSON.stringify(issue.path)) && seen.add(JSON.stringify(issue.path))).slice(0, 3);
}

function readUnlisted(
  schema: z.ZodObject,
  name: string,
  value: unknown,
  path: KeyPath,
  reading: Reading,
  out: Record<string, unknown>,
): void {
  const own = [...path, name];
  const rest = schema.def.catchall;
  const pointed = pointedRefusal(own);
  if (pointed !== null) {
    reading.report({ code: 'AR-CFG-013', path: own, at: 'key', ...pointed });
  } else if (rest instanceof z.ZodObject && isTable(value)) {
    out[name] = readTable(rest, value, own, { ...reading, mode: 'present' });
  } else if (rest instanceof z.ZodUnknown) {
    out[name] = value;
  } else {
    const remedy = unknownKeyRemedy(own, keysOf(schema), reading.everyKey);
    reading.report({ code: 'AR-CFG-010', path: own, at: 'key', message: 'is not a known key', remedy });
  }
}

function tableRemedy(path: KeyPath): string {
  return `Write it as a table: [${path.join('.')}], its keys below it.`;
}
