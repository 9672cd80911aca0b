/** The last bytes of a stream in a ring of fixed size. */
export interface Tail {
  push(chunk: Buffer): void;
  text(): string;
}

export function createTail(maxBytes: number): Tail {
  const ring = Buffer.allocUnsafe(maxBytes);
  let next = 0;
  let full = false;
  return {
    push(chunk) {
      const kept = chunk.length > maxBytes ? chunk.subarray(chunk.length - maxBytes) : chunk;
      const fitting = Math.min(kept.length, maxBytes - next);
      kept.copy(ring, next, 0, fitting);
      kept.copy(ring, 0, fitting);
      full ||= next + kept.length >= maxBytes;
      next = (next + kept.length) % maxBytes;
    },
    text() {
      if (!full) return ring.toString('utf8', 0, next);
      const bytes = Buffer.concat([ring.subarray(next), ring.subarray(0, next)]);
      return bytes.toString('utf8', characterStart(bytes, 0));
    },
  };
}

/** The first position at or after `from` where a UTF-8 character begins. */
export function characterStart(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && at < from + 3 && isContinuation(bytes[at])) at++;
  return at;
}

/** The last position at or before `to` where a UTF-8 character ends, so that cutting there splits none. */
export function characterEnd(bytes: Buffer, to: number): number {
  let at = to;
  while (at > 0 && at > to - 3 && isContinuation(bytes[at])) at--;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
