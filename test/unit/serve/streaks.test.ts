import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../../src/events/outcomes.ts';
import type { Outcome } from '../../../src/round/outcome.ts';
import type { RoundResult } from '../../../src/round/types.ts';
import { firstStop } from '../../../src/serve/breakers/list.ts';
import { nextStreaks } from '../../../src/serve/streaks.ts';
import { NO_STREAKS, type StreakState } from '../../../src/state/serve-state.ts';
import { exitCode } from '../../../src/util/exit-codes.ts';

const result = (outcome: Outcome, moved = false): RoundResult => ({
  outcome,
  roundNum: 1,
  phase: null,
  durationMs: 1000,
  moved,
  turn: null,
  identity: 'claude',
  account: 'claude',
  fallback: 0,
  logPath: null,
  head: null,
  tail: '',
  survivors: [],
  problems: [],
});

/** Runs outcomes through the streaks until a breaker speaks; `!` after an outcome says that the tree moved. */
function run(words: string, streaks: StreakState = { ...NO_STREAKS }) {
  let state = streaks;
  for (const [index, word] of words.split(' ').entries()) {
    const moved = word.endsWith('!');
    const round = result(word.replace('!', '') as Outcome, moved);
    state = nextStreaks(state, round.outcome, moved);
    const stop = firstStop(state, round, { memLoops: () => 0 });
    if (stop) return { after: index + 1, reason: stop.reason, exit: exitCode(stop.exit), state };
  }
  return { after: null, reason: null, exit: null, state };
}

describe('breakers over the streaks', () => {
  it.each([
    ['scar 8: five crashes stop with 75', 'crash crash crash crash crash', 5, 'crash_loop', 75],
    ['four crashes do not', 'crash crash crash crash ok', null, null, null],
    ['a good round resets', 'crash crash crash crash ok crash crash crash crash', null, null, null],
    ['a long failure resets', 'crash crash crash crash agent_error crash crash crash crash', null, null, null],
    [
      'scar 49: an environmental failure neither counts nor resets',
      'crash crash environment crash environment crash crash',
      7,
      'crash_loop',
      75,
    ],
    ['a time-out resets crashes', 'crash crash crash crash timeout! crash', null, null, null],
    ['a provider refusal resets crashes', 'crash crash crash crash rate_limited crash', null, null, null],
    ['silent successes are crashes', 'no_output no_output no_output no_output no_output', 5, 'crash_loop', 75],
    ['silent and crashing mixed', 'no_output crash no_output crash no_output', 5, 'crash_loop', 75],
    ['five walls without a trace stall', 'timeout timeout idle timeout timeout', 5, 'stalled_no_progress', 75],
    ['a wall after real work is none', 'timeout timeout timeout timeout timeout! timeout timeout timeout timeout', null, null, null],
    ['crashes between walls do not break the stall', 'timeout timeout crash timeout timeout timeout', 6, 'stalled_no_progress', 75],
    ['three refused logins stop with 78', 'auth_error auth_error auth_error', 3, 'auth', 78],
    ['a good round in between forgives', 'auth_error auth_error ok auth_error auth_error', null, null, null],
    ['what no waiting mends stops at once', 'ok config_broken', 2, 'config_broken', 78],
    ['a hundred environmental failures stop nothing', Array(100).fill('environment').join(' '), null, null, null],
  ])('%s', (_name, words, after, reason, exit) => {
    expect(run(words)).toMatchObject({ after, reason, exit });
  });

  it('counts on from where a dead supervisor stopped', () => {
    expect(run('crash', { ...NO_STREAKS, crash: 4 })).toMatchObject({ after: 1, reason: 'crash_loop' });
  });

  it('a permanent failure wins over every other breaker', () => {
    expect(run('config_broken', { ...NO_STREAKS, crash: 9, stall: 9, auth: 9 }).reason).toBe('config_broken');
  });

  it('counts rounds of any outcome that moved nothing', () => {
    expect(run('ok timeout agent_error rate_limited ok').state.unmoved).toBe(5);
    expect(run('ok timeout agent_error rate_limited ok!').state.unmoved).toBe(0);
    expect(run('ok environment stopped').state.unmoved).toBe(1);
  });

  it('never goes below zero and a good round clears all but what it cannot know', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...OUTCOMES), fc.boolean())), (rounds) => {
        let state: StreakState = { ...NO_STREAKS };
        for (const [outcome, moved] of rounds) state = nextStreaks(state, outcome, moved);
        expect(Object.values(state).every((count) => Number.isInteger(count) && count >= 0)).toBe(true);
        expect(nextStreaks(state, 'ok', true)).toEqual(NO_STREAKS);
      }),
    );
  });
});
