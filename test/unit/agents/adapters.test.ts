import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TurnVerdict } from '../../../src/agents/adapter.ts';
import { ADAPTER_NAMES, adapterFor } from '../../../src/agents/registry.ts';

function read(name: string, records: unknown[]): TurnVerdict & { results: number } {
  const reader = adapterFor(name).read();
  const results = records.filter((record) => reader.line(typeof record === 'string' ? record : JSON.stringify(record)) === 'result').length;
  return { ...reader.conclude(), results };
}
const claudeResult = (part: object) => ({ type: 'result', subtype: 'success', is_error: false, result: 'done', ...part });

describe('claude', () => {
  it('a finished turn with its usage, input tokens net of the cache (scar 35)', () => {
    const turn = read('claude', [
      { type: 'system', subtype: 'init' },
      { type: 'assistant', message: { model: 'opus', content: [{ type: 'tool_use', name: 'Bash' }, { type: 'text' }] } },
      claudeResult({
        duration_ms: 263,
        total_cost_usd: 0.0028,
        usage: { input_tokens: 240, output_tokens: 50, cache_read_input_tokens: 100, cache_creation_input_tokens: 60 },
      }),
    ]);
    expect(turn).toEqual({
      finished: true,
      error: null,
      results: 1,
      usage: {
        model: 'opus',
        input_tokens: 240,
        output_tokens: 50,
        cached_tokens: 100,
        cache_creation_tokens: 60,
        cost_usd: 0.0028,
        duration_ms: 263,
        tool_call_count: 1,
      },
    });
  });

  it.each([
    ['401', { is_error: true, api_error_status: 401 }, 'auth_error', 'auth'],
    ['429', { is_error: true, api_error_status: 429 }, 'rate_limited', 'rate_limit_model'],
    ['500', { is_error: true, api_error_status: 500 }, 'provider_error', 'api_transient_5xx'],
    ['scar 37: 529', { is_error: true, api_error_status: 529 }, 'provider_error', 'api_transient_5xx'],
    [
      'overloaded with a null status',
      { is_error: true, api_error_status: null, result: 'API Error: Repeated 529 Overloaded errors.' },
      'provider_error',
      'api_transient_5xx',
    ],
    ['no credit', { is_error: true, api_error_status: 400, result: 'Credit balance is too low' }, 'provider_error', 'billing'],
    ['a refused request', { is_error: true, api_error_status: 400, result: 'prompt is too long' }, 'agent_error', 'turn_failed'],
    ['interrupted', { is_error: true, subtype: 'error_during_execution' }, 'agent_error', 'turn_failed'],
  ])('%s', (_name, part, kind, classification) => {
    expect(read('claude', [claudeResult(part)]).error).toMatchObject({ kind, classification });
  });

  it("a rejected five-hour window is the account's limit with its stated end; a null type is not (scar 36)", () => {
    const event = (rateLimitType: string | null) => ({
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', rateLimitType, resetsAt: 1_766_502_000 },
    });
    const failed = claudeResult({ is_error: true, api_error_status: 429 });
    expect(read('claude', [event('five_hour'), failed]).error).toMatchObject({
      classification: 'rate_limit_account',
      resetAtEpoch: 1_766_502_000,
    });
    expect(read('claude', [event(null), failed]).error).toMatchObject({ classification: 'rate_limit_model' });
  });

  it('retry chatter is no outcome, and a success that talks of limits is a success', () => {
    const turn = read('claude', [
      { type: 'system', subtype: 'api_retry', attempt: 1, error_status: 429, error: 'rate_limit' },
      claudeResult({ result: 'usage limit reached|1766502000 429 401 unauthorized' }),
    ]);
    expect(turn.error).toBeNull();
  });

  it('a turn without a result is unfinished', () => {
    expect(read('claude', [{ type: 'assistant', message: {} }])).toMatchObject({ finished: false, error: null, results: 0 });
  });
});

describe('codex', () => {
  it('a completed turn; cached tokens are taken out of the input', () => {
    const turn = read('codex', [
      { type: 'item.completed', item: { type: 'error', message: 'only a warning' } },
      { type: 'item.completed', item: { type: 'command_execution', command: 'ls' } },
      { type: 'turn.completed', usage: { input_tokens: 240, cached_input_tokens: 100, output_tokens: 50, cache_write_input_tokens: 0 } },
    ]);
    expect(turn).toMatchObject({
      finished: true,
      error: null,
      results: 1,
      usage: { input_tokens: 140, cached_tokens: 100, tool_call_count: 1 },
    });
  });

  it.each([
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limited', 'rate_limit_model'],
    ['unexpected status 401 Unauthorized: Incorrect API key provided', 'auth_error', 'auth'],
    ['You exceeded your current quota (insufficient_quota), check your billing details', 'provider_error', 'billing'],
    ['We are currently experiencing high demand, which may cause temporary errors.', 'provider_error', 'api_transient_5xx'],
    ['something new', 'agent_error', 'turn_failed'],
  ])('%s', (message, kind, classification) => {
    expect(read('codex', [{ type: 'turn.failed', error: { message } }]).error).toMatchObject({ kind, classification });
  });

  it('reconnecting is no failure', () => {
    const turn = read('codex', [
      { type: 'error', message: 'Reconnecting... 1/2 (last status: 429 Too Many Requests)' },
      { type: 'turn.completed' },
    ]);
    expect(turn).toMatchObject({ finished: true, error: null });
  });
});

describe('every adapter', () => {
  it('scar 33: is found by the identity of the command or by its configured name; an unknown CLI gets the careful one', () => {
    expect(adapterFor('claude').name).toBe('claude');
    expect(adapterFor('node', 'demo').name).toBe('demo');
    expect(adapterFor('my-wrapper').name).toBe('custom');
    expect(read('my-wrapper', ['plain text'])).toMatchObject({ finished: null, error: null });
  });

  it.each(ADAPTER_NAMES)('%s never throws, whatever a line holds', (name) => {
    const line = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({
          type: fc.constantFrom('result', 'assistant', 'rate_limit_event', 'turn.failed', 'turn.completed', 'item.completed'),
          message: fc.jsonValue(),
          usage: fc.jsonValue(),
          error: fc.jsonValue(),
          is_error: fc.jsonValue(),
          result: fc.jsonValue(),
          item: fc.jsonValue(),
          rate_limit_info: fc.jsonValue(),
        })
        .map((record) => JSON.stringify(record)),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const reader = adapterFor(name).read();
        for (const text of lines) reader.line(text);
        const { usage, error } = reader.conclude();
        if (usage) expect(Object.values(usage).every((value) => typeof value !== 'number' || Number.isFinite(value))).toBe(true);
        if (error) expect(typeof error.raw).toBe('string');
      }),
    );
  });
});
