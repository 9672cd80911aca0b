import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameOrphan, orphanMessage, parseOrphanMessage } from '../../../src/git/orphan-message.ts';

const AT = Date.UTC(2026, 10, 29, 17, 35, 8);
const orphan = (changes = {}) => ({ roundNum: 1, phase: null, at: AT, worktree: null, ...changes });

describe('orphanMessage', () => {
  it.each([
    ['no phase', orphan({ roundNum: 12 }), 'ORPHAN R12 ts=2026-11-29T17:35:08Z'],
    ['a phase', orphan({ roundNum: 3, phase: 'build' }), 'ORPHAN R3 phase=build ts=2026-11-29T17:35:08Z'],
    ['a phase of two words', orphan({ phase: 'write\ndocs now' }), 'ORPHAN R1 phase=write-docs-now ts=2026-11-29T17:35:08Z'],
    ['a linked work tree', orphan({ worktree: 'side' }), 'ORPHAN R1 ts=2026-11-29T17:35:08Z worktree=side'],
  ])('is in UTC: %s', (_, message, text) => {
    expect(orphanMessage(message)).toBe(text);
  });

  it('reads back what it wrote, with the branch that git puts in front', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9._/-]{1,20}$/);
    fc.assert(
      fc.property(fc.nat(), fc.option(word), fc.option(word), fc.nat({ max: 4e9 }), (roundNum, phase, worktree, second) => {
        const message = { roundNum, phase, at: second * 1000, worktree };
        expect(parseOrphanMessage(orphanMessage(message))).toEqual(message);
        expect(parseOrphanMessage(`On (no branch): ${orphanMessage(message)}`)).toEqual(message);
      }),
    );
  });

  it.each([
    'WIP on main: 1234567 ORPHAN R1 ts=2026-11-29T17:35:08Z',
    'On main: fix ORPHAN R1 ts=2026-11-29T17:35:08Z',
    'On main: ORPHAN R1 ts=yesterday',
    'On main: ORPHAN R1',
    'ORPHAN Rx ts=2026-11-29T17:35:08Z',
    '',
  ])("takes nobody else's stash for ours: %s", (subject) => {
    expect(parseOrphanMessage(subject)).toBeNull();
  });
});

describe('isSameOrphan', () => {
  it.each([
    ['the same round, 4 s old', 'On main: ORPHAN R1 ts=2026-11-29T17:35:04Z', true],
    ['R10 is not R1', 'On main: ORPHAN R10 ts=2026-11-29T17:35:08Z', false],
    ['R1 of long ago', 'On main: ORPHAN R1 ts=2026-11-29T17:35:03Z', false],
    ['a clock that was set back an hour', 'On main: ORPHAN R1 ts=2026-11-29T18:35:08Z', false],
    ['the same round of another work tree', 'On side: ORPHAN R1 ts=2026-11-29T17:35:08Z worktree=side', false],
  ])('scar 4: %s', (_, subject, same) => {
    expect(isSameOrphan(subject, orphan(), 5_000)).toBe(same);
  });
});
