import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader, MAX_LINE_BYTES } from '../../../src/run/lines.ts';

function read(mode: 'json' | 'all', chunks: readonly Buffer[]): string[] {
  const lines: string[] = [];
  const reader = createLineReader(mode, (line) => lines.push(line));
  // One buffer for all, as the pipe does it: whoever keeps a chunk reads the next one.
  const shared = Buffer.alloc(Math.max(1, ...chunks.map((chunk) => chunk.length)));
  for (const chunk of chunks) {
    chunk.copy(shared);
    reader.push(shared.subarray(0, chunk.length));
  }
  shared.fill('!');
  reader.end();
  return lines;
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [...new Set(at.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const texts = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('{"a":1}', '{', '', ' {', '}{', '🦊', '\r')), {
    maxLength: 30,
  })
  .map((lines) => lines.map((line) => line.replaceAll('\n', '')));

describe('lines', () => {
  it('field bug 9: are the same however the bytes are cut', () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 40 }), fc.boolean(), (lines, places, ended) => {
        const bytes = Buffer.from(lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));
        const whole = bytes.toString().split('\n');
        if (whole.at(-1) === '') whole.pop();
        expect(read('all', cut(bytes, places))).toEqual(whole);
        expect(read('json', cut(bytes, places))).toEqual(whole.filter((line) => line.startsWith('{')));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are bounded without splitting a character, and what follows is whole', () => {
    const long = `{${'é'.repeat(MAX_LINE_BYTES)}`;
    const bytes = Buffer.from(`before\n${long}\n{"after":1}\n`);
    const chunks = cut(
      bytes,
      [...Array(40).keys()].map((index) => index * 65_536),
    );
    const [before, cutLine = '', after, ...more] = read('all', chunks);
    expect([before, after, more]).toEqual(['before', '{"after":1}', []]);
    expect(Buffer.byteLength(cutLine)).toBeLessThanOrEqual(MAX_LINE_BYTES);
    expect(Buffer.byteLength(cutLine)).toBeGreaterThan(MAX_LINE_BYTES - 4);
    expect(long.startsWith(cutLine)).toBe(true);
    expect(read('json', chunks)).toEqual([cutLine, '{"after":1}']);
  });

  it('of exactly the bound are whole', () => {
    const line = `{${'x'.repeat(MAX_LINE_BYTES - 1)}`;
    expect(read('json', cut(Buffer.from(`${line}\n`), [1000]))).toEqual([line]);
  });

  it('a long line that is not JSON is not even kept', () => {
    const chunk = Buffer.alloc(65_536, 'y');
    const lines: string[] = [];
    const reader = createLineReader('json', (line) => lines.push(line));
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 1_600; i++) reader.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * MAX_LINE_BYTES);
    reader.push(Buffer.from('\n{"type":"result"}\n'));
    expect(lines).toEqual(['{"type":"result"}']);
  });
});
