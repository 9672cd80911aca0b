import { describe, expect, it } from 'vitest';
import { NOON, readTurn } from '../../support/turns.ts';

const result = (part: object) => ({ type: 'result', subtype: 'success', is_error: false, result: 'done', ...part });
const synthetic = (error: string) => ({ type: 'assistant', message: { model: '<synthetic>', content: [] }, error });

it('a finished turn with its usage, input tokens net of the cache (scar 35)', () => {
  const turn = readTurn('claude', [
    { type: 'system', subtype: 'init' },
    {
      type: 'assistant',
      message: { model: 'opus', content: [{ type: 'tool_use', name: 'Bash', input: { command: 'ls' } }, { type: 'text' }] },
    },
    result({
      duration_ms: 263,
      total_cost_usd: 0.0028,
      usage: { input_tokens: 240, output_tokens: 50, cache_read_input_tokens: 100, cache_creation_input_tokens: 60 },
    }),
  ]);
  expect(turn).toMatchObject({ finished: true, error: null, results: 1 });
  expect(turn.news[0]).toEqual({ tools: [{ tool: 'Bash', target: 'ls' }] });
  expect(turn.usage).toEqual({
    model: 'opus',
    input_tokens: 240,
    output_tokens: 50,
    cached_tokens: 100,
    cache_creation_tokens: 60,
    cost_usd: 0.0028,
    duration_ms: 263,
    tool_call_count: 1,
    models_breakdown: null,
  });
});

describe('scar 37: a refused turn', () => {
  it.each<[string, object, string, string]>([
    ['401', { api_error_status: 401 }, 'auth_error', 'auth'],
    ['field bug 37: 403', { api_error_status: 403 }, 'auth_error', 'auth'],
    ['429', { api_error_status: 429 }, 'rate_limited', 'rate_limit_model'],
    ['500', { api_error_status: 500 }, 'provider_error', 'api_transient_5xx'],
    ['529', { api_error_status: 529 }, 'provider_error', 'api_transient_5xx'],
    ['408', { api_error_status: 408 }, 'provider_error', 'api_timeout'],
    ['402', { api_error_status: 402 }, 'provider_error', 'billing'],
    ['overloaded, null status', { result: 'API Error: Repeated 529 Overloaded errors.' }, 'provider_error', 'api_transient_5xx'],
    ['no credit', { api_error_status: 400, result: 'Credit balance is too low' }, 'provider_error', 'billing'],
    ['no answer', { result: 'Request timed out' }, 'provider_error', 'api_timeout'],
    ['no network', { result: 'API Error: Connection error.' }, 'provider_error', 'network'],
    ['logged out', { result: 'Not logged in · Please run /login' }, 'auth_error', 'auth'],
    ['a refused request', { api_error_status: 400, result: 'prompt is too long' }, 'agent_error', 'turn_failed'],
    ['its own bound of turns', { subtype: 'error_max_turns', result: undefined }, 'agent_error', 'max_turns'],
    ['interrupted', { subtype: 'error_during_execution', result: undefined }, 'agent_error', 'turn_failed'],
  ])('%s', (_name, part, kind, classification) => {
    expect(readTurn('claude', [result({ is_error: true, ...part })], { exitCode: 1 }).error).toMatchObject({ kind, classification });
  });

  it.each<[string, string, string]>([
    ['billing_error', 'provider_error', 'billing'],
    ['authentication_failed', 'auth_error', 'auth'],
    ['rate_limit', 'rate_limited', 'rate_limit_model'],
    ['server_error', 'provider_error', 'api_transient_5xx'],
  ])('without a status, its message says what it was: %s', (code, kind, classification) => {
    const turn = readTurn('claude', [synthetic(code), result({ is_error: true, result: 'Something new' })]);
    expect(turn.error).toMatchObject({ kind, classification });
  });
});

describe("the account's limit", () => {
  const event = (rateLimitType: string | null, resetsAt: unknown = NOON + 3600) => ({
    type: 'rate_limit_event',
    rate_limit_info: { status: 'rejected', rateLimitType, resetsAt },
  });
  const refused = result({ is_error: true, api_error_status: 429 });

  it('a rejected window with its stated end; a null type is not one (scar 36)', () => {
    expect(readTurn('claude', [event('five_hour'), refused]).error).toMatchObject({
      classification: 'rate_limit_account',
      resetAtEpoch: NOON + 3600,
    });
    expect(readTurn('claude', [event(null), refused]).error).toMatchObject({ classification: 'rate_limit_model' });
  });

  it.each([null, Number.NaN, 'soon', {}, -1, 1e300])('scar 39: an end of %s is no end', (resetsAt) => {
    expect(readTurn('claude', [event('five_hour', resetsAt), refused]).error).toMatchObject({
      classification: 'rate_limit_account',
      resetAtEpoch: null,
    });
  });

  it('milliseconds and digits are read too', () => {
    expect(readTurn('claude', [event('five_hour', (NOON + 60) * 1000), refused]).error?.resetAtEpoch).toBe(NOON + 60);
    expect(readTurn('claude', [event('five_hour', String(NOON + 60)), refused]).error?.resetAtEpoch).toBe(NOON + 60);
  });

  it('a limit that did not stop the turn (paid usage goes on) is none', () => {
    expect(readTurn('claude', [event('five_hour'), result({})]).error).toBeNull();
  });

  it.each<[string, number]>([
    ["You've hit your session limit · resets 2:10pm (Europe/Madrid)", NOON + 70 * 60],
    ['5-hour limit reached ∙ resets 3pm', NOON + 2 * 3600],
    [`Claude AI usage limit reached|${NOON + 5400}`, NOON + 5400],
    ["You've hit your weekly limit · resets Dec 2, 9am (Europe/Zurich)", NOON + 68 * 3600],
  ])('in words: %s', (words, end) => {
    const turn = readTurn('claude', [synthetic('rate_limit'), result({ is_error: true, api_error_status: 429, result: words })], {
      exitCode: 1,
    });
    expect(turn.error).toMatchObject({ kind: 'rate_limited', classification: 'rate_limit_account', resetAtEpoch: end });
  });
});

describe('a success', () => {
  const CHAT = [
    'usage limit reached|1766502000 429 401 unauthorized',
    'I fixed the handler: on 429 Too Many Requests it waits, on 401 it prints "Invalid API key · Please run /login".',
    'The test now expects "You\'ve hit your limit · resets 3pm" and [API Error: 401 bad key]',
    'API Error: 529 Overloaded is what the provider says when it is at capacity.\nThe retry handles that.',
    '[API Error: 500] and [API Error: 401] are now tested.',
  ];

  it.each(CHAT)('field bug 38: that talks of limits is a success: %s', (text) => {
    const usage = { input_tokens: 10, output_tokens: 5 };
    const turn = readTurn('claude', [
      { type: 'assistant', message: { model: 'opus', content: [{ type: 'text', text }] } },
      { type: 'user', message: { content: [{ type: 'tool_result', content: `+ ${text}` }] } },
      result({ result: text, usage }),
    ]);
    expect(turn).toMatchObject({ finished: true, error: null });
    // Nor does its text count when the process then fails: the structured word wins.
    expect(readTurn('claude', [result({ result: text, usage })], { exitCode: 1, tail: `Error: ${text}` }).error).toBeNull();
  });

  it.each<[string, string]>([
    ['[API Error: 401 Incorrect API key provided: x.]', 'auth'],
    ['[API Error: 429 Rate limit reached]', 'rate_limit_model'],
    [`Claude AI usage limit reached|${NOON + 60}`, 'rate_limit_account'],
  ])('whose whole text is an API error is none: %s', (text, classification) => {
    expect(readTurn('claude', [result({ result: text })]).error).toMatchObject({ classification });
  });

  it('whose whole text is a limit, when the model said nothing', () => {
    const text = "You've hit your limit · resets 3pm (Europe/Zurich)";
    expect(readTurn('claude', [synthetic('rate_limit'), result({ result: text })]).error).toMatchObject({ resetAtEpoch: NOON + 2 * 3600 });
    expect(readTurn('claude', [result({ result: text, usage: { output_tokens: 12 } })]).error).toBeNull();
  });
});

describe('the end of a turn', () => {
  const init = { type: 'system', subtype: 'init' };
  const streaming = ['claude', '-p', '--output-format', 'stream-json'];

  it('a turn without a result is unfinished, when records were asked for or seen', () => {
    expect(readTurn('claude', [init]).finished).toBe(false);
    expect(readTurn('claude', ['Update available'], {}, streaming).finished).toBe(false);
    expect(readTurn('claude', [], {}, ['claude', '-p', '--output-format=json']).finished).toBe(false);
  });

  it('printing plain text, it has no such record', () => {
    expect(readTurn('claude', ['All done.'], {}, ['claude', '-p']).finished).toBeNull();
  });

  it('one JSON document as a whole, over one line or many, in a list or not', () => {
    const records = [init, result({ usage: { input_tokens: 1, output_tokens: 1 } })];
    for (const text of [JSON.stringify(records), JSON.stringify(records, null, 2), JSON.stringify(records[1], null, 2)]) {
      expect(readTurn('claude', text.split('\n'), { tail: `${text}\n` }, ['claude', '--output-format', 'json'])).toMatchObject({
        finished: true,
        usage: { output_tokens: 1 },
      });
    }
  });

  it('background work that wakes it: resumed, and only its own result ends it', () => {
    const wakes = { type: 'assistant', message: { model: 'opus', content: [] } };
    const turn = readTurn('claude', [result({}), wakes]);
    expect(turn).toMatchObject({ finished: false });
    expect(turn.news.map((news) => news.turn)).toEqual(['result', 'resumed']);
    expect(readTurn('claude', [result({}), wakes, wakes, result({})]).finished).toBe(true);
  });

  it('a result of more than a megabyte, cut by the line reader, still ends the turn', () => {
    const line = JSON.stringify(result({ result: 'x'.repeat(2_000_000) })).slice(0, 1_048_576);
    expect(readTurn('claude', [line])).toMatchObject({ finished: true, error: null, results: 1 });
    const refused = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: true,
      api_error_status: 401,
      result: 'x'.repeat(2_000_000),
    });
    expect(readTurn('claude', [refused.slice(0, 1_048_576)]).error).toMatchObject({ classification: 'auth' });
  });
});

it('retries are told as what they are and decide nothing', () => {
  const retry = { type: 'system', subtype: 'api_retry', attempt: 3, max_retries: 10, error_status: 429, error: 'rate_limit' };
  const turn = readTurn('claude', [retry, result({})]);
  expect(turn.news[0]).toEqual({ retrying: '429 rate_limit, attempt 3 of 10' });
  expect(turn.error).toBeNull();
  expect(readTurn('claude', [retry], { exitCode: null }).error).toBeNull();
});

it('several models are counted together and told apart', () => {
  const model = (inputTokens: number) => ({ inputTokens, outputTokens: 1, cacheReadInputTokens: 2, cacheCreationInputTokens: 3 });
  const turn = readTurn('claude', [
    result({ modelUsage: { opus: model(100), haiku: model(10) }, usage: { input_tokens: 100 }, total_cost_usd: 1 }),
  ]);
  expect(turn.usage).toMatchObject({ input_tokens: 110, output_tokens: 2, cached_tokens: 4, cost_usd: 1 });
  expect(turn.usage?.models_breakdown).toEqual({
    opus: { input_tokens: 100, output_tokens: 1, cached_tokens: 2, cache_creation_tokens: 3 },
    haiku: { input_tokens: 10, output_tokens: 1, cached_tokens: 2, cache_creation_tokens: 3 },
  });
});

it('reference case 28: usage of nothing at all is no usage', () => {
  expect(
    readTurn('claude', [result({ is_error: true, api_error_status: 401, usage: { input_tokens: 0 }, total_cost_usd: 0 })]).usage,
  ).toBeNull();
});

it('an example of a result in the middle of a sentence is no result', () => {
  const tail = `All done. The CLI prints {"type":"result","is_error":true,"api_error_status":429,"result":"x"}\n`;
  expect(readTurn('claude', [], { tail }, ['claude', '-p'])).toMatchObject({ finished: null, error: null });
});
