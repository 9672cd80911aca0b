import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldEvent } from '../../../src/budget/fold.ts';
import { emptyLedger } from '../../../src/budget/ledger.ts';
import type { StoredEvent } from '../../../src/events/stored.ts';
import { type Outcome, outcomeOf } from '../../../src/round/outcome.ts';
import type { RoundResult } from '../../../src/round/types.ts';
import { firstStop } from '../../../src/serve/breakers/list.ts';
import { delayAfter } from '../../../src/serve/delay.ts';
import { progressOf } from '../../../src/serve/progress.ts';
import { nextStreaks } from '../../../src/serve/streaks.ts';
import { NO_STREAKS, type StreakState } from '../../../src/state/serve-state.ts';
import { roundEvents } from '../budget/events.ts';

interface Round {
  agent?: string;
  outcome?: Outcome;
  s?: number;
  usage?: boolean;
  finished?: boolean | null;
  moved?: boolean;
}

function resultOf({ agent = 'pi', outcome = 'ok', s = 1, usage = false, finished = null, moved = false }: Round): RoundResult {
  return {
    outcome,
    roundNum: 1,
    phase: null,
    durationMs: s * 1000,
    moved,
    turn: { finished, error: null, usage: usage ? ({} as never) : null },
    identity: agent,
    account: agent,
    fallback: 0,
    logPath: null,
    head: null,
    tail: '',
    survivors: [],
    problems: [],
  };
}

/** Runs rounds as serve does, usage folded from events; `between` puts the events of others into the log. */
function play(rounds: readonly Round[], { between = [] as readonly StoredEvent[], paced = false, heldBack = false } = {}) {
  const ledger = emptyLedger();
  let streaks: StreakState = { ...NO_STREAKS };
  for (const [i, round] of rounds.entries()) {
    const events = roundEvents({ n: i + 1, agent: round.agent ?? 'pi', ...(round.usage ? {} : { usage: null }) });
    for (const [at, event] of events.entries()) {
      for (const other of between.filter((_, j) => j % events.length === at)) foldEvent(ledger, other);
      foldEvent(ledger, event);
    }
    const result = resultOf(round);
    const progress = progressOf(result, { reporter: ledger.reporters.includes(result.identity), paced, heldBack });
    streaks = nextStreaks(streaks, result.outcome, result.moved, { progress });
    const stop = firstStop(streaks, result, { memLoops: () => 0 });
    if (stop !== null) return { after: i + 1, reason: stop.reason, sentence: stop.sentence, streaks };
  }
  return { after: null, reason: null, sentence: '', streaks };
}

const times = (n: number, ...rounds: Round[]) => Array.from({ length: n }, () => rounds).flat();

describe('reference case 14: whether a round was progress', () => {
  it.each<[string, Round, boolean, string]>([
    ['29.9 s, exit 0, usage known and none told', { s: 29.9 }, true, 'no_usage'],
    ['30 s', { s: 30 }, true, 'seen'],
    ['it told usage', { usage: true }, true, 'seen'],
    ['it moved something', { moved: true }, true, 'seen'],
    ['throttled', { outcome: 'rate_limited' }, true, 'seen'],
    ['a failure', { outcome: 'crash' }, true, 'seen'],
    ['a wall', { outcome: 'timeout', s: 20 }, true, 'seen'],
    ['ended after its result', { outcome: 'grace_kill', finished: true }, true, 'no_usage'],
    ['a "successful" result for which no model was asked', { finished: true }, true, 'no_usage'],
    ['an agent without usage history', {}, false, 'quiet'],
    ['an agent without usage history that said its result', { finished: true }, false, 'idle'],
  ])('%s', (_name, round, reporter, progress) => {
    expect(progressOf(resultOf(round), { reporter, paced: false })).toBe(progress);
  });

  it('five in a row stop; any progress between begins anew', () => {
    const worked = { usage: true, s: 200, moved: true };
    expect(play([worked, ...times(4, {})])).toMatchObject({ after: null });
    expect(play([worked, ...times(5, {})])).toMatchObject({ after: 6, reason: 'stalled_no_progress' });
    for (const other of [worked, { s: 30 }, { outcome: 'agent_error', s: 90 } as Round, { outcome: 'crash' } as Round]) {
      expect(play([worked, ...times(3, ...times(4, {}), other)]).after).toBeNull();
    }
  });

  it('mixed phases: the CLI that tells usage and the one that does not, each by itself', () => {
    const pi = { usage: true, s: 5 };
    const kimi = { agent: 'kimi', s: 5 };
    expect(play(times(200, pi, kimi)).after).toBeNull();
    expect(play(times(200, pi, { ...kimi, finished: true })).after).toBeNull();
    // pi breaks: kimi's quick rounds prove nothing for it.
    expect(play([pi, ...times(10, {}, { ...kimi, finished: true })])).toMatchObject({ after: 10, reason: 'stalled_no_progress' });
    expect(play([pi, ...times(30, {}, { ...kimi, moved: true })]).after).toBeNull();
  });
});

it('scar 46: a CLI that exits 0 whatever happens: a refusal is one by its record, and silence is seen after five', () => {
  const refused = outcomeOf({
    end: 'exit',
    exitCode: 0,
    durationMs: 900,
    outputBytes: 500,
    leftovers: false,
    moved: false,
    turn: { finished: true, error: { kind: 'auth_error', classification: 'auth', resetAtEpoch: null, raw: '401' }, usage: null },
    oomKilled: false,
    containerFailed: false,
  } as Parameters<typeof outcomeOf>[0]);
  expect(refused).toBe('auth_error');
  expect(play([{ usage: true }, ...times(5, { finished: true })])).toMatchObject({ after: 6, reason: 'stalled_no_progress' });
});

it('scar 47: a healthy CLI that never tells usage is never stopped', () => {
  const work: Round[] = [{ s: 400 }, { s: 10, moved: true }, { s: 10, finished: true }, { s: 31 }];
  for (const agent of ['kimi', 'aider', 'custom']) expect(play(times(100, ...work.map((round) => ({ ...round, agent })))).after).toBeNull();
  expect(play(times(1000, { agent: 'custom', finished: true })).after).toBeNull();
  expect(play(times(1000, { agent: 'custom' }), { paced: true }).after).toBeNull();
});

it('scar 47: while the agent that does the work waits for its provider, the others of a mixed loop are not the standstill', () => {
  const { after, streaks } = play(times(1000, { agent: 'aider' }), { heldBack: true });
  expect(after).toBeNull();
  expect(delayAfter({ outcome: 'ok', streaks, restartDelayS: 60 })).toMatchObject({ ms: 60_000 });
  // It is held back, not excused for what it did before.
  expect(play([...times(5, { agent: 'pi', usage: true }), ...times(5, { agent: 'pi' })], { heldBack: true }).after).toBe(10);
});

it('scar 48: an outage of the provider, exit 0, is no want of progress, and ends none either', () => {
  const outage: Round = { outcome: 'provider_error', finished: true };
  expect(play([{ usage: true }, ...times(500, outage)]).after).toBeNull();
  expect(play([{ usage: true }, ...times(4, {}), ...times(50, outage), {}])).toMatchObject({ reason: 'stalled_no_progress' });
});

describe('a broken CLI that prints its banner and exits 0', () => {
  const banner: Round = { agent: 'custom', s: 1 };

  it('is slowed down after five rounds and stopped after twenty', () => {
    expect(play(times(19, banner)).after).toBeNull();
    expect(play(times(20, banner))).toMatchObject({
      after: 20,
      reason: 'stalled_no_progress',
      sentence: '20 rounds in a row exited 0 within 30 s, told no result and moved neither HEAD nor the tree',
    });
    const delays = Array.from({ length: 20 }, (_, i) => {
      const input = { outcome: 'ok', streaks: { ...NO_STREAKS, quiet: i }, restartDelayS: 3, error: null, now: 0, random: 0 } as const;
      return delayAfter(input).ms / 1000;
    });
    expect(delays).toEqual([...Array(6).fill(3), 6, 12, 24, 48, 96, 192, 384, 768, 1536, ...Array(5).fill(1800)]);
    expect(delays.reduce((all, one) => all + one) / 3600).toBeCloseTo(3.4, 1);
  });

  it('one round that does something begins anew', () => {
    expect(play(times(50, ...times(19, banner), { agent: 'custom', moved: true })).after).toBeNull();
  });
});

const FOREIGN: fc.Arbitrary<StoredEvent> = fc.record({
  ts: fc.constantFrom('2026-11-29T12:05:00.000Z', '2099-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'),
  event: fc.constantFrom('goal_check', 'goal_assessment', 'hook_failed', 'monitor_alert_emitted', 'agent_usage', 'plugin_usage_recorded'),
  round_num: fc.constantFrom<unknown>(1, 3, 10_000, null),
  agent: fc.constantFrom('pi', 'kimi', '*'),
  outcome: fc.constantFrom('ok', 'crash'),
  input_tokens: fc.constant(1000),
  satisfied: fc.boolean(),
});
const ROUND: fc.Arbitrary<Round> = fc.record({
  agent: fc.constantFrom('pi', 'kimi'),
  outcome: fc.constantFrom<Outcome>('ok', 'ok', 'ok', 'grace_kill', 'provider_error', 'crash', 'agent_error', 'timeout'),
  s: fc.constantFrom(1, 29.9, 30, 70),
  usage: fc.boolean(),
  finished: fc.constantFrom(true, false, null),
  moved: fc.boolean(),
});

it('reference case 15: outcome and streaks are the same with adversarial events of others in the log', () => {
  fc.assert(
    fc.property(fc.array(ROUND, { maxLength: 30 }), fc.array(FOREIGN, { maxLength: 20 }), (rounds, between) => {
      expect(play(rounds, { between })).toEqual(play(rounds));
    }),
  );
});
