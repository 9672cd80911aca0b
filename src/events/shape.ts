import { isoTime } from '../util/clock.ts';
import { type Redact, redactHead } from '../util/redact.ts';

/** UTF-16 units of free text that are kept, by field name; the first two numbers are the Python predecessor's. */
const TEXT_LIMITS: Readonly<Record<string, number>> = {
  raw: 200,
  content: 200,
  matched: 200,
  target: 200,
  reason: 2000,
  message: 2000,
  error: 1000,
  error_message: 1000,
  traceback: 2048,
};
/** Any other text: a path may have 4096 bytes, and nothing that is longer is a name. */
const DEFAULT_LIMIT = 4096;
/** `reason` of these kinds is what an agent wrote for the purpose. */
const SHORT_REASON = new Set(['agent_self_terminated']);

/** A line longer than this loses the ends of its lists: it must stay one write, and cheap to read. */
export const MAX_LINE_BYTES = 65_536;

/**
 * One event as a line: `ts` first, then `event`, then its fields. Every text in it, at any depth, is redacted first and cut second.
 * Lists that make it too long are shortened, and `omitted` says by how many entries each.
 */
export function eventLine(kind: string, fields: Readonly<Record<string, unknown>>, at: number, hide: Redact): string {
  const head = { ts: isoTime(at), event: kind };
  const shaped = shape(fields, kind, '', hide) as Record<string, unknown>;
  const line = JSON.stringify({ ...head, ...shaped });
  return fits(line) ? line : shorten(head, shaped);
}

function shape(value: unknown, kind: string, key: string, hide: Redact): unknown {
  if (typeof value === 'string') return redactHead(value, limitOf(kind, key), hide);
  if (Array.isArray(value)) return value.map((item) => shape(item, kind, key, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shape(item, kind, name, hide)]));
}

function limitOf(kind: string, key: string): number {
  return key === 'reason' && SHORT_REASON.has(kind) ? 200 : (TEXT_LIMITS[key] ?? DEFAULT_LIMIT);
}

function shorten(head: object, fields: Record<string, unknown>): string {
  const omitted: Record<string, number> = {};
  const rest = { ...fields };
  for (;;) {
    const longest = longestList(rest);
    if (longest === null) break;
    const list = rest[longest] as unknown[];
    const kept = Math.floor(list.length / 2);
    rest[longest] = list.slice(0, kept);
    omitted[longest] = (omitted[longest] ?? 0) + list.length - kept;
    const line = JSON.stringify({ ...head, ...rest, omitted });
    if (fits(line)) return line;
  }
  // No list is to blame: keep what is short.
  const short = Object.entries(rest).filter(([, value]) => JSON.stringify(value ?? null).length <= 100);
  return JSON.stringify({ ...head, ...Object.fromEntries(short) });
}

function longestList(fields: Record<string, unknown>): string | null {
  let longest: string | null = null;
  let size = 2;
  for (const [name, value] of Object.entries(fields)) {
    const length = Array.isArray(value) ? JSON.stringify(value).length : 0;
    if (length > size) [longest, size] = [name, length];
  }
  return longest;
}

function fits(line: string): boolean {
  return Buffer.byteLength(line) < MAX_LINE_BYTES;
}
