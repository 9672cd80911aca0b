import { describe, expect, it } from 'vitest';
import { errorOfTail, failedByItself } from '../../../src/agents/failure-text.ts';
import { NOON, readTurn } from '../../support/turns.ts';

/** Last lines of runs that failed, as CLIs and their libraries print them. */
const SPEAKING: [line: string, classification: string][] = [
  ["■ You've hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes.", 'rate_limit_account'],
  ["🖐 You've hit your usage limit. Upgrade to Pro, or wait for limits to reset (every 5h and every week.).", 'rate_limit_account'],
  ["  ⎿  You've hit your session limit · resets 10:10pm (Europe/Madrid)", 'rate_limit_account'],
  ['Claude AI usage limit reached|1766502000', 'rate_limit_account'],
  ['Weekly limit reached ∙ resets Oct 6, 1pm', 'rate_limit_account'],
  ['✕ [API Error: You have exhausted your daily quota on this model.]', 'rate_limit_account'],
  [
    'Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your rate limit."}}',
    'rate_limit_model',
  ],
  ['litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached for gpt-5', 'rate_limit_model'],
  ['HTTP 429: Too Many Requests', 'rate_limit_model'],
  ['error: exceeded retry limit, last status: 429 Too Many Requests', 'rate_limit_model'],
  ['Too many requests', 'rate_limit_model'],
  ['Invalid API key · Please run /login', 'auth'],
  ['Error: 401 Unauthorized', 'auth'],
  ['HTTP 403: {"error":"forbidden"}', 'auth'],
  ['[ERROR] Authentication failed', 'auth'],
  ['litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided: sk-x.', 'auth'],
  ['OAuth token has expired. Please obtain a new token or refresh your existing token.', 'auth'],
  ['No API key found for the selected model.', 'auth'],
  ['Not logged in. Run `codex login` first.', 'auth'],
  ['Invalid auth method selected.', 'auth'],
  ['Error: Your credit balance is too low to access the Anthropic API.', 'billing'],
  ['insufficient_quota', 'billing'],
  ['Error: 402 Payment Required', 'billing'],
  ['API Error: Repeated 529 Overloaded errors. The API is at capacity.', 'api_transient_5xx'],
  ['Error: 529 {"type":"overloaded_error"}', 'api_transient_5xx'],
  ['Error: 503 Service Unavailable', 'api_transient_5xx'],
  ['litellm.InternalServerError: InternalServerError: Overloaded', 'api_transient_5xx'],
  ['Error: Request timed out', 'api_timeout'],
  ['Error: connect ECONNREFUSED 127.0.0.1:8099', 'network'],
  ['TypeError: fetch failed', 'network'],
  ['Error: getaddrinfo ENOTFOUND api.anthropic.com', 'network'],
  ['curl: (6) Could not resolve host: api.openai.com', 'network'],
  ['Error: ECONNRESET', 'network'],
];

/** Last lines that say nothing of a provider, though the words are in them. */
const SILENT = [
  'I added a handler for 429 Too Many Requests and for 401 Unauthorized.',
  'The usage limit reached message is now shown in red.',
  '+  if (status === 429) throw new RateLimitError("rate limit exceeded");',
  'AssertionError: expected 401 to equal 200',
  'Error: 500 tests failed',
  'FAIL test/login.test.ts > invalid api key',
  'warning: unused variable `rate_limit`',
  '{"type":"result","is_error":false,"result":"usage limit reached|1766502000"}',
  '    at RateLimitError (file:///node_modules/openai/error.mjs:58:20)',
  'git: overloaded operator in src/a.cc',
  'Terminated',
  '',
];

describe('the last lines of a run that failed', () => {
  it.each(SPEAKING)('%s', (line, classification) => {
    expect(errorOfTail(`Working ...\n\n${line}\n`)).toMatchObject({ classification });
  });

  it.each(SILENT)('say nothing: %s', (line) => expect(errorOfTail(`Working ...\n${line}\n`)).toBeNull());

  it('the newest line that speaks decides; what is further up is past', () => {
    const fillers = 'one more step\n'.repeat(20);
    expect(errorOfTail(`Error: 401 Unauthorized\nError: 503 Service Unavailable\n`)).toMatchObject({ classification: 'api_transient_5xx' });
    expect(errorOfTail(`Error: 401 Unauthorized\n${fillers}`)).toBeNull();
    // A stack trace and records below the error push nothing out.
    expect(errorOfTail(`Error: 401 Unauthorized\n${'    at f (x.js:1:1)\n'.repeat(30)}{"type":"result"}\n`)).toMatchObject({
      classification: 'auth',
    });
  });

  it('a line of a megabyte, and sixty-four thousand lines, are read at once', () => {
    errorOfTail(`Error: ${'error: '.repeat(200_000)}`);
    errorOfTail('\n'.repeat(65_536));
    errorOfTail('[error] '.repeat(8192));
    errorOfTail(`${'('.repeat(65_536)}429`);
  });
});

describe('field bug 38: text alone starts no wait', () => {
  const tail = "You've hit your usage limit. Try again at 3:42 PM.\n";

  it('it counts when the process failed by itself', () => {
    expect(readTurn('my-agent', [], { exitCode: 1, tail }).error).toMatchObject({ kind: 'rate_limited', resetAtEpoch: NOON + 9720 });
  });

  it('it does not on success', () => expect(readTurn('my-agent', [], { exitCode: 0, tail }).error).toBeNull());

  it.each([null, 129, 130, 137, 143])('scar 45: nor after a signal (exit %s)', (exitCode) => {
    expect(readTurn('my-agent', [], { exitCode, tail }).error).toBeNull();
  });

  it('nor when a record says that the turn was finished', () => {
    const result = { type: 'result', is_error: false, result: 'done', usage: { output_tokens: 3 } };
    expect(readTurn('my-agent', [result], { exitCode: 1, tail })).toMatchObject({ finished: true, error: null });
  });

  it('exit codes that shells make of signals are no failures of their own', () => {
    expect([1, 2, 41, 128, 144, 145, 255].every(failedByItself)).toBe(true);
    expect([0, 129, 134, 143, null].some(failedByItself)).toBe(false);
  });
});
