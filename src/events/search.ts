import { monthlyFiles, type OpenFile, withFile } from './files.ts';
import type { Cursor } from './reader.ts';
import { MAX_LINE, parseLine, type StoredEvent } from './stored.ts';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 256 * 1024;
/** Some five million events, searched in about half a second; three months of rounds every two minutes are a seventh of that. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** The longest end of a limit that is believed, 35 days, lies in the third month when it was met at the end of January. */
const MONTHS = 3;
/** As much as `tailEvents` reads. */
const NEAR_BYTES = 4 * 1024 * 1024;

export interface SearchOptions {
  /** Only what was written behind this place. */
  since?: Cursor | null;
  /** Needles of frequent events, sought in the newest 4 MiB alone: to parse each of them in a large log would take seconds. */
  near?: readonly string[];
  /** The last file that is looked at: files of later months were made under a wrong clock. */
  newest?: string | undefined;
  maxBytes?: number;
  chunkBytes?: number;
}

/**
 * The events whose line contains one of `needles`, newest first, of the three newest months. Lines without one are not parsed and not
 * even looked at one by one: the needles are sought in whole chunks, so that a log of gigabytes costs neither memory nor seconds.
 * `visit` ends the search by 'stop'. Never throws over what lies there.
 */
export function searchBack(
  logDir: string,
  needles: readonly string[],
  visit: (event: StoredEvent) => 'stop' | undefined,
  { since = null, near = [], newest, maxBytes = MOST_BYTES, chunkBytes = CHUNK_BYTES }: SearchOptions = {},
): void {
  const everywhere = needles.map((needle) => Buffer.from(needle));
  const nearby = [...everywhere, ...near.map((needle) => Buffer.from(needle))];
  const budget = { left: maxBytes };
  for (const name of monthlyFiles(logDir, 'events', newest).slice(-MONTHS).reverse()) {
    if (since !== null && name < since.file) return;
    const stopped = withFile(logDir, name, (file) => {
      // A file that became shorter is another one.
      const floor = name === since?.file && since.offset <= file.size ? since.offset : 0;
      for (const chunk of wholeLines(file, floor, budget, chunkBytes)) {
        for (const line of hits(chunk, maxBytes - budget.left <= NEAR_BYTES ? nearby : everywhere)) {
          const event = parseLine(line);
          if (event !== null && visit(event) === 'stop') return true;
        }
      }
      return budget.left <= 0;
    });
    if (stopped === true) return;
  }
}

/** Chunks that begin and end with a line, from the end of the file to `floor`. A line longer than a chunk is none of ours. */
function* wholeLines(file: OpenFile, floor: number, budget: { left: number }, chunkBytes: number): Generator<Buffer> {
  // One piece of memory for all: what a line told is taken out of it before the next is read.
  const memory = Buffer.allocUnsafe(chunkBytes);
  let end = file.size;
  while (end > floor && budget.left > 0) {
    const start = Math.max(floor, end - chunkBytes);
    const chunk = file.read(start, end - start, memory);
    budget.left -= end - start;
    // What stands before the first newline began earlier, and is read again with its beginning.
    const cut = start === floor ? 0 : chunk.indexOf(NEWLINE) + 1;
    if (start === floor || cut > 0) yield chunk.subarray(cut);
    end = cut > 0 && cut < chunk.length ? start + cut : start;
  }
}

/** The lines of a chunk in which a needle stands, last line first. */
function hits(chunk: Buffer, needles: readonly Buffer[]): Buffer[] {
  const starts = new Set<number>();
  for (const needle of needles) {
    for (let at = chunk.indexOf(needle); at >= 0; ) {
      starts.add(at === 0 ? 0 : chunk.lastIndexOf(NEWLINE, at - 1) + 1);
      const end = chunk.indexOf(NEWLINE, at);
      at = end < 0 ? -1 : chunk.indexOf(needle, end);
    }
  }
  return [...starts]
    .sort((a, b) => b - a)
    .map((start) => {
      const end = chunk.indexOf(NEWLINE, start);
      return chunk.subarray(start, end < 0 ? chunk.length : end);
    })
    .filter((line) => line.length <= MAX_LINE);
}
