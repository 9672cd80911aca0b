import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../../src/run/log.ts';

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-runner-log-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const MARKER = /\[agent-runner\] (\d+) bytes of output are not kept here: the log may hold \d+\n/;

function write(chunks: readonly Buffer[], maxBytes: number) {
  const path = join(folder, `${count++}.log`);
  const log = openLog(path, maxBytes);
  let largest = 0;
  for (const chunk of chunks) {
    log.write(chunk);
    largest = Math.max(largest, statSync(path).size);
  }
  log.close();
  return { text: readFileSync(path, 'utf8'), dropped: log.droppedBytes(), error: log.error(), largest };
}

describe('a bounded log', () => {
  it('holds everything while that fits', () => {
    expect(write([Buffer.from('one\n'), Buffer.from('two')], 5_000)).toMatchObject({ text: 'one\ntwo', dropped: 0, error: null });
  });

  it('is never larger than it may be, keeps head and tail, and counts what it dropped', () => {
    const line = fc.nat({ max: 300 }).map((length) => 'abcdefghij'.repeat(31).slice(0, length));
    fc.assert(
      fc.property(fc.array(line, { minLength: 50, maxLength: 400 }), fc.integer({ min: 4_096, max: 20_000 }), (lines, maxBytes) => {
        const all = lines.map((text, index) => `${index} ${text}\n`);
        const { text, dropped, error, largest } = write(
          all.map((one) => Buffer.from(one)),
          maxBytes,
        );
        const whole = all.join('');
        expect(error).toBeNull();
        expect(largest).toBeLessThanOrEqual(maxBytes);
        if (dropped === 0) {
          expect(text).toBe(whole);
          return;
        }
        const marker = MARKER.exec(text);
        const head = text.slice(0, marker?.index);
        const tail = text.slice((marker?.index ?? 0) + (marker?.[0].length ?? 0));
        expect(Number(marker?.[1])).toBe(dropped);
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        expect(head.length + tail.length + dropped).toBe(whole.length);
        // Both cuts fall between lines.
        expect(head.endsWith('\n')).toBe(true);
        expect(all).toContain(tail.slice(0, tail.indexOf('\n') + 1));
        expect(tail.length).toBeGreaterThan(maxBytes / 4 - 400);
      }),
      { numRuns: 200 },
    );
  });

  it('cuts one endless line between characters and says so on a line of its own', () => {
    const { text, dropped, largest } = write(
      Array.from({ length: 2_000 }, () => Buffer.from('é🦊'.repeat(10))),
      10_000,
    );
    expect(text).not.toContain('\ufffd');
    expect(text).toMatch(/[é🦊]\n\[agent-runner\] \d+ bytes .*\n[é🦊]/u);
    expect(largest).toBeLessThanOrEqual(10_000);
    expect(dropped).toBeGreaterThan(100_000);
  });

  it('takes a chunk that is larger than itself', () => {
    const { text, largest } = write([Buffer.from(`${'x'.repeat(99)}\n`.repeat(1_000)), Buffer.from('END\n')], 4_096);
    expect(text.endsWith('END\n')).toBe(true);
    expect(largest).toBeLessThanOrEqual(4_096);
  });
});
