import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedExecutables } from '../../../src/git/harden.ts';
import { bytesOf, isWithin, shown, toBuffer } from '../../../src/git/names.ts';

describe('byte strings', () => {
  it('show text as text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(shown(bytesOf(text))).toBe(text);
      }),
    );
  });

  it('go to the kernel byte for byte', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toBuffer(Buffer.from(bytes).toString('latin1'))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('show what is not UTF-8 by its bytes, so two such names stay apart', () => {
    expect(shown('caf\xe9')).toBe('caf\\xe9');
    expect(shown('caf\xe8')).not.toBe(shown('caf\xe9'));
  });

  it.each([
    ['logs/a', 'logs', true],
    ['logs', 'logs', true],
    ['logs/', 'logs', true],
    ['logs-of-mine/a', 'logs', false],
    ['a/logs/b', 'logs', false],
  ])('%s in %s: %s', (path, folder, inside) => {
    expect(isWithin(path, folder)).toBe(inside);
  });
});

describe('changedExecutables', () => {
  it('names what came, went or differs', () => {
    const before = ['1 .git/config', '2 .git/hooks/pre-commit', '3 same'].join('\n');
    const after = ['9 .git/config', '4 .git/info/attributes', '3 same'].join('\n');
    expect(changedExecutables(before, after)).toEqual(['.git/config', '.git/hooks/pre-commit', '.git/info/attributes']);
    expect(changedExecutables(before, before)).toEqual([]);
    expect(changedExecutables('', after)).toEqual(['.git/config', '.git/info/attributes', 'same']);
  });
});
