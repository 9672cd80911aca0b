import { expect, it, test } from 'vitest';
import { HOOK_LIMITS, hooksOfKindS, NOTIFY_END_S, timeForHook } from '../../../src/hooks/limits.ts';

test.each([
  [0, 0],
  [1, 60],
  [2, 120],
  [9, 120],
])('%i hooks of a kind take at most %i s', (count, seconds) => {
  expect(hooksOfKindS(count)).toBe(seconds);
});

it('one is told to end early enough to be gone within its minute, or within what is left of its kind', () => {
  expect(timeForHook(120_000, HOOK_LIMITS)).toBe(56_000);
  expect(timeForHook(30_000, HOOK_LIMITS)).toBe(26_000);
  expect(timeForHook(4_000, HOOK_LIMITS)).toBe(0);
  expect(timeForHook(-1, HOOK_LIMITS)).toBe(0);
});

it('the last notifications fit into their term', () => {
  expect(NOTIFY_END_S).toBe(24);
});
