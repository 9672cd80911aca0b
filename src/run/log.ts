import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { errnoOf } from '../util/errors.ts';
import { characterEnd, characterStart } from './tail.ts';

export interface RunLog {
  /** Never throws: what the disk refuses is counted and the run goes on. */
  write(chunk: Buffer): void;
  close(): void;
  /** Bytes of output that the file does not hold. */
  droppedBytes(): number;
  /** errno of the first write that failed, else null. */
  error(): string | null;
}

/** Below this the head, the tail and the line between them have no room. */
const SMALLEST_MAX_BYTES = 4096;
const COPY_BYTES = 256 * 1024;
/** How far from the exact place a cut may be moved to fall between two lines; at most half a quarter. */
const LINE_SEARCH_BYTES = 64 * 1024;

/**
 * A log that keeps the beginning and the end of what is written within `maxBytes`, in ONE file, at every moment.
 *
 * It grows by append until it is full. Then the last quarter is copied to behind the first quarter, with a line between them that says
 * how many bytes are gone, and the file is cut there; it grows again from half. So each byte is written at most 1.5 times, and the
 * tail is never shorter than a quarter. A crash in the midst of the copying leaves a file in which the copied lines appear twice.
 *
 * Writes are synchronous: what the agent said is in the file before anybody acts on it, and an asynchronous queue would have to be
 * bounded by losing lines or by no longer reading. Appends go through O_APPEND, so somebody else's truncation leaves no hole.
 */
export function openLog(path: string, maxBytes: number): RunLog {
  const limit = Math.max(maxBytes, SMALLEST_MAX_BYTES);
  const quarter = Math.floor(limit / 4);
  const search = Math.min(LINE_SEARCH_BYTES, Math.floor(quarter / 2));
  let append: number | null = null;
  let edit: number | null = null;
  let size = 0;
  let headEnd: number | null = null;
  let markerLength = 0;
  let cutBytes = 0;
  let lostBytes = 0;
  /** Lost since the last successful write: the gap is told in the file itself as soon as it takes writes again. */
  let gapBytes = 0;
  let firstError: string | null = null;
  let scratch: Buffer | null = null;

  const failed = (error: unknown) => {
    firstError ??= errnoOf(error) ?? 'EIO';
  };
  try {
    append = openSync(path, 'a');
    edit = openSync(path, 'r+');
    size = fstatSync(append).size;
  } catch (error) {
    failed(error);
  }

  /** Appends all of it, or says how much of it the disk refused. */
  function put(bytes: Buffer): number {
    let done = 0;
    try {
      while (append !== null && done < bytes.length) done += writeSync(append, bytes, done);
    } catch (error) {
      failed(error);
    }
    size += done;
    return bytes.length - done;
  }

  function copy(descriptor: number, from: number, to: number, target: number): number {
    scratch ??= Buffer.allocUnsafe(COPY_BYTES);
    const buffer = scratch;
    let at = target;
    for (let source = from; source < to; ) {
      const length = readSync(descriptor, buffer, 0, Math.min(buffer.length, to - source), source);
      if (length === 0) break; // Somebody truncated the file under us.
      source += length;
      for (let done = 0; done < length; ) done += writeSync(descriptor, buffer, done, length - done, at + done);
      at += length;
    }
    return at;
  }

  /** Makes room by dropping the middle. */
  function compact(): void {
    if (edit === null) return;
    size = fstatSync(edit).size;
    if (size < limit - quarter || size <= (headEnd ?? 0)) return;
    headEnd ??= lastLineEnd(edit, quarter, search);
    const keepFrom = nextLineStart(edit, size - quarter, search);
    const cut = keepFrom - headEnd - markerLength;
    const marker = Buffer.from(
      `${endsLine(edit, headEnd) ? '' : '\n'}[agent-runner] ${cutBytes + cut} bytes of output are not kept here: the log may hold ${limit}\n`,
    );
    writeSync(edit, marker, 0, marker.length, headEnd);
    const end = copy(edit, keepFrom, size, headEnd + marker.length);
    ftruncateSync(edit, end);
    cutBytes += cut;
    markerLength = marker.length;
    size = end;
  }

  function writePart(part: Buffer): void {
    let refused = part.length;
    try {
      if (size + part.length > limit) compact();
      const gap = gapBytes > 0 ? Buffer.from(`\n[agent-runner] ${gapBytes} bytes of output were lost here: ${firstError}\n`) : null;
      if (gap === null || put(gap) === 0) {
        if (gap !== null) gapBytes = 0;
        refused = size + part.length > limit ? part.length : put(part);
      }
    } catch (error) {
      failed(error);
    }
    lostBytes += refused;
    gapBytes += refused;
  }

  return {
    write(chunk) {
      // In parts, so that a chunk that is larger than a small log still leaves its tail.
      for (let from = 0; from < chunk.length; from += quarter) writePart(chunk.subarray(from, from + quarter));
    },
    close() {
      for (const descriptor of [append, edit]) {
        try {
          if (descriptor !== null) closeSync(descriptor);
        } catch (error) {
          failed(error); // Network file systems tell of a full disk only here.
        }
      }
      append = null;
      edit = null;
    },
    droppedBytes: () => cutBytes + lostBytes,
    error: () => firstError,
  };
}

function window(descriptor: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
}

/** The last place at or before `to` where a line ends; without one near it, where a character ends. */
function lastLineEnd(descriptor: number, to: number, search: number): number {
  const from = Math.max(0, to - search);
  const bytes = window(descriptor, from, to + 1);
  const newline = bytes.lastIndexOf(0x0a, to - from - 1);
  return newline < 0 ? from + characterEnd(bytes, Math.min(to - from, bytes.length)) : from + newline + 1;
}

/** The first place at or after `from` where a line begins; without one near it, where a character begins. */
function nextLineStart(descriptor: number, from: number, search: number): number {
  const bytes = window(descriptor, from - 1, from + search);
  const newline = bytes.indexOf(0x0a);
  return newline < 0 ? from - 1 + characterStart(bytes, 1) : from + newline;
}

function endsLine(descriptor: number, at: number): boolean {
  return at === 0 || window(descriptor, at - 1, at)[0] === 0x0a;
}
