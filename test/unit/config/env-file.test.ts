import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvFile } from '../../../src/config/env-file.ts';
import { RunnerError } from '../../../src/util/errors.ts';
import { testFolder } from '../../support/folder.ts';

function file(text: string, mode = 0o600): string {
  const path = join(testFolder(), 'env');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function refusalOf(path: string): string {
  try {
    readEnvFile(path);
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    expect(error.exitCode).toBe(78);
    expect(error.message).not.toContain('hunter2');
    return `${error.code} ${error.message.replace(path, 'FILE')}`;
  }
  return 'accepted';
}

it('KEY=value, comments, quotes over lines, export, blanks, CRLF', () => {
  const text = '# c\n\nA=1\r\n  B = two words # not a comment of ours\nexport C=\'x=y\'\nD="line 1\nline 2"\nE=\nF=`q"r`\nA=2';
  const { B: _, ...rest } = readEnvFile(file(text));
  expect(rest).toEqual({ A: '2', C: 'x=y', D: 'line 1\nline 2', E: '', F: 'q"r' });
});

it.each([0o640, 0o604, 0o660, 0o644, 0o620])('mode %o lets others in and is refused', (mode) => {
  expect(refusalOf(file('A=hunter2\n', mode))).toBe(
    `AR-CFG-031 env file FILE has mode 0${mode.toString(8)}: others than its owner may use it`,
  );
});

it.each([0o600, 0o400])('mode %o is fine', (mode) => {
  expect(refusalOf(file('A=hunter2\n', mode))).toBe('accepted');
});

it.each([
  ['A=1\nhunter2\nB=2\n', 2],
  ['A=1\n1A=hunter2\n', 2],
  ['A="x\ny"\n=hunter2', 3],
  ['hunter2', 1],
])('a line that is no KEY=value is named and not shown: %j', (text, line) => {
  expect(refusalOf(file(text))).toBe(`AR-CFG-032 env file FILE, line ${line}: no KEY=value`);
});

it('missing, a directory, a NUL inside, too long', () => {
  const folder = testFolder();
  expect(refusalOf(join(folder, 'none'))).toBe('AR-CFG-030 env file FILE does not exist');
  mkdirSync(join(folder, 'd'), { mode: 0o700 });
  expect(refusalOf(join(folder, 'd'))).toBe('AR-CFG-030 env file FILE is not a regular file');
  expect(refusalOf(file('A=1\0hunter2'))).toContain('AR-CFG-032');
  expect(refusalOf(file(`A=${'x'.repeat(1024 * 1024)}`))).toContain('AR-CFG-030');
});
