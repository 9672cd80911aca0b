import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/util/error-codes.ts';
import { sources } from '../support/sources.ts';

const USED = /\bAR-[A-Z]{3}-\d{3}\b/g;
const FILES = sources('src').filter(({ path }) => !/^src\/util\/[\w-]*error-codes\.ts$/.test(path));
const used = new Set(FILES.flatMap(({ code }) => code.match(USED) ?? []));
const known = Object.keys(ERROR_CODES);

test('every code that the program can show is in the list', () => {
  expect([...used].filter((code) => !known.includes(code)).sort()).toEqual([]);
});

test('every code of the list can be shown', () => {
  expect(known.filter((code) => !used.has(code)).sort()).toEqual([]);
});

test('every code that is thrown is written out: AR-<AREA>-<NNN>', () => {
  const wrong = FILES.flatMap(({ path, code }) =>
    [...code.matchAll(/\bcode: ['"`](AR[^'"`]*)['"`]/g)].map((match) => `${path}: ${match[1]}`),
  );
  expect(
    wrong.filter((entry) => !/: AR-(CLI|HOK|CFG|INI|CHK|LCK|STA|GIT|RUN|SRV|PEE|SVC|CON|AGT|MIG|DOC|UPG|DRL)-\d{3}$/.test(entry)),
  ).toEqual([]);
});

test('a code has one meaning, and a meaning one code', () => {
  const titles = Object.values(ERROR_CODES).map(({ title }) => title);
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  for (const [code, { title, cause, remedy }] of Object.entries(ERROR_CODES)) {
    expect.soft(code).toMatch(/^AR-[A-Z]{3}-\d{3}$/);
    for (const text of [title, cause, remedy]) expect.soft(text, code).toMatch(/\S/);
  }
});

test('the list is in order', () => {
  const areas = [...new Set(known.map((code) => code.slice(0, 6)))];
  for (const area of areas) {
    const codes = known.filter((code) => code.startsWith(area));
    expect.soft(codes).toEqual(codes.toSorted());
  }
});
