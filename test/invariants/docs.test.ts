import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { staleDocs } from '../../scripts/docs/markers.ts';
import { VERBS } from '../../src/cli/verbs.ts';
import { ERROR_CODES } from '../../src/util/error-codes.ts';
import { ROOT } from '../support/sources.ts';

test("the generated tables are those of the code (else: run 'npm run docs')", async () => {
  expect((await staleDocs(ROOT)).map(({ path }) => path)).toEqual([]);
});

test('every verb has its section, every error code its entry', () => {
  const commands = readFileSync(join(ROOT, 'docs/commands.md'), 'utf8');
  for (const { name } of VERBS) expect.soft(commands).toContain(`\n### ${name}\n`);
  const troubleshooting = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
  for (const code of Object.keys(ERROR_CODES)) expect.soft(troubleshooting).toContain(`\n### ${code}: `);
});

test('no file holds the marks of a merge that was never finished', () => {
  const marks = /^(?:<{7}|>{7})(?: |$)|^={7}$/m;
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((path) => marks.test(readText(path)))).toEqual([]);
});

/** '' for what is in the index and not in the folder. */
function readText(path: string): string {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return '';
  }
}
