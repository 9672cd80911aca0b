import { describe, expect, it } from 'vitest';
import { sources } from '../support/sources.ts';

/**
 * What was learnt from the Python predecessor (its conformance cases and its scars) and from bugs of other supervisors in the field, as
 * far as this version must show it. Each number stands in the title of the tests that hold it: `scar 27: ...`.
 */
const CASES = {
  'reference case': [...range(1, 23), ...range(27, 30)],
  scar: [...range(1, 58), ...range(62, 75)],
  'field bug': range(1, 40),
};

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The text that is given first to it, test and describe, or to what their `.each(...)` returns. */
const TITLE = /(?:\b(?:it|test|describe)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\n])*)\1,/g;

const titles = sources('test')
  .filter(({ path }) => path.endsWith('.test.ts'))
  .flatMap(({ text }) => [...text.matchAll(TITLE)].map((match) => match[2] ?? ''));

it('finds titles at all', () => {
  expect(titles.length).toBeGreaterThan(300);
});

describe.each(Object.entries(CASES))('every %s has a test that names it', (kind, numbers) => {
  const named = new Set(titles.flatMap((title) => [...title.matchAll(new RegExp(`${kind} (\\d+)`, 'g'))].map((match) => Number(match[1]))));

  it.each(numbers)(`${kind} %i`, (number) => {
    expect(named).toContain(number);
  });
});
