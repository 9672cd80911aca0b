import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unifiedDiff } from '../../../../src/config/migrate/diff.ts';

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('');

it('nothing for equal texts', () => {
  expect(unifiedDiff('a\n', 'a\n', 'f')).toBe('');
});

it('is what diff -u prints, with three lines around each change', () => {
  expect(unifiedDiff(lines(1, 9), `${lines(1, 4)}new\n${lines(6, 9)}`, 'f.toml')).toBe(
    `--- f.toml\n+++ f.toml (migrated)\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+new\n line 6\n line 7\n line 8\n`,
  );
});

it('puts changes far apart into hunks of their own', () => {
  const after = `first\n${lines(2, 19)}last\n`;
  expect(unifiedDiff(lines(1, 20), after, 'f').match(/^@@.*@@$/gm)).toEqual(['@@ -1,4 +1,4 @@', '@@ -17,4 +17,4 @@']);
});

it('the lines without + are the old text, those without - the new one', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((list) => list.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      const body = unifiedDiff(before, after, 'f')
        .split('\n')
        .slice(2, -1)
        .filter((line) => !line.startsWith('@@'));
      const side = (other: string) => body.filter((line) => !line.startsWith(other)).map((line) => `${line.slice(1)}\n`);
      // Only with few lines is everything within three lines of a change; what is shown is always a part of the text.
      expect(before).toContain(side('+').join('').slice(0, 6));
      if (before.split('\n').length < 6 && after.split('\n').length < 6) {
        expect(side('+').join('')).toBe(before);
        expect(side('-').join('')).toBe(after);
      }
    }),
  );
});
