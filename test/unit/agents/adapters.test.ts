import { describe, expect, it } from 'vitest';
import { ADAPTERS, adapterOfIdentity } from '../../../src/agents/registry.ts';
import { PRESET_NAMES } from '../../../src/config/preset.ts';
import { NOON, readTurn } from '../../support/turns.ts';

it('scar 33: the adapter is found by the identity of the command; an unknown CLI gets the careful one', () => {
  expect(adapterOfIdentity('claude').name).toBe('claude');
  expect(adapterOfIdentity('my-wrapper').name).toBe('custom');
  expect(readTurn('my-wrapper', ['plain text'])).toMatchObject({ finished: null, error: null });
});

it('every preset has its adapter, and every adapter of a CLI its preset', () => {
  expect(
    ADAPTERS.map(({ name }) => name)
      .filter((name) => name !== 'custom')
      .sort(),
  ).toEqual([...PRESET_NAMES].sort());
});

it('cooperative stops are those that the predecessor knew', () => {
  const signals = ADAPTERS.filter(({ cooperativeStop }) => cooperativeStop !== null).map(({ name, cooperativeStop }) => [
    name,
    cooperativeStop,
  ]);
  expect(Object.fromEntries(signals)).toEqual({ claude: 'SIGINT', gemini: 'SIGTERM', pi: 'SIGTERM', demo: 'SIGTERM' });
});

describe('codex', () => {
  it('a completed turn; cached tokens are taken out of the input, a tool counts once', () => {
    const turn = readTurn(
      'codex',
      [
        { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'only a warning' } },
        { type: 'item.started', item: { id: 'item_1', type: 'command_execution', command: 'ls' } },
        { type: 'item.completed', item: { id: 'item_1', type: 'command_execution', command: 'ls' } },
        { type: 'item.completed', item: { id: 'item_2', type: 'file_change', changes: [{ path: 'a.ts', kind: 'update' }] } },
        { type: 'turn.completed', usage: { input_tokens: 240, cached_input_tokens: 100, output_tokens: 50, cache_write_input_tokens: 0 } },
      ],
      {},
      ['codex', 'exec', '--json', '-m', 'gpt-x'],
    );
    expect(turn).toMatchObject({ finished: true, error: null, results: 1 });
    expect(turn.usage).toMatchObject({ model: 'gpt-x', input_tokens: 140, cached_tokens: 100, tool_call_count: 2, cost_usd: null });
    expect(turn.news.flatMap(({ tools }) => tools ?? [])).toEqual([
      { tool: 'command_execution', target: 'ls' },
      { tool: 'file_change', target: 'a.ts' },
    ]);
  });

  it.each<[string, string, string, number | null]>([
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limited', 'rate_limit_model', null],
    ['unexpected status 401 Unauthorized: Incorrect API key provided', 'auth_error', 'auth', null],
    ['Your access token could not be refreshed. Please log out and sign in again.', 'auth_error', 'auth', null],
    ['You exceeded your current quota (insufficient_quota), check your billing details', 'provider_error', 'billing', null],
    ['Quota exceeded. Check your plan and billing details.', 'provider_error', 'billing', null],
    ['We’re currently experiencing high demand, which may cause temporary errors.', 'provider_error', 'api_transient_5xx', null],
    ['stream disconnected before completion: error sending request', 'provider_error', 'network', null],
    ["You've hit your usage limit. Upgrade to Pro or try again in 2 hours 5 minutes.", 'rate_limited', 'rate_limit_account', NOON + 7500],
    ["You've hit your usage limit. Try again at 3:42 PM.", 'rate_limited', 'rate_limit_account', NOON + 9720],
    [
      JSON.stringify({ error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', resets_at: NOON + 900 } }),
      'rate_limited',
      'rate_limit_account',
      NOON + 900,
    ],
    ['something new', 'agent_error', 'turn_failed', null],
  ])('%s', (message, kind, classification, resetAtEpoch) => {
    const failed = { type: 'turn.failed', error: { message } };
    expect(readTurn('codex', [failed], { exitCode: 1 }).error).toMatchObject({ kind, classification, resetAtEpoch });
  });

  it('reconnecting is no failure', () => {
    const reconnecting = { type: 'error', message: 'Reconnecting... 1/2 (last status: 429 Too Many Requests)' };
    const turn = readTurn('codex', [reconnecting, { type: 'turn.completed' }]);
    expect(turn).toMatchObject({ finished: true, error: null });
    expect(turn.news[0]).toEqual({ retrying: 'last status: 429 Too Many Requests, attempt 1 of 2' });
  });

  it('an error without the record of the turn’s end counts only when the process failed', () => {
    const lines = [{ type: 'thread.started' }, { type: 'error', message: 'unexpected status 401 Unauthorized' }];
    expect(readTurn('codex', lines, { exitCode: 1 })).toMatchObject({ finished: false, error: { kind: 'auth_error' } });
    expect(readTurn('codex', lines, { exitCode: 0 })).toMatchObject({ finished: false, error: null });
  });
});

describe('gemini', () => {
  const result = (message: string) => ({ type: 'result', status: 'error', error: { type: 'unknown', message } });

  it.each<[string, string, number | null]>([
    [
      '[API Error: {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 32s.","status":"RESOURCE_EXHAUSTED"}}]',
      'rate_limit_model',
      NOON + 32,
    ],
    ['[API Error: You exceeded your current quota, please check your plan and billing details.]', 'rate_limit_model', null],
    ['[API Error: You have exhausted your daily quota on this model.]', 'rate_limit_account', null],
    ['You have exhausted your capacity on this model. Your quota will reset after 1h2m3s.', 'rate_limit_account', NOON + 3723],
    ['Usage limit reached for gemini-3-pro. Access resets at 10:57 PM GMT-3.', 'rate_limit_account', NOON + 13 * 3600 + 3420 + 0],
    ['[API Error: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]', 'api_transient_5xx', null],
    ['[API Error: exception TypeError: fetch failed sending request]', 'network', null],
    ['[API Error: {"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]', 'auth', null],
    ['[API Error: {"error":{"code":404,"message":"model not found"}}]', 'turn_failed', null],
    [
      '[API Error: {"error":{"code":400,"message":"Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.","status":"FAILED_PRECONDITION"}}]',
      'billing',
      null,
    ],
    [
      '[API Error: {"error":{"code":403,"message":"This API method requires billing to be enabled. Please enable billing on project #1.","status":"PERMISSION_DENIED"}}]',
      'billing',
      null,
    ],
  ])('%s', (message, classification, resetAtEpoch) => {
    expect(readTurn('gemini', [result(message)], { exitCode: 1 }).error).toMatchObject({ classification, resetAtEpoch });
  });

  it.each<[number, string | null]>([
    [41, 'auth'],
    [145, 'auth'],
    [147, 'auth'],
    [173, 'rate_limit_model'],
    [244, 'api_transient_5xx'],
    [247, 'api_transient_5xx'],
    [144, null],
    [143, null],
    [130, null],
    [1, null],
  ])('without a result, exit %i is all that is left of the status', (exitCode, classification) => {
    const { error, finished } = readTurn('gemini', [{ type: 'init', model: 'g' }], { exitCode, tail: '' });
    expect(finished).toBe(false);
    expect(error?.classification ?? null).toBe(classification);
  });

  it('tells the models apart when there were two; input leaves the cache out', () => {
    const counts = (input: number) => ({ total_tokens: 290, input_tokens: input + 100, output_tokens: 50, cached: 100, input });
    const turn = readTurn('gemini', [
      { type: 'init', model: 'auto' },
      {
        type: 'result',
        status: 'success',
        stats: { ...counts(150), duration_ms: 9, tool_calls: 2, models: { pro: counts(140), flash: counts(10) } },
      },
    ]);
    expect(turn.usage).toMatchObject({ model: 'pro', input_tokens: 150, cached_tokens: 100, tool_call_count: 2, duration_ms: 9 });
    expect(Object.keys(turn.usage?.models_breakdown ?? {})).toEqual(['pro', 'flash']);
  });

  it('tells retries from its lines of text', () => {
    const lines = [
      'Attempt 2 failed with status 500. Retrying with backoff... _ApiError: {',
      'Attempt 1 failed: You exceeded your current quota.',
    ];
    expect(readTurn('gemini', lines).news).toEqual([
      { retrying: '500, attempt 2' },
      { retrying: 'You exceeded your current quota., attempt 1' },
    ]);
  });
});

describe('opencode', () => {
  const finish = (reason: string, cost = 0.01) => ({
    type: 'step_finish',
    timestamp: 2000,
    part: { reason, cost, tokens: { input: 70, output: 20, reasoning: 5, cache: { read: 50, write: 3 } } },
  });

  it('sums its steps; a step that ends for a tool call ends no turn', () => {
    const start = { type: 'step_start', timestamp: 1000 };
    const tool = { type: 'tool_use', timestamp: 1500, part: { tool: 'edit', state: { input: { filePath: 'a.ts' } } } };
    const turn = readTurn('opencode', [start, tool, finish('tool-calls'), start, finish('stop')], {}, [
      'opencode',
      'run',
      '-m',
      'anthropic/x',
    ]);
    expect(turn).toMatchObject({ finished: true, results: 1 });
    expect(turn.usage).toMatchObject({
      model: 'anthropic/x',
      input_tokens: 140,
      output_tokens: 50,
      cached_tokens: 100,
      cache_creation_tokens: 6,
      cost_usd: 0.02,
      duration_ms: 1000,
      tool_call_count: 1,
    });
    expect(readTurn('opencode', [start, finish('tool-calls')]).finished).toBe(false);
  });

  it('a price of nothing is an unknown one', () => {
    expect(readTurn('opencode', [finish('stop', 0)]).usage?.cost_usd).toBeNull();
  });

  it.each<[object, string, number | null]>([
    [{ name: 'ProviderAuthError', data: { message: 'no key' } }, 'auth', null],
    [
      { name: 'APIError', data: { message: 'Rate limit', statusCode: 429, responseHeaders: { 'retry-after': '90' } } },
      'rate_limit_model',
      NOON + 90,
    ],
    [
      {
        name: 'APIError',
        data: {
          message: 'This request would exceed your rate limit',
          statusCode: 429,
          responseHeaders: { 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': String(NOON + 60) },
        },
      },
      'rate_limit_account',
      NOON + 60,
    ],
    [{ name: 'APIError', data: { message: 'Cannot connect to API: Unable to connect.' } }, 'network', null],
    [{ name: 'MessageOutputLengthError', data: {} }, 'turn_failed', null],
    [{ name: 7 }, 'turn_failed', null],
  ])('%j', (error, classification, resetAtEpoch) => {
    expect(readTurn('opencode', [{ type: 'error', error }], { exitCode: 1 }).error).toMatchObject({ classification, resetAtEpoch });
  });
});

describe('pi', () => {
  const said = (part: object) => ({
    type: 'message_end',
    message: { role: 'assistant', model: 'm', timestamp: 3000, content: [], ...part },
  });
  const failed = (errorMessage: string) => said({ stopReason: 'error', errorMessage });

  it('scar 46: exit 0, and the last message says that the provider refused', () => {
    const turn = readTurn('pi', [failed('429 {"type":"error"}'), { type: 'agent_end', messages: [] }], { exitCode: 0 });
    expect(turn).toMatchObject({ finished: true, error: { classification: 'rate_limit_model' } });
  });

  it('what failed and was tried again with success is no failure', () => {
    const lines = [
      failed('500 {}'),
      { type: 'agent_end' },
      { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, errorMessage: '500 {}' },
      { type: 'agent_start' },
      said({ stopReason: 'stop', usage: { input: 1, output: 2, cost: { total: 0 } } }),
      { type: 'agent_end' },
    ];
    const turn = readTurn('pi', lines);
    expect(turn).toMatchObject({ finished: true, error: null, usage: { input_tokens: 1, output_tokens: 2, cost_usd: null } });
    expect(turn.news.map((news) => news.turn)).toEqual([undefined, 'result', 'resumed', undefined, 'result'].filter((_, at) => at !== 3));
    // Killed in the middle of the retry: nothing is known.
    expect(readTurn('pi', [{ type: 'session' }, ...lines.slice(0, 3)], { exitCode: null })).toMatchObject({ finished: false, error: null });
  });

  it.each<[string, string]>([
    ['401 {"error":{"type":"authentication_error"}}', 'auth'],
    ['400 {"error":{"message":"Your credit balance is too low"}}', 'billing'],
    ['terminated', 'network'],
    ['terminated: other side closed (UND_ERR_SOCKET)', 'network'],
    ['fetch failed: Headers Timeout Error (UND_ERR_HEADERS_TIMEOUT)', 'api_timeout'],
    ['Connection error.', 'network'],
    ['Request timed out.', 'api_timeout'],
    ['400 prompt is too long', 'turn_failed'],
  ])('%s', (errorMessage, classification) => {
    expect(readTurn('pi', [failed(errorMessage), { type: 'agent_end' }]).error).toMatchObject({ classification });
  });

  it('an agent_end of more than a megabyte, cut by the line reader, ends the turn all the same', () => {
    expect(
      readTurn('pi', [{ type: 'session' }, `{"type":"agent_end","messages":[{"role":"user","content":"${'x'.repeat(100)}`]).finished,
    ).toBe(true);
  });
});

describe('qwen', () => {
  const result = (text: string, output = 0) => ({
    type: 'result',
    is_error: false,
    result: text,
    usage: { input_tokens: 10, output_tokens: output },
  });

  it('an error behind half an answer, of which it counted nothing', () => {
    expect(readTurn('qwen', [result('word0 word1 [API Error: terminated (cause: other side closed)]')]).error).toMatchObject({
      kind: 'provider_error',
      classification: 'network',
    });
    expect(readTurn('qwen', [result('I now handle [API Error: 401 bad key]', 12)]).error).toBeNull();
  });

  const LATER = 'Possible quota limitations in place or slow response times detected. Please wait and try again later.';
  it.each<[string, string, string, number | null]>([
    [`[API Error: 429 Rate limit reached. Please try again in 40s.]\n${LATER}`, 'rate_limited', 'rate_limit_model', NOON + 40],
    [`[API Error: Request refused]\n${LATER}`, 'rate_limited', 'rate_limit_model', null],
    [`[API Error: 429 The usage limit has been reached]\n${LATER}`, 'rate_limited', 'rate_limit_account', null],
    [
      '[API Error: Quota. (Status: RESOURCE_EXHAUSTED)]\nPlease wait and try again later. To increase your limits, switch to another /auth method',
      'rate_limited',
      'rate_limit_model',
      null,
    ],
    ['Qwen OAuth quota exceeded: Your free daily quota has been reached.\n\nTo continue:', 'rate_limited', 'rate_limit_account', null],
    ['Qwen OAuth free tier has been discontinued as of 2026-04-15.\n\nTo continue:', 'auth_error', 'auth', null],
  ])(
    'field bug 37: advice behind the bracket of a refused turn that calls itself a success: %s',
    (text, kind, classification, resetAtEpoch) => {
      expect(readTurn('qwen', [result(text)]).error).toMatchObject({ kind, classification, resetAtEpoch });
      if (kind !== 'rate_limited' || !text.startsWith('[')) expect(readTurn('qwen', [result(text, 12)]).error).toBeNull();
    },
  );

  it('its input counts the cache', () => {
    const usage = { input_tokens: 240, output_tokens: 50, cache_read_input_tokens: 100 };
    expect(readTurn('qwen', [{ type: 'result', is_error: false, result: 'x', usage }]).usage).toMatchObject({
      input_tokens: 140,
      cached_tokens: 100,
    });
  });
});

describe('codewhale', () => {
  const metadata = (status: string) => ({
    type: 'metadata',
    meta: {
      model: 'deepseek',
      input_tokens: 15_315,
      output_tokens: 39,
      prompt_cache_hit_tokens: 1792,
      prompt_cache_miss_tokens: 13_523,
      status,
    },
  });

  it('a turn with its usage, the cache taken out', () => {
    const tool = { type: 'tool_use', name: 'exec_shell', id: 'c', input: { command: 'ls' } };
    const turn = readTurn('codewhale', [tool, { type: 'content', content: 'done' }, metadata('completed'), { type: 'done' }]);
    expect(turn).toMatchObject({ finished: true, error: null, results: 1 });
    expect(turn.usage).toMatchObject({
      model: 'deepseek',
      input_tokens: 13_523,
      cached_tokens: 1792,
      output_tokens: 39,
      tool_call_count: 1,
    });
  });

  it.each<[object, string]>([
    [{ error: 'Authentication failed: your api key is invalid' }, 'auth'],
    [{ error: 'boom', code: 429 }, 'rate_limit_model'],
    [{ error: { message: 'x', status_code: 503 } }, 'api_transient_5xx'],
    [{ error: 'boom' }, 'turn_failed'],
  ])('%j', (part, classification) => {
    expect(readTurn('codewhale', [{ type: 'error', ...part }], { exitCode: 1 }).error).toMatchObject({ classification });
  });

  it('an error before a completed run is over', () => {
    expect(readTurn('codewhale', [{ type: 'error', error: 'HTTP 503' }, metadata('completed'), { type: 'done' }]).error).toBeNull();
  });

  it('its text mode: the cause below the error', () => {
    const tail =
      'error: Responses API request failed\n  caused by: Authentication failed: Authentication Fails, Your api key: ****dead is invalid\n';
    expect(readTurn('codewhale', [], { exitCode: 1, tail }).error).toMatchObject({ kind: 'auth_error' });
  });
});

describe('kimi', () => {
  const retrying = (status_code: number) => ({
    role: 'meta',
    type: 'turn.step.retrying',
    failed_attempt: 2,
    max_attempts: 5,
    status_code,
    error_name: 'APIProviderRateLimitError',
    error_message: `${status_code} retryable`,
  });
  const hint = { role: 'meta', type: 'session.resume_hint', session_id: 's' };

  it('the hint how to resume comes after a turn that ended; it tells no usage', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'Bash', arguments: '{"command":"ls"}' } }] };
    const turn = readTurn('kimi', [call, { role: 'assistant', content: 'done' }, hint]);
    expect(turn).toMatchObject({ finished: true, error: null, usage: null, results: 1 });
    expect(turn.news[0]).toEqual({ tools: [{ tool: 'Bash', target: 'ls' }] });
  });

  it('of a failed round, the last retry tells why', () => {
    const turn = readTurn('kimi', [retrying(429)], { exitCode: 1 });
    expect(turn).toMatchObject({ finished: false, error: { classification: 'rate_limit_model' } });
    expect(turn.news).toEqual([{ retrying: '429 APIProviderRateLimitError, attempt 2 of 5' }]);
  });

  it('retries that worked, or that nobody waited for, tell nothing', () => {
    expect(readTurn('kimi', [retrying(429), { role: 'assistant', content: 'x' }], { exitCode: 1, tail: '' }).error).toBeNull();
    expect(readTurn('kimi', [retrying(429), hint]).error).toBeNull();
    expect(readTurn('kimi', [retrying(429)], { exitCode: null }).error).toBeNull();
  });

  it('an old version without records of its own: nothing is known of its end', () => {
    expect(readTurn('kimi', [{ role: 'assistant', content: 'x' }]).finished).toBeNull();
  });

  it('a refused login comes as text', () => {
    const tail = 'error: provider.auth_error: 401 Invalid Authentication\n';
    expect(readTurn('kimi', [{ role: 'meta', type: 'system.version' }], { exitCode: 1, tail }).error).toMatchObject({ kind: 'auth_error' });
  });
});

describe('aider', () => {
  const answered = 'Tokens: 12k sent, 1.2k cache write, 3k cache hit, 130 received. Cost: $0.01 message, $0.03 session.';

  it('sums its lines of tokens; the price is that of the session', () => {
    const turn = readTurn(
      'aider',
      ['I will edit a.ts', answered, 'Tokens: 950 sent, 20 received. Cost: $0.02 message, $0.05 session.', 'Applied edit to a.ts'],
      {},
      ['aider', '--model', 'x'],
    );
    expect(turn).toMatchObject({ finished: true, error: null });
    expect(turn.usage).toMatchObject({
      model: 'x',
      input_tokens: 12_950,
      cached_tokens: 3000,
      cache_creation_tokens: 1200,
      output_tokens: 150,
      cost_usd: 0.05,
    });
  });

  it('a model without a price has none', () => {
    expect(readTurn('aider', ['Tokens: 2.5M sent, 45 received.']).usage).toMatchObject({ input_tokens: 2_500_000, cost_usd: null });
  });

  it('a refusal is text: the turn is not finished, and nothing waits, unless the process failed', () => {
    const lines = [
      'litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached. Please try again in 20s.',
      'Retrying in 0.2 seconds...',
    ];
    expect(readTurn('aider', lines)).toMatchObject({ finished: false, error: null });
    expect(readTurn('aider', lines).news).toEqual([{ retrying: 'RateLimit in 0.2 s' }]);
    expect(readTurn('aider', lines, { exitCode: 1 }).error).toMatchObject({ classification: 'rate_limit_model', resetAtEpoch: NOON + 20 });
    expect(readTurn('aider', [...lines, answered])).toMatchObject({ finished: true, error: null });
  });

  it('chat is chat', () => {
    expect(readTurn('aider', ['The tests print "litellm.RateLimitError" and Tokens: 5 sent.'])).toMatchObject({
      finished: null,
      error: null,
      usage: null,
    });
  });
});
