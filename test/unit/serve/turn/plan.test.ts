import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Obstacle } from '../../../../src/serve/gates/gate.ts';
import { type Candidate, planTurn, type TurnAgent } from '../../../../src/serve/turn/plan.ts';

const limit = (until: number | null): Obstacle => ({ reason: 'throttled', until, source: 'claude', sentence: 'usage limit' });
const login = (until: number | null): Obstacle => ({ reason: 'refused', until, source: 'claude', sentence: 'login refused' });
const closed = (until: number | null): Obstacle => ({ reason: 'schedule', until, source: '22:00-06:00', sentence: 'closed' });
const free = (account = 'a'): TurnAgent => ({ account, throttle: null, refusal: null });
const throttled = (until: number | null, account = 'a'): TurnAgent => ({ ...free(account), throttle: limit(until) });
const refused = (until: number | null, account = 'a'): TurnAgent => ({ ...free(account), refusal: login(until) });
const phase = (name: string | null, agents: Candidate['agents'], schedule: Obstacle | null = null): Candidate => ({
  phase: name,
  schedule,
  agents,
});
type Candidates = [Candidate, ...Candidate[]];
const plan = (...candidates: Candidates) => planTurn({ candidates, throttlesWait: true });

describe('whose turn it is', () => {
  it.each<[string, Candidates, unknown]>([
    ['a free agent', [phase(null, [free()])], { kind: 'run', phase: null, fallback: 0, skipped: [] }],
    ['the fallback of a throttled agent', [phase(null, [throttled(9), free('b')])], { kind: 'run', fallback: 1 }],
    ['the second fallback', [phase(null, [throttled(9), refused(5), free('c')])], { kind: 'run', fallback: 2 }],
    ['the fallback of an agent whose login was refused', [phase(null, [refused(9), free('b')])], { kind: 'run', fallback: 1 }],
    ['the first choice as soon as it is free', [phase(null, [free(), free('b')])], { kind: 'run', fallback: 0 }],
    [
      'the next phase',
      [phase('x', [throttled(9)]), phase('y', [free('b')])],
      { kind: 'run', phase: 'y', skipped: [{ phase: 'x', by: limit(9) }] },
    ],
    [
      'a fallback before the next phase',
      [phase('x', [throttled(9), free('b')]), phase('y', [free('c')])],
      { kind: 'run', phase: 'x', fallback: 1 },
    ],
    [
      'the phase behind a closed window',
      [phase('x', [free()], closed(9)), phase('y', [free()])],
      { kind: 'run', phase: 'y', skipped: [{ phase: 'x', by: closed(9) }] },
    ],
    [
      'nobody else when everybody was refused: the first tries again',
      [phase(null, [refused(9), refused(7, 'b')])],
      { kind: 'run', fallback: 0 },
    ],
    [
      'one that is refused and throttled waits for the other that is only refused',
      [phase(null, [{ ...refused(9), throttle: limit(8) }, refused(7, 'b')])],
      { kind: 'run', fallback: 1 },
    ],
    [
      'a refused agent waits for its throttled fallback',
      [phase(null, [refused(9), throttled(4, 'b')])],
      { kind: 'closed', obstacle: limit(4) },
    ],
    [
      '… or for its own next try, whatever comes first',
      [phase(null, [refused(3), throttled(4, 'b')])],
      { kind: 'closed', obstacle: login(3) },
    ],
    [
      'the earliest end of all phases',
      [phase('x', [throttled(9)]), phase('y', [free()], closed(5)), phase('z', [throttled(7)])],
      { kind: 'closed', obstacle: closed(5) },
    ],
    [
      'a window that opens within a limit counts from the limit’s end',
      [phase(null, [throttled(9)], closed(5))],
      { kind: 'closed', obstacle: limit(9) },
    ],
    ['a window that never opens', [phase('x', [free()], closed(null)), phase('y', [throttled(7)])], { kind: 'closed', obstacle: limit(7) }],
    ['no end at all', [phase(null, [free()], closed(null))], { kind: 'closed', obstacle: closed(null) }],
  ])('%s', (_name, candidates, expected) => {
    expect(plan(...candidates)).toMatchObject(expected as object);
  });

  it('transient_error_action = "skip" prefers who is free and waits for nobody', () => {
    const skip = (...candidates: Candidates) => planTurn({ candidates, throttlesWait: false });
    expect(skip(phase(null, [throttled(9), free('b')]))).toMatchObject({ kind: 'run', fallback: 1 });
    expect(skip(phase(null, [throttled(9), throttled(8, 'b')]))).toMatchObject({ kind: 'run', fallback: 0 });
    expect(skip(phase(null, [refused(9), throttled(8, 'b')]))).toMatchObject({ kind: 'run', fallback: 1 });
    expect(skip(phase(null, [throttled(9)], closed(4)))).toMatchObject({ kind: 'closed' });
    const offline = { ...free(), throttle: { ...limit(9), reason: 'network' as const } };
    expect(skip(phase(null, [offline]))).toMatchObject({ kind: 'closed', obstacle: { reason: 'network' } });
    expect(skip(phase(null, [offline, throttled(8, 'b')]))).toMatchObject({ kind: 'run', fallback: 1 });
  });
});

const obstacle = (reason: Obstacle['reason']) =>
  fc.option(
    fc.record({
      reason: fc.constant(reason),
      until: fc.option(fc.integer({ min: 1, max: 99 })),
      source: fc.constant('x'),
      sentence: fc.constant('x'),
    }),
  );
const agent = fc.record({ account: fc.constantFrom('a', 'b', 'c'), throttle: obstacle('throttled'), refusal: obstacle('refused') });
const someCandidates = fc
  .array(fc.tuple(obstacle('schedule'), fc.array(agent, { minLength: 1, maxLength: 4 })), { minLength: 1, maxLength: 5 })
  .map((list) => list.map(([schedule, agents], index) => ({ phase: `p${index}`, schedule, agents })) as unknown as Candidates);

describe('for any phases and agents', () => {
  it('whoever runs is not held back by a window, nor by a limit that waits', () => {
    fc.assert(
      fc.property(someCandidates, fc.boolean(), (candidates, throttlesWait) => {
        const turn = planTurn({ candidates, throttlesWait });
        if (turn.kind === 'closed') return;
        const chosen = candidates.find(({ phase }) => phase === turn.phase);
        const agent = chosen?.agents[turn.fallback];
        expect(agent).toBeDefined();
        expect(chosen?.schedule).toBeNull();
        if (throttlesWait) expect(agent?.throttle).toBeNull();
        expect(turn.skipped.map(({ phase }) => phase)).toEqual(candidates.slice(0, turn.skipped.length).map(({ phase }) => phase));
      }),
    );
  });

  it('nobody who is wholly free is ever passed over for one who is not, and the order is kept', () => {
    fc.assert(
      fc.property(someCandidates, (candidates) => {
        const isFree = ({ throttle, refusal }: TurnAgent) => throttle === null && refusal === null;
        const first = candidates.find(({ schedule, agents }) => schedule === null && agents.some(isFree));
        if (first === undefined) return;
        expect(plan(...candidates)).toMatchObject({ kind: 'run', phase: first.phase, fallback: first.agents.findIndex(isFree) });
      }),
    );
  });

  it('scar 44: a closed turn ends with an obstacle of somebody, never before the first of them', () => {
    fc.assert(
      fc.property(someCandidates, (candidates) => {
        const turn = plan(...candidates);
        if (turn.kind === 'run') return;
        const all = candidates.flatMap(({ schedule, agents }) => [
          schedule,
          ...agents.flatMap(({ throttle, refusal }) => [throttle, refusal]),
        ]);
        expect(all).toContainEqual(turn.obstacle);
        const ends = all.filter((one) => one !== null).map(({ until }) => until ?? Number.MAX_VALUE);
        expect(turn.obstacle.until ?? Number.MAX_VALUE).toBeGreaterThanOrEqual(Math.min(...ends));
      }),
    );
  });
});
