import * as z from 'zod';

/** The schema without default, null and the like around it. */
export function core(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) inner = inner.unwrap();
  return inner;
}

/** What a user may write for this key, in words; `path` leads on to an item of a list or a table. */
export function accepts(schema: z.core.$ZodType, path: readonly PropertyKey[] = []): string {
  if (path.length > 0) {
    const item = itemOf(core(schema));
    return item === null ? accepts(schema) : accepts(item, path.slice(1));
  }
  const own = z.globalRegistry.get(schema)?.accepts;
  if (typeof own === 'string') return own;
  if (schema instanceof z.ZodPipe) return accepts(schema.in);
  const inner =
    schema instanceof z.ZodDefault || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? schema.unwrap() : null;
  return inner === null ? 'something else' : accepts(inner);
}

function itemOf(schema: z.core.$ZodType): z.core.$ZodType | null {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodTuple) return schema.def.rest;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return null;
}

export function keysOf(table: z.ZodObject): string[] {
  return Object.keys(table.shape);
}

export interface SchemaKey {
  path: readonly string[];
  schema: z.core.$ZodType;
}

/** Every key of the schema in the order of the file, tables opened up, phases as `<name>`. */
export function everyKeyOf(table: z.ZodObject, path: readonly string[] = []): SchemaKey[] {
  const keys = Object.entries(table.shape).flatMap(([name, kind]): SchemaKey[] => {
    const inner = core(kind);
    return inner instanceof z.ZodObject ? everyKeyOf(inner, [...path, name]) : [{ path: [...path, name], schema: kind }];
  });
  const rest = table.def.catchall;
  return rest instanceof z.ZodObject ? [...keys, ...everyKeyOf(rest, [...path, '<name>'])] : keys;
}
