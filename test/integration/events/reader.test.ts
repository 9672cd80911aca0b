import { appendFileSync, openSync, rmSync, symlinkSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cursor, endCursor, readFrom, scanBack, tailEvents } from '../../../src/events/reader.ts';
import type { StoredEvent } from '../../../src/events/stored.ts';
import { runCommand } from '../../../src/process/command.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { testFolder } from '../../support/folder.ts';

const OCTOBER = 'events-2026-10.jsonl';
const NOVEMBER = 'events-2026-11.jsonl';

function line(n: number, event = 'e'): string {
  return `{"ts":"2026-11-29T17:35:08.123Z","event":"${event}","n":${n}}\n`;
}

function numbers(events: readonly StoredEvent[]): unknown[] {
  return events.map(({ n }) => n);
}

/** Reads to the end in as many calls as it takes. */
function readAll(logDir: string, chunkBytes: number, maxBytes: number): StoredEvent[] {
  const all: StoredEvent[] = [];
  let cursor: Cursor | null = null;
  for (;;) {
    const step = readFrom(logDir, cursor, { chunkBytes, maxBytes });
    all.push(...step.events);
    cursor = step.cursor;
    if (!step.more) return all;
  }
}

describe('tailEvents', () => {
  it('gives the newest, oldest first, over the months, of the kinds that are asked for', () => {
    const logDir = testFolder();
    expect(tailEvents(logDir, { limit: 5 })).toEqual([]);
    expect(tailEvents(join(logDir, 'gone'), { limit: 5 })).toEqual([]);
    writeFileSync(join(logDir, OCTOBER), line(1, 'x') + line(2));
    writeFileSync(join(logDir, NOVEMBER), line(3) + line(4, 'x') + line(5));
    writeFileSync(join(logDir, 'events-2026-11.jsonl.bak'), line(99));
    expect(numbers(tailEvents(logDir, { limit: 4 }))).toEqual([2, 3, 4, 5]);
    expect(numbers(tailEvents(logDir, { limit: 9, kinds: ['x'] }))).toEqual([1, 4]);
    expect(tailEvents(logDir, { limit: 0 })).toEqual([]);
  });

  it('steps over what is no event: torn, NULs, CRLF, a gigabyte without a newline, a FIFO of last month', async () => {
    const logDir = testFolder();
    const path = join(logDir, NOVEMBER);
    await runCommand(['mkfifo', join(logDir, OCTOBER)]);
    writeFileSync(path, `${line(1)}{"ts":"2026\n${line(2).replace('\n', '\r\n')}\n\n`);
    const descriptor = openSync(path, 'r+');
    // Sparse: reads as a gigabyte of NULs, takes no disk.
    writeSync(descriptor, `\n${line(3)}{"ts":"2026-11`, 1024 ** 3);
    expect(numbers(tailEvents(logDir, { limit: 9 }))).toEqual([3]);
    expect(numbers(readAll(logDir, 65_536, 1024 * 1024))).toEqual([1, 2, 3]);
  });

  it('costs the same for a gigabyte as for a kilobyte', async () => {
    const small = testFolder();
    const large = testFolder();
    writeFileSync(join(small, NOVEMBER), line(1) + line(2));
    const descriptor = openSync(join(large, NOVEMBER), 'w');
    writeSync(descriptor, `\n${line(1)}${line(2)}`, 1024 ** 3);
    const time = (logDir: string) => {
      const start = systemClock.monotonic();
      for (let n = 0; n < 20; n++) expect(numbers(tailEvents(logDir, { limit: 2 }))).toEqual([1, 2]);
      return systemClock.monotonic() - start;
    };
    time(small);
    // One chunk each: 64 KiB instead of a few bytes.
    expect(time(large)).toBeLessThan(time(small) * 3 + 40);
    const start = systemClock.monotonic();
    expect(tailEvents(large, { limit: 2, kinds: ['none'] })).toEqual([]);
    expect(systemClock.monotonic() - start).toBeLessThan(1_000);
  });
});

describe('scanBack', () => {
  it('shows the newest first, stops when told, and says whether something older is left', () => {
    const logDir = testFolder();
    writeFileSync(join(logDir, OCTOBER), line(1) + line(2));
    writeFileSync(join(logDir, NOVEMBER), line(3) + line(4));
    const seen: unknown[] = [];
    expect(scanBack(logDir, ({ n }) => (seen.push(n) && n === 2 ? 'stop' : undefined))).toBe(false);
    expect(seen).toEqual([4, 3, 2]);
    expect(scanBack(logDir, () => undefined)).toBe(true);
    const few: unknown[] = [];
    expect(scanBack(logDir, ({ n }) => void few.push(n), { maxBytes: line(3).length * 2, chunkBytes: 7 })).toBe(false);
    expect(few).toEqual([4, 3]);
  });
});

describe('readFrom', () => {
  it('follows: each event once, a line that is still being written when it is whole, over the change of the month', () => {
    const logDir = testFolder();
    expect(endCursor(logDir)).toBeNull();
    expect(readFrom(logDir, null)).toEqual({ events: [], cursor: null, more: false });
    writeFileSync(join(logDir, OCTOBER), line(1));
    const end = endCursor(logDir);
    let { events, cursor } = readFrom(logDir, end);
    expect(events).toEqual([]);
    const next = () => {
      ({ events, cursor } = readFrom(logDir, cursor));
      return numbers(events);
    };
    appendFileSync(join(logDir, OCTOBER), line(2).slice(0, 10));
    expect(next()).toEqual([]);
    appendFileSync(join(logDir, OCTOBER), line(2).slice(10));
    expect(next()).toEqual([2]);
    expect(next()).toEqual([]);
    appendFileSync(join(logDir, OCTOBER), `${line(3)}torn for ever`);
    writeFileSync(join(logDir, NOVEMBER), line(4));
    expect(next()).toEqual([3, 4]);
    appendFileSync(join(logDir, NOVEMBER), line(5));
    expect(next()).toEqual([5]);
  });

  it('starts anew in a file that became shorter, and goes on when its file is gone', () => {
    const logDir = testFolder();
    writeFileSync(join(logDir, OCTOBER), line(1) + line(2));
    const { cursor } = readFrom(logDir, null);
    truncateSync(join(logDir, OCTOBER), 0);
    appendFileSync(join(logDir, OCTOBER), line(3));
    expect(numbers(readFrom(logDir, cursor).events)).toEqual([3]);
    rmSync(join(logDir, OCTOBER));
    writeFileSync(join(logDir, NOVEMBER), line(4));
    expect(numbers(readFrom(logDir, cursor).events)).toEqual([4]);
  });

  it('a link to nowhere and a loop are no events', () => {
    const logDir = testFolder();
    symlinkSync('gone', join(logDir, OCTOBER));
    symlinkSync(NOVEMBER, join(logDir, NOVEMBER));
    expect(tailEvents(logDir, { limit: 3 })).toEqual([]);
    expect(readFrom(logDir, null).events).toEqual([]);
  });

  it('finds every whole line exactly once among random bytes, from both ends, whatever the sizes', () => {
    const logDir = testFolder();
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1').replaceAll('{', '_')),
      fc.constantFrom('{"ts":"2026', '\0\0', '', '[]', '{"a":1}', 'null'),
    );
    const piece = fc.oneof(fc.constant('event' as const), garbage);
    const month = fc.array(piece, { maxLength: 12 });
    fc.assert(
      fc.property(
        month,
        month,
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 200 }),
        (october, november, chunkBytes, maxBytes) => {
          let count = 0;
          const text = (pieces: readonly string[]) => pieces.map((part) => (part === 'event' ? line(++count) : `${part}\n`)).join('');
          writeFileSync(join(logDir, OCTOBER), text(october), 'latin1');
          writeFileSync(join(logDir, NOVEMBER), text(november), 'latin1');
          const expected = Array.from({ length: count }, (_, at) => at + 1);
          expect(numbers(readAll(logDir, chunkBytes, maxBytes))).toEqual(expected);
          expect(numbers(tailEvents(logDir, { limit: 1000, chunkBytes }))).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });
});
