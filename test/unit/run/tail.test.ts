import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { characterEnd, characterStart, createTail } from '../../../src/run/tail.ts';

describe('the tail', () => {
  it('is the last bytes, whatever the chunks were', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 0, maxLength: 40 })), fc.integer({ min: 1, max: 50 }), (chunks, size) => {
        const tail = createTail(size);
        const ascii = chunks.map((chunk) => Buffer.from(chunk.map((byte) => 0x20 + (byte % 0x5f))));
        for (const chunk of ascii) tail.push(chunk);
        expect(tail.text()).toBe(Buffer.concat(ascii).toString().slice(-size));
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not begin inside a character', () => {
    const tail = createTail(10);
    tail.push(Buffer.from('🦊🦊🦊'));
    expect(tail.text()).toBe('🦊🦊');
  });
});

it('cuts never fall inside a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, place) => {
      const bytes = Buffer.from(text);
      const at = place % (bytes.length + 1);
      const end = bytes.toString('utf8', 0, characterEnd(bytes, at));
      expect(text.startsWith(end)).toBe(true);
      expect(text.endsWith(bytes.toString('utf8', characterStart(bytes, at)))).toBe(true);
    }),
  );
});
