import { describe, expect, it } from 'vitest';
import { oldVersion } from '../../../src/git/version.ts';

describe('which git is too old', () => {
  it.each([
    ['git version 2.39.5', null],
    ['git version 2.31.0', null],
    ['git version 2.30.9', '2.30.9'],
    ['git version 1.8.3.1', '1.8.3.1'],
    ['git version 3.0.0', null],
    ['git version 2.39.3 (Apple Git-146)', null],
    ['git version 2.9.0.windows.1', '2.9.0'],
    ['', null],
    ['something else', null],
  ])('%s', (words, old) => {
    expect(oldVersion(words)).toBe(old);
  });
});
