type Fields = Record<string, unknown>;

/** All that hooks may add to a round's context, as JSON: a prompt that is delivered as an argument must stay below 128 KiB. */
export const MOST_CONTEXT_BYTES = 16 * 1024;
export const DEEPEST_CONTEXT = 8;

/** What a pre_round hook printed: nothing, or one JSON object that may have a `context`. Pure. */
export function contextIn(stdout: string, truncated: boolean): { context: Fields | null } | { problem: string } {
  if (truncated) return { problem: `printed more than a context may have (${MOST_CONTEXT_BYTES} bytes)` };
  if (stdout.trim() === '') return { context: null };
  let printed: unknown;
  try {
    printed = JSON.parse(stdout);
  } catch {
    return { problem: 'printed something that is not JSON; what is for people belongs on standard error' };
  }
  if (!isObject(printed)) return { problem: 'printed JSON that is no object; {"context": {...}} is expected' };
  if (!Object.hasOwn(printed, 'context')) return { context: null };
  const { context } = printed;
  return isObject(context) ? { context } : { problem: 'printed a context that is no object' };
}

/** Lays `added` over what hooks before it said, key by key; refuses what would make the whole too large or too deep. Pure. */
export function mergeContext(before: Fields, added: Fields): { merged: Fields } | { problem: string } {
  // First of all: JSON.stringify recurses, and a thousand brackets are cheap to print.
  if (isDeeperThan(added, DEEPEST_CONTEXT)) return { problem: `its context is nested more than ${DEEPEST_CONTEXT} deep` };
  // Entries, not assignment: a key may be called __proto__.
  const merged = Object.fromEntries([...Object.entries(before), ...Object.entries(added)]);
  const bytes = Buffer.byteLength(JSON.stringify(merged));
  if (bytes <= MOST_CONTEXT_BYTES) return { merged };
  return { problem: `with its context there would be ${bytes} bytes; all hooks together may have ${MOST_CONTEXT_BYTES}` };
}

function isDeeperThan(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const objects = level.filter((item): item is object => typeof item === 'object' && item !== null);
    if (objects.length > 0 && depth >= most) return true;
    level = objects.flatMap((item) => Object.values(item));
  }
  return false;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
