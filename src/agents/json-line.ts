export type JsonRecord = Record<string, unknown>;

/** A JSON object, or null for everything else that a log may hold. */
export function parseJsonLine(line: string): JsonRecord | null {
  if (line.charCodeAt(0) !== 0x7b) return null;
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return null;
  }
}

export function objectOf(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A finite number, or null: records carry NaN, strings and nulls where a number belongs. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A count of tokens or calls: whole and not negative; 0 for anything else. */
export function countOf(value: unknown): number {
  const number = numberOf(value);
  return number !== null && number > 0 && number <= Number.MAX_SAFE_INTEGER ? Math.round(number) : 0;
}

/** A price or a duration: not negative, else null. */
export function amountOf(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && number >= 0 ? number : null;
}
