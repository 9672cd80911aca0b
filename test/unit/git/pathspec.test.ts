import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin } from '../../../src/git/names.ts';
import { allExcept, compact } from '../../../src/git/pathspec.ts';

const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join('/')}.x`);

describe('compact', () => {
  it('leaves out every excluded path and no kept one, with no more paths than before', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path), fc.uniqueArray(path), (excluded, candidates) => {
        const kept = candidates.filter((one) => !excluded.includes(one));
        const compacted = compact(excluded, kept);
        const isOut = (one: string) => compacted.some((folder) => isWithin(one, folder));
        expect(excluded.every(isOut)).toBe(true);
        expect(kept.some(isOut)).toBe(false);
        expect(compacted.length).toBeLessThanOrEqual(excluded.length);
      }),
    );
  });

  it.each([
    [['deps/a/1', 'deps/a/2', 'deps/b/3'], ['src/x'], ['deps']],
    [['deps/a/1', 'deps/a/2', 'deps/b/3'], ['deps/b/x'], ['deps/a', 'deps/b/3']],
    [['n/', 'top.txt'], ['other'], ['n/', 'top.txt']],
  ])('%j beside %j is %j', (excluded, kept, expected) => {
    expect(compact(excluded, kept)).toEqual(expected);
  });
});

describe('allExcept', () => {
  it('takes names literally, whatever is in them', () => {
    expect(allExcept(['*.log', ':(x)\n']).toString('latin1')).toBe(':/\0:(top,exclude,literal)*.log\0:(top,exclude,literal):(x)\n\0');
  });
});
