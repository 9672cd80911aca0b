import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cursor, endCursor } from '../../../src/events/reader.ts';
import { type SearchOptions, searchBack } from '../../../src/events/search.ts';
import { testFolder } from '../../support/folder.ts';

const NEEDLE = 'transient_error_';
const line = (kind: string, n: number, more = '') => JSON.stringify({ ts: '2026-11-29T12:00:00.000Z', event: kind, n, more });
const found = (folder: string, options: SearchOptions = {}, needles = [NEEDLE]): number[] => {
  const numbers: number[] = [];
  searchBack(folder, needles, (event) => void numbers.push(Number(event.n)), options);
  return numbers;
};

describe('the search for events by a part of their line', () => {
  it('finds what a look at every line finds, newest first, whatever the size of its chunks', () => {
    const folder = testFolder();
    const file = join(folder, 'events-2026-11.jsonl');
    const anyLine = fc.record({
      kind: fc.constantFrom('round_start', `${NEEDLE}detected`, `${NEEDLE}recovered`),
      more: fc.string({ maxLength: 60 }),
    });
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 30 }), fc.integer({ min: 300, max: 900 }), fc.boolean(), (lines, chunkBytes, ended) => {
        const text = lines.map(({ kind, more }, n) => line(kind, n, more)).join('\n');
        writeFileSync(file, ended && text !== '' ? `${text}\n` : text);
        const expected = lines.flatMap(({ kind }, n) => (kind.startsWith(NEEDLE) ? [n] : [])).reverse();
        expect(found(folder, { chunkBytes })).toEqual(expected);
      }),
    );
  });

  it('reads the three newest months, only what is behind a place, and stops when it is told to', () => {
    const folder = testFolder();
    for (const [n, month] of ['2026-08', '2026-09', '2026-10', '2026-11'].entries())
      writeFileSync(join(folder, `events-${month}.jsonl`), `${line(`${NEEDLE}detected`, n)}\n`);
    expect(found(folder)).toEqual([3, 2, 1]);
    const since = endCursor(folder);
    expect(found(folder, { since })).toEqual([]);
    appendFileSync(join(folder, 'events-2026-11.jsonl'), `${line(`${NEEDLE}detected`, 4)}\n`);
    writeFileSync(join(folder, 'events-2026-12.jsonl'), `${line(`${NEEDLE}detected`, 5)}\n`);
    expect(found(folder, { since })).toEqual([5, 4]);
    expect(found(folder, { since: { file: 'events-2026-12.jsonl', offset: 0 } })).toEqual([5]);
    let first = 0;
    searchBack(folder, [NEEDLE], ({ n }) => {
      first = Number(n);
      return 'stop';
    });
    expect(first).toBe(5);
  });

  it('a file that became shorter is read whole; torn, foreign and endless lines are stepped over', () => {
    const folder = testFolder();
    const file = join(folder, 'events-2026-11.jsonl');
    const rubbish = ['\0\0\0', `{"ts":"2026","event":"${NEEDLE}x"`, `${NEEDLE}${'y'.repeat(3000)}`, NEEDLE].join('\n');
    writeFileSync(file, `${line(`${NEEDLE}detected`, 1)}\n${rubbish}\n${line(`${NEEDLE}detected`, 2)}\n${'z'.repeat(5000)}`);
    const end = endCursor(folder) as Cursor;
    for (const chunkBytes of [512, 1024, 1_000_000]) expect(found(folder, { chunkBytes })).toEqual([2, 1]);
    truncateSync(file, line(`${NEEDLE}detected`, 1).length + 1);
    expect(found(folder, { since: end })).toEqual([1]);
    expect(found(join(folder, 'none'))).toEqual([]);
  });

  it('costs no more than it may: the newest bytes count, and what is frequent is sought near the end alone', () => {
    const folder = testFolder();
    const file = join(folder, 'events-2026-11.jsonl');
    const padding = `${line('round_start', 0, 'x'.repeat(1000))}\n`.repeat(5000);
    writeFileSync(
      file,
      `${line('agent_usage_recorded', 1)}\n${line(`${NEEDLE}detected`, 2)}\n${padding}${line('agent_usage_recorded', 3)}\n`,
    );
    expect(found(folder, { near: ['agent_usage_recorded'] })).toEqual([3, 2]);
    expect(found(folder, { near: ['agent_usage_recorded'], maxBytes: 100_000 })).toEqual([3]);
  });
});
