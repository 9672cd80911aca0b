import { type Family, monthlyFiles, withFile } from './files.ts';
import { linesBackward, linesForward } from './lines.ts';
import { parseLine, type StoredEvent } from './stored.ts';

const CHUNK_BYTES = 65_536;
/** Some 20,000 events: the newest of any kind that matters is among them, and reading them takes about 50 ms. */
const TAIL_BYTES = 4 * 1024 * 1024;
const FORWARD_BYTES = 1024 * 1024;

export interface ScanOptions {
  family?: Family;
  /** Stop after so many bytes, whatever was found. */
  maxBytes?: number;
  chunkBytes?: number;
}

/**
 * Shows the events to `visit`, newest first, over the months, until it returns 'stop', the files are through or `maxBytes` are read.
 * Never throws over what lies there; only whole lines count. True when nothing older is left.
 */
export function scanBack(logDir: string, visit: (event: StoredEvent) => 'stop' | undefined, options: ScanOptions = {}): boolean {
  const { family = 'events', maxBytes = TAIL_BYTES, chunkBytes = CHUNK_BYTES } = options;
  const budget = { left: maxBytes };
  let stopped = false;
  for (const name of monthlyFiles(logDir, family).reverse()) {
    withFile(logDir, name, (file) => {
      for (const line of linesBackward(file, budget, chunkBytes)) {
        const event = line === null ? null : parseLine(line);
        if (event !== null && visit(event) === 'stop') {
          stopped = true;
          return;
        }
      }
    });
    if (stopped || budget.left <= 0) return false;
  }
  return true;
}

export interface TailOptions extends ScanOptions {
  limit: number;
  /** Only these kinds; all without it. */
  kinds?: readonly string[];
}

/** The newest `limit` events, oldest first. Costs the same whether the log has a kilobyte or a gigabyte. */
export function tailEvents(logDir: string, { limit, kinds, ...options }: TailOptions): StoredEvent[] {
  const found: StoredEvent[] = [];
  if (limit <= 0) return found;
  scanBack(
    logDir,
    (event) => {
      if (kinds === undefined || kinds.includes(event.event)) found.push(event);
      return found.length >= limit ? 'stop' : undefined;
    },
    options,
  );
  return found.reverse();
}

/** Where a reader is; plain data, so that it can be kept. */
export interface Cursor {
  file: string;
  offset: number;
}

/** The end of the log: what is read from here is what comes next. Null when there is no log yet, which is the same place. */
export function endCursor(logDir: string, family: Family = 'events', newest?: string): Cursor | null {
  const file = monthlyFiles(logDir, family, newest).at(-1);
  return file === undefined ? null : { file, offset: withFile(logDir, file, ({ size }) => size) ?? 0 };
}

export interface Forward {
  events: StoredEvent[];
  cursor: Cursor | null;
  /** True when `maxBytes` ended the reading and more is there. */
  more: boolean;
}

/**
 * The events behind `cursor` (null: from the beginning), over the months, oldest first. A last line without its newline is left for the
 * next call, unless a newer month shows that nobody will end it. A file that became shorter is read from its beginning.
 */
export function readFrom(logDir: string, cursor: Cursor | null, options: ScanOptions = {}): Forward {
  const { family = 'events', maxBytes = FORWARD_BYTES, chunkBytes = CHUNK_BYTES } = options;
  const names = monthlyFiles(logDir, family).filter((name) => cursor === null || name >= cursor.file);
  const events: StoredEvent[] = [];
  let reached = cursor;
  let read = 0;
  let more = false;
  for (const name of names) {
    const isNewest = name === names.at(-1);
    withFile(logDir, name, (file) => {
      const from = name === cursor?.file && cursor.offset <= file.size ? cursor.offset : 0;
      reached = { file: name, offset: from };
      for (const { line, next, ended } of linesForward(file, from, chunkBytes)) {
        if (!ended && isNewest) break;
        const event = line === null ? null : parseLine(line);
        if (event !== null) events.push(event);
        read += next - reached.offset;
        reached = { file: name, offset: next };
        if (read >= maxBytes) {
          more = next < file.size || !isNewest;
          return;
        }
      }
    });
    if (more) break;
  }
  return { events, cursor: reached, more };
}
