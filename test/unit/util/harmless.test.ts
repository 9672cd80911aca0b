import { styleText } from 'node:util';
import { expect, it } from 'vitest';
import { harmless } from '../../../src/util/harmless.ts';

it.each([
  ['plain\ttext\nof two lines ☃', 'plain\ttext\nof two lines ☃'],
  ['\u001b[2Jgone', '\ufffd[2Jgone'],
  ['\u001b[8mhidden\u001b[0m', '\ufffd[8mhidden\u001b[0m'],
  ['\u001b]0;title\u0007', '\ufffd]0;title\ufffd'],
  ['\u009b2J over\r\b', '\ufffd2J over\ufffd\ufffd'],
  ['\u0007[1m', '\ufffd[1m'],
  ['abc\u202edef\u2066', 'abc\ufffddef\ufffd'],
])('%j', (text, shown) => {
  expect(harmless(text)).toBe(shown);
});

it('leaves our own colours', () => {
  for (const format of ['bold', 'dim', 'red', 'green', 'yellow'] as const) {
    const text = styleText(format, 'x', { validateStream: false });
    expect(harmless(text)).toBe(text);
  }
});
