import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../../src/config/profile.ts';
import { assemblePrompt, promptProblem, stripFrontMatter } from '../../../src/round/prompt.ts';

const LONG = 'Do the next open task of the plan, run the tests, and commit. '.repeat(10);

describe('scar 1: what agent CLIs reject is found before they do', () => {
  it.each([
    ['a fine prompt', LONG, null],
    ['empty', '', 'empty'],
    ['front matter left in', `---\ntitle: x\n---\n${LONG}`, 'begins with "-"'],
    ['a leading dash', `-p ${LONG}`, 'begins with "-"'],
    ['a leading blank', ` ${LONG}`, 'begins with " "'],
    ['a leading newline', `\n${LONG}`, 'begins with "\\n"'],
    ['a leading tab', `\t${LONG}`, 'begins with "\\t"'],
    ['a leading carriage return', `\r${LONG}`, 'begins with "\\r"'],
    ['499 bytes', 'x'.repeat(499), '499 bytes'],
    ['500 bytes', 'x'.repeat(500), null],
    ['500 bytes in fewer characters', `${'é'.repeat(250)}`, null],
  ])('%s', (_name, text, problem) => {
    const found = promptProblem(text, 'stdin', []);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });

  it('field bug 4: one argument may have 131,071 bytes and no more; stdin has no such limit', () => {
    expect(promptProblem('x'.repeat(131_071), 'argv', ['-p', '{prompt}'])).toBeNull();
    expect(promptProblem('x'.repeat(131_072), 'argv', ['-p', '{prompt}'])).toMatch(/131072 bytes.*stdin/);
    expect(promptProblem('x'.repeat(131_071), 'argv', ['--message={prompt}'])).toMatch(/131081 bytes/);
    expect(promptProblem('x'.repeat(8_000_000), 'stdin', ['-p'])).toBeNull();
  });
});

describe('front matter', () => {
  it.each([
    ['a block and its text', '---\ntitle: x\n---\n\nDo it.', 'Do it.'],
    ['CRLF', '---\r\ntitle: x\r\n---\r\nDo it.', 'Do it.'],
    ['an empty block', '---\n---\nDo it.', 'Do it.'],
    ['a byte order mark before it', '\uFEFF---\na: b\n---\nDo it.', 'Do it.'],
    ['dashes later in the text', 'Do it.\n---\nmore\n---\n', 'Do it.\n---\nmore\n---\n'],
    ['a block that never ends', '---\ntitle: x\nDo it.', '---\ntitle: x\nDo it.'],
    ['only the first block', '---\na: b\n---\n---\nc: d\n---\nx', '---\nc: d\n---\nx'],
    ['a longer rule is no front matter', '----\na\n----\nx', '----\na\n----\nx'],
    ['none', 'Do it.', 'Do it.'],
  ])('%s', (_name, text, stripped) => {
    expect(stripFrontMatter(text)).toBe(stripped);
  });

  it('leaves every text without one alone', () => {
    const plain = fc.string().filter((text) => !/^\uFEFF?---/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(stripFrontMatter(text)).toBe(text);
      }),
    );
  });
});

describe('assembly', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'prompt-'));
    writeFileSync(join(folder, 'a.md'), '---\nx: 1\n---\nFirst');
    writeFileSync(join(folder, 'b.md'), '---\ny: 2\n---\nSecond');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const prompt = (part: Partial<Profile['prompt']>): Pick<Profile, 'prompt'> => ({
    prompt: {
      files: [join(folder, 'a.md'), join(folder, 'b.md')],
      inject_context: true,
      context_injection_mode: 'prepend',
      concat_separator: '\n\n',
      strip_yaml_frontmatter: true,
      ...part,
    } as Profile['prompt'],
  });

  it('joins files, strips front matter of the first alone, and puts the context in front', () => {
    expect(assemblePrompt(prompt({}), '{"round_num": 1}').text).toBe(
      '```json round-context\n{"round_num": 1}\n```\n\nFirst\n\n---\ny: 2\n---\nSecond',
    );
  });

  it.each([
    [{ inject_context: false }],
    [{ context_injection_mode: 'file' as const }],
    [{ context_injection_mode: 'none' as const }],
    [{ inject_context: false, context_injection_mode: 'prepend' as const }],
  ])('%o: no context in front', (part) => {
    expect(assemblePrompt(prompt(part), '{}').text.startsWith('First')).toBe(true);
  });

  it('a missing first file is an error with a code; a missing later one is skipped and named', () => {
    const gone = join(folder, 'gone.md');
    expect(() => assemblePrompt(prompt({ files: [gone] }), '{}')).toThrow(/gone\.md does not exist/);
    expect(assemblePrompt(prompt({ files: [join(folder, 'a.md'), gone] }), '{}').skipped).toEqual([gone]);
  });

  it('keeps every byte of a prompt, dollar signs and braces included', () => {
    writeFileSync(join(folder, 'a.md'), "cost: $& $1 $$ {prompt} {work_dir} 'x' `y`");
    expect(assemblePrompt(prompt({ files: [join(folder, 'a.md')], inject_context: false }), '{}').text).toBe(
      "cost: $& $1 $$ {prompt} {work_dir} 'x' `y`",
    );
  });
});
