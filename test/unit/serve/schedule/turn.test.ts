import { describe, expect, it } from 'vitest';
import type { Obstacle } from '../../../../src/serve/gates/gate.ts';
import { planTurn } from '../../../../src/serve/turn/plan.ts';

const hours = (reason: Obstacle['reason'], until: number): Obstacle => ({ reason, until, source: reason, sentence: reason });
const phase = (name: string, window: number | null, throttle: number | null) => ({
  phase: name,
  schedule: window === null ? null : hours('schedule', window),
  agents: [{ account: name, throttle: throttle === null ? null : hours('throttled', throttle), refusal: null }] as const,
});

describe('scar 44: a phase whose window is open and whose agent is throttled is not polled for: the wait ends when somebody can run', () => {
  it.each<[string, [number | null, number | null], [number | null, number | null], [Obstacle['reason'], number]]>([
    ['the throttle of the open one ends first', [null, 23], [24, null], ['throttled', 23]],
    ['the window of the free one opens first', [null, 24], [22, null], ['schedule', 22]],
    ['one is both: the later of the two', [22, 23], [null, 24], ['throttled', 23]],
    ['the window after the limit', [23, 22], [null, 24], ['schedule', 23]],
  ])('%s', (_, build, review, [reason, until]) => {
    const turn = planTurn({ candidates: [phase('build', ...build), phase('review', ...review)], throttlesWait: true });
    expect(turn).toMatchObject({ kind: 'closed', obstacle: { reason, until } });
  });
});
