import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logTail } from '../../../../src/observe/peek/log-tail.ts';
import { testFolder } from '../../../support/folder.ts';

function tailOf(content: string | Buffer, lines = 3): string | null {
  const path = join(testFolder(), 'R1.log');
  writeFileSync(path, content);
  return logTail(path, lines);
}

test.each([
  ['', ''],
  ['one', 'one'],
  ['one\n', 'one'],
  ['1\n2\n3\n4\n', '2\n3\n4'],
  ['1\n2\n3\n4', '2\n3\n4'],
  ['\n\n\n\n', '\n\n'],
])('%j', (content, expected) => {
  expect(tailOf(content)).toBe(expected);
});

test('a line longer than the window is cut and marked', () => {
  const tail = tailOf(`first\n${'x'.repeat(200_000)}\nlast\n`) ?? '';
  expect(tail.startsWith('…xxx')).toBe(true);
  expect(tail.endsWith('x\nlast')).toBe(true);
  expect(tail.length).toBeLessThan(66_000);
});

test('a window that begins within a character does not show half of it', () => {
  for (let shift = 0; shift < 4; shift++) expect(tailOf(`${'中'.repeat(50_000)}${'a'.repeat(shift)}`)).not.toContain('\ufffd');
});

test('no file, a folder, a planted link', () => {
  const folder = testFolder();
  symlinkSync('/etc/passwd', join(folder, 'link.log'));
  expect(logTail(join(folder, 'none.log'), 3)).toBeNull();
  expect(logTail(folder, 3)).toBeNull();
  expect(logTail(join(folder, 'link.log'), 3)).toBeNull();
});
