import { describe, expect, it } from 'vitest';
import { translatePythonRegex } from '../../../src/config/python-regex.ts';

function regex(source: string, ignoreCase = false): RegExp {
  const result = translatePythonRegex(source, { ignoreCase });
  if ('problem' in result) throw new Error(result.problem);
  return result.regex;
}

/** Each was run through Python 3.11's re.search: the first list is found, the second is not. */
const SEARCHES: [source: string, found: string[], missed: string[]][] = [
  ['(?i)oauth', ['OAuth', 'oauth'], ['0auth']],
  ['(?P<tool>\\w+)-(?P=tool)', ['git-git'], ['git-hub']],
  ['\\Aagent', ['agent\n'], ['an agent', '\nagent']],
  ['done\\Z', ['all done'], ['done\n', 'done.']],
  ['done$', ['done', 'done\n'], ['done\n\n', 'done!']],
  ['(?m)^b$', ['a\nb\nc', 'b'], ['ab', 'a\rb']],
  ['(?m)a$', ['a\nb', 'a'], ['a\rb']],
  ['^b', ['bc'], ['a\nb']],
  ['a.c', ['abc', 'a\rc', 'a\u2028c'], ['a\nc']],
  ['(?s)a.c', ['a\nc'], ['ac']],
  ['(?is)A.C', ['a\nc'], ['a-']],
  ['x{,3}y', ['y', 'xy', 'xxxy'], ['z']],
  ['x{2}', ['xx'], ['x']],
  ['x{2,}?', ['xx'], ['x']],
  ['{foo}', ['{foo}'], ['foo']],
  ['a{b', ['a{b'], ['ab']],
  ['a{,b}', ['a{,b}'], ['ab']],
  ['[]a]+', [']', 'a'], ['b']],
  ['[^]a]', ['b'], [']', 'a']],
  ['[[]', ['['], [']']],
  ['[a\\-z]', ['-'], ['b']],
  ['[\\w.-]+@', ['a.b-c@'], ['@']],
  ['\\"quoted\\ text\\"', ['"quoted text"'], ['quoted']],
  ['a\\/b\\-c\\_', ['a/b-c_'], ['ab']],
  ['\\141\\x62\\u0063', ['abc'], ['ab']],
  ['\\U0001F600', ['😀'], ['x']],
  ['\\0', ['\0'], ['0']],
  ['(a)(b)\\2', ['abb'], ['aba']],
  ['(a)\\1(?#again)b', ['aab'], ['ab']],
  ['(?:a|b)(?=c)(?!cd)', ['ac'], ['acd']],
  ['(?<=a)b(?<!bb)', ['ab'], ['b']],
  ['\\bapi[_ ]key\\b', ['the api key', 'api_key'], ['apikey']],
  ['\\a', ['\u0007'], ['a']],
  ['[\\b]', ['\b'], ['b']],
  ['a]', ['a]'], ['a']],
  ['a+?b*?c??', ['a'], ['b']],
  ['(?u)é', ['café'], ['cafe']],
  ['', ['', 'anything'], []],
];

describe('matches what Python matches', () => {
  it.each(SEARCHES)('%s', (source, found, missed) => {
    const pattern = regex(source);
    expect(found.filter((text) => !pattern.test(text))).toEqual([]);
    expect(missed.filter((text) => pattern.test(text))).toEqual([]);
  });

  it('named groups keep their names', () => {
    expect(regex('status (?P<code>\\d{3})').exec('status 429')?.groups?.code).toBe('429');
  });

  it('ignoreCase from outside', () => {
    expect(regex('unauthorized', true).test('UNAUTHORIZED')).toBe(true);
    expect(regex('unauthorized').test('UNAUTHORIZED')).toBe(false);
  });
});

it.each([
  ['(?x) a b', 'verbose mode'],
  ['(?L)a', 'locale'],
  ['a(?i)b', 'at the very start'],
  ['(?i:a)b', 'flags for a part'],
  ['(?-i:a)', 'flags for a part'],
  ['a++', 'possessive'],
  ['a{2}+', 'possessive'],
  ['(?>a|b)', 'atomic'],
  ['(a)?(?(1)b|c)', 'conditional'],
  ['\\N{BULLET}', '\\N'],
  ['\\q', '\\q'],
  ['[\\Z]', '\\Z'],
  ['(a', 'unterminated group'],
  ['a)', 'unmatched'],
  ['[a', 'never closed'],
  ['*a', 'nothing to repeat'],
  ['a\\', 'single backslash'],
  ['(?P<1a>x)', 'unknown kind of group'],
  ['(?P=missing)', 'named'],
  ['(a)\\3', 'escape'],
  ['[z-a]', 'range'],
  ['x'.repeat(2001), 'longer than 2000'],
])('refuses %s in words', (source, words) => {
  const result = translatePythonRegex(source, { ignoreCase: false });
  expect('problem' in result ? result.problem.toLowerCase() : 'accepted').toContain(words.toLowerCase());
  expect('problem' in result ? result.problem : '').not.toContain('\n');
});
