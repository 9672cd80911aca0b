import { characterEnd } from './tail.ts';

/** Longer lines are handed on cut to this: 100 MB without a newline must not need 100 MB of memory. */
export const MAX_LINE_BYTES = 1024 * 1024;

export interface LineReader {
  /** The chunk is not kept. */
  push(chunk: Buffer): void;
  /** The output is over: a last line without a newline counts too. */
  end(): void;
}

const NEWLINE = 0x0a;
const BRACE = 0x7b;
const NEWLINE_BRACE = Buffer.from('\n{');

/**
 * Cuts a stream of bytes into lines. Only whole lines are decoded, so a character that arrives in two chunks stays whole. In mode
 * 'json' lines that do not begin with `{` are found and skipped by a search over bytes, without decoding them.
 */
export function createLineReader(mode: 'json' | 'all', onLine: (line: string) => void): LineReader {
  let carry = Buffer.allocUnsafe(4096);
  let carried = 0;
  /** Inside a line of which nothing more is wanted: not JSON. */
  let skipping = false;

  function extend(bytes: Buffer): void {
    if (skipping || bytes.length === 0) return;
    if (mode === 'json' && carried === 0 && bytes[0] !== BRACE) {
      skipping = true;
      return;
    }
    // One byte more than a line may have: it shows whether the cut is inside a character.
    const kept = Math.min(bytes.length, MAX_LINE_BYTES + 1 - carried);
    if (carried + kept > carry.length) {
      const larger = Buffer.allocUnsafe(Math.min(MAX_LINE_BYTES + 1, Math.max(2 * carry.length, carried + kept)));
      carry.copy(larger, 0, 0, carried);
      carry = larger;
    }
    bytes.copy(carry, carried, 0, kept);
    carried += kept;
  }

  function finishCarried(): void {
    const wanted = !skipping;
    const length = carried > MAX_LINE_BYTES ? characterEnd(carry, MAX_LINE_BYTES) : carried;
    skipping = false;
    carried = 0;
    if (wanted) onLine(carry.toString('utf8', 0, length));
  }

  return {
    push(chunk) {
      let from = 0;
      if (carried > 0 || skipping) {
        const newline = chunk.indexOf(NEWLINE);
        if (newline < 0) return extend(chunk);
        extend(chunk.subarray(0, newline));
        finishCarried();
        from = newline + 1;
      }
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end > from) wholeLines(chunk.subarray(from, end), mode, onLine);
      extend(chunk.subarray(Math.max(from, end)));
    },
    end() {
      if (carried > 0 || skipping) finishCarried();
    },
  };
}

/** `block` ends with a newline. One decode for all its lines: a call into the engine's C++ per line would cost more than the line. */
function wholeLines(block: Buffer, mode: 'json' | 'all', onLine: (line: string) => void): void {
  const first = mode === 'all' || block[0] === BRACE ? 0 : block.indexOf(NEWLINE_BRACE) + 1;
  if (first === 0 && mode === 'json' && block[0] !== BRACE) return;
  const text = block.toString('utf8', first);
  let from = 0;
  while (from < text.length) {
    const end = text.indexOf('\n', from);
    onLine(end - from > MAX_LINE_BYTES ? text.slice(from, from + MAX_LINE_BYTES) : text.slice(from, end));
    from = end + 1;
    if (mode === 'json' && text.charCodeAt(from) !== BRACE) {
      const next = text.indexOf('\n{', from);
      if (next < 0) return;
      from = next + 1;
    }
  }
}
