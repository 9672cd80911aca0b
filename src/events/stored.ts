/** One line of an events or metrics file as it was found: written by this version, a later one, or the Python predecessor. */
export interface StoredEvent {
  ts: string;
  event: string;
  [field: string]: unknown;
}

/** A longer line is not ours and is skipped; the writer's own bound is far below. */
export const MAX_LINE = 1024 * 1024;

const START_OF_EVENT = '{"ts":';

/**
 * The event in a line (without its newline), or null for anything else: blank, torn, binary, not an event. A whole event behind the
 * torn piece of another one, or behind the NULs that a power cut left, is found too: its beginning cannot occur inside a JSON string.
 */
export function parseLine(line: Buffer): StoredEvent | null {
  if (line.length === 0 || line.length > MAX_LINE) return null;
  const text = line.toString('utf8');
  const whole = asEvent(text);
  if (whole !== null) return whole;
  const start = text.lastIndexOf(START_OF_EVENT);
  return start > 0 ? asEvent(text.slice(start)) : null;
}

function asEvent(text: string): StoredEvent | null {
  try {
    const value: unknown = JSON.parse(text);
    return isEvent(value) ? value : null;
  } catch {
    return null;
  }
}

function isEvent(value: unknown): value is StoredEvent {
  if (typeof value !== 'object' || value === null) return false;
  const { ts, event } = value as Record<string, unknown>;
  return typeof ts === 'string' && typeof event === 'string';
}
