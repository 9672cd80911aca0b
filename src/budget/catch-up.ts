import { createHash } from 'node:crypto';
import { monthlyFiles, type OpenFile, withFile } from '../events/files.ts';
import { linesForward } from '../events/lines.ts';
import { parseLine } from '../events/stored.ts';
import { foldEvent, LEDGER_KINDS } from './fold.ts';
import type { Ledger, Place } from './ledger.ts';

const CHUNK_BYTES = 256 * 1024;
/** Before the place where reading stopped: some line's end with its time is in it. */
const MARKED_BYTES = 256;
/** One month and the one before are written to; a clock that was wrong for a while leaves files of months to come behind them. */
const KEPT_PLACES = 12;

/** The start of a line as the writer makes it, with its kind. */
const HEAD = /^\{"ts":"[^"\\]{1,40}","event":"(\w+)"/;
const HEAD_BYTES = 120;
const EVENT_START = Buffer.from('{"ts":');

/**
 * Folds what the events files hold beyond the ledger's places, at most some `maxBytes`; true when more is there. A last line without its
 * newline waits for the next time, unless a newer month shows that nobody will end it. A file that is not the one that was read (cut,
 * emptied, another one in its place) is read from its beginning: the fold knows what it has counted.
 */
export function catchUp(logDir: string, ledger: Ledger, maxBytes = Number.POSITIVE_INFINITY): boolean {
  // Older ones than those that fit have been read; before that, one that is older than all was made by a clock that was set back.
  const oldest = ledger.places.length < KEPT_PLACES ? '' : (ledger.places[0]?.file ?? '');
  const names = monthlyFiles(logDir, 'events').filter((name) => name >= oldest);
  let left = maxBytes;
  for (const name of names) {
    if (left <= 0) return true;
    const isNewest = name === names.at(-1);
    const done = withFile(logDir, name, (file) => {
      const known = ledger.places.find((place) => place.file === name);
      const from = known !== undefined && isSame(file, known) ? known.offset : 0;
      const reached = foldFile(ledger, file, { from, left, isNewest });
      left -= reached.offset - from;
      keepPlace(ledger, { file: name, offset: reached.offset, mark: markAt(file, reached.offset) });
      return reached.done;
    });
    if (done === false) return true;
  }
  return false;
}

function foldFile(ledger: Ledger, file: OpenFile, { from, left, isNewest }: { from: number; left: number; isNewest: boolean }) {
  let offset = from;
  if (file.size <= from) return { offset, done: true };
  for (const { line, next, ended } of linesForward(file, from, CHUNK_BYTES)) {
    if (!ended && isNewest) break;
    const event = line === null || !mayMatter(line) ? null : parseLine(line);
    if (event !== null) foldEvent(ledger, event);
    offset = next;
    if (offset - from >= left) return { offset, done: offset >= file.size };
  }
  return { offset, done: true };
}

/** Nine lines of ten are not worth parsing. A second event may lie behind the torn beginning of another kind. */
function mayMatter(line: Buffer): boolean {
  const kind = HEAD.exec(line.toString('latin1', 0, HEAD_BYTES))?.[1];
  return kind === undefined || LEDGER_KINDS.has(kind) || line.indexOf(EVENT_START, 1) !== -1;
}

function isSame(file: OpenFile, { offset, mark }: Place): boolean {
  return offset <= file.size && mark === markAt(file, offset);
}

function markAt(file: OpenFile, offset: number): string {
  const length = Math.min(MARKED_BYTES, offset);
  return length === 0
    ? ''
    : createHash('sha256')
        .update(file.read(offset - length, length))
        .digest('hex')
        .slice(0, 16);
}

function keepPlace(ledger: Ledger, place: Place): void {
  const others = ledger.places.filter(({ file }) => file !== place.file);
  ledger.places = [...others, place].sort((a, b) => (a.file < b.file ? -1 : 1)).slice(-KEPT_PLACES);
}
