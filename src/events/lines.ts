import type { OpenFile } from './files.ts';
import { MAX_LINE } from './stored.ts';

const NEWLINE = 0x0a;

/** Bytes that may still be read; shared by the files of one scan. */
export interface Budget {
  left: number;
}

/** The pieces of one line that spans chunks. What is longer than any line of ours is not kept. */
class Pieces {
  private parts: Buffer[] = [];
  length = 0;

  add(part: Buffer, where: 'front' | 'back'): void {
    this.length += part.length;
    if (this.length > MAX_LINE) this.parts = [];
    else if (where === 'front') this.parts.unshift(part);
    else this.parts.push(part);
  }

  /** The line, or null when it was too long. Leaves nothing behind. */
  take(): Buffer | null {
    const line = this.length > MAX_LINE ? null : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    return line;
  }
}

/** The lines of a file from its end to its beginning, read in chunks, so that the size of the file does not matter. Null: too long. */
export function* linesBackward(file: OpenFile, budget: Budget, chunkBytes: number): Generator<Buffer | null> {
  const pieces = new Pieces();
  let end = file.size;
  while (end > 0 && budget.left > 0) {
    const length = Math.min(chunkBytes, end, budget.left);
    const chunk = file.read(end - length, length);
    budget.left -= length;
    let stop = chunk.length;
    for (let at = lastNewline(chunk, stop); at >= 0; at = lastNewline(chunk, stop)) {
      pieces.add(chunk.subarray(at + 1, stop), 'front');
      yield pieces.take();
      stop = at;
    }
    pieces.add(chunk.subarray(0, stop), 'front');
    end -= length;
  }
  if (end === 0) yield pieces.take();
}

/** A negative start would mean "from the end" to `lastIndexOf`. */
function lastNewline(chunk: Buffer, stop: number): number {
  return stop === 0 ? -1 : chunk.lastIndexOf(NEWLINE, stop - 1);
}

export interface ForwardLine {
  line: Buffer | null;
  /** Offset behind the line and its newline. */
  next: number;
  /** False for the rest of the file behind its last newline: it may still be being written. */
  ended: boolean;
}

/** The lines of a file from `offset` to its end. */
export function* linesForward(file: OpenFile, offset: number, chunkBytes: number): Generator<ForwardLine> {
  const pieces = new Pieces();
  let position = offset;
  for (;;) {
    const chunk = file.read(position, chunkBytes);
    if (chunk.length === 0) break;
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      pieces.add(chunk.subarray(start, at), 'back');
      start = at + 1;
      yield { line: pieces.take(), next: position + start, ended: true };
    }
    pieces.add(chunk.subarray(start), 'back');
    position += chunk.length;
    // Given up here and not at its end, or a follower would read a gigabyte without a newline again and again.
    if (pieces.length > MAX_LINE) yield { line: pieces.take(), next: position, ended: true };
  }
  if (pieces.length > 0) yield { line: pieces.take(), next: position, ended: false };
}
