import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenFile } from '../../../src/events/files.ts';
import { linesBackward, linesForward } from '../../../src/events/lines.ts';
import { MAX_LINE, parseLine } from '../../../src/events/stored.ts';

function inMemory(bytes: Buffer): OpenFile {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

function backward(bytes: Buffer, chunkBytes: number, left = Number.POSITIVE_INFINITY): (string | null)[] {
  return [...linesBackward(inMemory(bytes), { left }, chunkBytes)].map((line) => line?.toString('latin1') ?? null);
}

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
  fc
    .array(fc.constantFrom('\n', '\r\n', '\0', '{"ts":"t","event":"e"}', '{"ts":"t","ev', 'é😀', 'x'), { maxLength: 40 })
    .map((parts) => Buffer.from(parts.join(''))),
);

describe('lines of a file', () => {
  it('are the same from both ends, each exactly once, whatever the size of a chunk', () => {
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 64 }), (content, chunk) => {
        const expected = content.toString('latin1').split('\n');
        expect(backward(content, chunk).reverse()).toEqual(content.length === 0 ? [''] : expected);

        const forward = [...linesForward(inMemory(content), 0, chunk)];
        const ended = forward.filter((line) => line.ended).map(({ line }) => line?.toString('latin1'));
        expect(ended).toEqual(expected.slice(0, -1));
        const rest = forward.filter((line) => !line.ended).map(({ line }) => line?.toString('latin1'));
        expect(rest).toEqual(expected.slice(-1).filter((text) => text !== ''));
        let offset = 0;
        for (const { line, next, ended: whole } of forward) {
          offset += (line?.length ?? 0) + (whole ? 1 : 0);
          expect(next).toBe(offset);
        }
      }),
    );
  });

  it('are read only as far as the budget goes, and a line that is cut by it does not count', () => {
    expect(backward(Buffer.from('first\nsecond\nthird\n'), 4, 10)).toEqual(['', 'third']);
    expect(backward(Buffer.from('first\nsecond\nthird\n'), 4, 0)).toEqual([]);
  });

  it('longer than any of ours are skipped in flat memory, their neighbours are found', () => {
    const huge = Buffer.concat([Buffer.from('a\n'), Buffer.alloc(3 * MAX_LINE, 0x78), Buffer.from('\nb\n')]);
    expect(backward(huge, 65_536)).toEqual(['', 'b', null, 'a']);
    const forward = [...linesForward(inMemory(huge), 0, 65_536)]
      .map(({ line }) => line?.toString('latin1'))
      .filter((line) => line !== undefined && line.length < 10);
    expect(forward).toEqual(['a', 'b']);
  });
});

describe('a line', () => {
  it.each([
    ['of this program', '{"ts":"t","event":"e","n":1}', { ts: 't', event: 'e', n: 1 }],
    ['of the Python predecessor', '{"ts": "t", "event": "e", "n": 1}', { ts: 't', event: 'e', n: 1 }],
    ['with CRLF', '{"ts":"t","event":"e"}\r', { ts: 't', event: 'e' }],
    ['behind the torn piece of another', '{"ts":"t0","event":"roun{"ts":"t","event":"e"}', { ts: 't', event: 'e' }],
    ['behind the NULs of a power cut', '\0\0\0\0{"ts":"t","event":"e"}', { ts: 't', event: 'e' }],
    ['with text that looks like one', '{"ts":"t","event":"e","raw":"{\\"ts\\":1}"}', { ts: 't', event: 'e', raw: '{"ts":1}' }],
    ['torn', '{"ts":"t","event":"e","n":', null],
    ['blank', '', null],
    ['not an object', '[1]', null],
    ['without a kind', '{"ts":"t"}', null],
    ['with a time that is no text', '{"ts":1,"event":"e"}', null],
    ['of garbage', '\u0001\ufffd}{', null],
    ['null', 'null', null],
  ])('%s', (_what, text, expected) => {
    expect(parseLine(Buffer.from(text))).toEqual(expected);
  });

  it('never throws over random bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), (array) => void parseLine(Buffer.from(array))));
  });
});
