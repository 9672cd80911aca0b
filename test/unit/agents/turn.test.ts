import { describe, expect, it } from 'vitest';
import type { AgentAdapter, TurnReader } from '../../../src/agents/adapter.ts';
import { custom } from '../../../src/agents/custom.ts';
import { createRepetitionWatch, type Repetition } from '../../../src/agents/repetition.ts';
import { followTurn } from '../../../src/agents/turn.ts';
import { NOON } from '../../support/turns.ts';

const FACTS = { exitCode: 0, tail: '', nowEpoch: NOON, zone: 'UTC' };
const NOTHING = { finished: null, error: null, usage: null };
/** What a user's own module may do: anything. */
const withReader = (read: () => unknown): AgentAdapter => ({ ...custom, name: 'mine', read: read as () => TurnReader });
const follow = (reader: object) =>
  followTurn(
    withReader(() => reader),
    { command: ['mine'] },
  );

describe('an adapter of one’s own', () => {
  it('may say the turn alone, or the whole news', () => {
    const retries: string[] = [];
    const said = ['result', { turn: 'resumed', retrying: 'again' }, undefined, 7, null, 'nonsense', { turn: 'nonsense' }];
    let next = 0;
    const turn = followTurn(
      withReader(() => ({ line: () => said[next++], conclude: () => NOTHING })),
      { command: [], onRetrying: (what) => retries.push(what) },
    );
    expect(said.map(() => turn.line('x'))).toEqual(['result', 'resumed', undefined, undefined, undefined, undefined, undefined]);
    expect(retries).toEqual(['again']);
    expect(turn.problem()).toBeNull();
  });

  it('is given the command and the facts', () => {
    const given: unknown[] = [];
    const conclude = (facts: unknown) => {
      given.push(facts);
      return NOTHING;
    };
    const read = (command: unknown) => {
      given.push(command);
      return { line: () => undefined, conclude };
    };
    const turn = followTurn({ ...custom, read: read as AgentAdapter['read'] }, { command: ['mine', '-x'] });
    turn.conclude(FACTS);
    expect(given).toEqual([['mine', '-x'], FACTS]);
  });

  it('what it returns is cleaned: only numbers that are some, only kinds that there are', () => {
    const turn = follow({
      line: () => undefined,
      conclude: () => ({
        finished: 'yes',
        error: { kind: 'rate_limited', resetAtEpoch: Number.NaN, raw: 'x'.repeat(10_000) },
        usage: {
          model: 7,
          input_tokens: -5,
          output_tokens: '12',
          cost_usd: Number.POSITIVE_INFINITY,
          models_breakdown: { a: { input_tokens: 1.4 } },
        },
      }),
    });
    expect(turn.conclude(FACTS)).toEqual({
      finished: null,
      error: { kind: 'rate_limited', classification: 'rate_limit_model', resetAtEpoch: null, raw: 'x'.repeat(4000) },
      usage: {
        model: null,
        input_tokens: 0,
        output_tokens: 0,
        cached_tokens: 0,
        cache_creation_tokens: 0,
        cost_usd: null,
        duration_ms: null,
        tool_call_count: 0,
        models_breakdown: { a: { input_tokens: 1 } },
      },
    });
    expect(follow({ line: () => undefined, conclude: () => ({ error: { kind: 'catastrophe' } }) }).conclude(FACTS)).toEqual(NOTHING);
  });
});

it('scar 38: a classification of an adapter’s own stays as it is', () => {
  const error = { kind: 'provider_error', classification: 'gpu_queue_full', resetAtEpoch: NOON + 5, raw: 'queue full' };
  expect(follow({ line: () => undefined, conclude: () => ({ error }) }).conclude(FACTS).error).toEqual(error);
});

describe('a broken adapter hurts nobody', () => {
  const bomb = () => {
    throw new Error('boom\nat somewhere');
  };

  it.each<[string, () => unknown]>([
    ['read throws', bomb],
    ['read returns nothing', () => undefined],
    ['read returns half a reader', () => ({ line: () => undefined })],
    ['line throws', () => ({ line: bomb, conclude: () => NOTHING })],
    ['conclude throws', () => ({ line: () => undefined, conclude: bomb })],
    ['conclude returns no verdict', () => ({ line: () => undefined, conclude: () => 'fine' })],
    ['line is async and rejects', () => ({ line: async () => bomb(), conclude: () => NOTHING })],
    ['conclude is async and rejects', () => ({ line: () => undefined, conclude: async () => bomb() })],
    [
      'news with a getter that throws',
      () => ({
        line: () => ({
          get turn() {
            return bomb();
          },
        }),
        conclude: () => NOTHING,
      }),
    ],
  ])('%s', async (_name, read) => {
    const turn = followTurn(withReader(read), { command: [] });
    for (let at = 0; at < 50; at++) expect(turn.line(`line ${at}`)).toBeUndefined();
    expect(turn.conclude(FACTS)).toEqual(NOTHING);
    expect(turn.problem()).toMatch(/^mine: [^\n]+$/);
    // A rejection that nobody looks at would end the process after this.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('is asked ten more times and no more; then a result record is still believed', () => {
    let asked = 0;
    const line = () => {
      asked++;
      return bomb();
    };
    const turn = follow({ line, conclude: bomb });
    for (let at = 0; at < 1000; at++) turn.line('{"type":"assistant"}');
    expect(asked).toBe(10);
    expect(turn.line('{"type":"result","is_error":true,"api_error_status":401,"result":"x"}')).toBe('result');
    expect(turn.conclude(FACTS)).toMatchObject({ finished: true, error: { kind: 'auth_error' } });
  });
});

describe('the same tool call again and again', () => {
  const edit = (target: string) => ({ tool: 'Edit', target });
  const watched = (window: number, threshold: number, targets: string[]) => {
    const watch = createRepetitionWatch(window, threshold);
    return targets.map((target) => watch.push(edit(target))).filter((told) => told !== null);
  };

  it('is told once, when it makes the threshold within the window', () => {
    expect(watched(5, 3, ['a', 'b', 'a', 'c', 'a', 'a', 'a'])).toEqual([{ tool: 'Edit', target: 'a', count: 3, window: 5 }]);
  });

  it('is not, when the calls lie further apart than the window', () => {
    expect(watched(3, 2, ['a', 'b', 'c', 'a', 'b', 'c', 'a'])).toEqual([]);
  });

  it('needs both numbers', () => {
    expect(watched(0, 3, Array(50).fill('a'))).toEqual([]);
    expect(watched(5, 0, Array(50).fill('a'))).toEqual([]);
  });

  it('is told of five calls at most', () => {
    const targets = Array.from({ length: 40 }, (_, at) => `file ${Math.floor(at / 2)}`);
    expect(watched(4, 2, targets)).toHaveLength(5);
  });

  it('comes from the records of a turn', () => {
    const told: Repetition[] = [];
    const adapter = { ...custom };
    const turn = followTurn(adapter, {
      command: [],
      repetition: { window: 4, threshold: 3 },
      onRepetition: (repetition) => told.push(repetition),
    });
    const call = { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Bash', input: { command: 'npm test' } }] } };
    for (let at = 0; at < 5; at++) turn.line(JSON.stringify(call));
    expect(told).toEqual([{ tool: 'Bash', target: 'npm test', count: 3, window: 4 }]);
  });
});
