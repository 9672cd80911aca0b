import type { AgentAdapter, LineNews, TurnError, TurnReader, TurnUsage } from './adapter.ts';
import { asksForRecords, optionOf } from './command-line.ts';
import { amountOf, countOf, type JsonRecord, numberOf, objectOf, parseJsonLine, textOf } from './json-line.ts';
import { refusalOf, turnError, turnFailed } from './provider-error.ts';
import { epochSeconds } from './reset/instant.ts';
import { settle } from './settle.ts';
import { addTokens, isNothing, NO_TOKENS, priceOf } from './tokens.ts';
import { toolCall } from './tool-target.ts';

/** opencode (`opencode run --format json`). No record ends a turn: the last step's reason tells. 5xx and cut streams are retried in silence. */
export const opencode: AgentAdapter = {
  name: 'opencode',
  title: 'opencode',
  cooperativeStop: null,
  restingCpuMs: 600,
  lines: 'json',
  understands: {
    end: '`step_finish` whose reason is not `tool-calls`',
    tokens: true,
    cost: 'some models',
    toolCalls: true,
    retries: null,
    errors: 'records',
    recorded: ['1.18.33'],
  },
  hosts: ['opencode.ai', 'models.dev', 'api.anthropic.com', 'api.openai.com'],
  credentials: {
    env: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENCODE_API_KEY', 'OPENROUTER_API_KEY'],
    files: ['.local/share/opencode/auth.json', '.config/opencode/opencode.json'],
  },
  wrote: ({ sessionID, timestamp }) => typeof sessionID === 'string' && typeof timestamp === 'number',
  read: readOpencode,
};

function readOpencode(command: readonly string[] = []): TurnReader {
  const model = optionOf(command, '-m', '--model');
  let spoken = asksForRecords(command, '--format');
  let reason: string | null = null;
  let error: TurnError | null = null;
  let tokens = NO_TOKENS;
  let cost = 0;
  let toolCalls = 0;
  let began: number | null = null;
  let latest: number | null = null;

  const finished = () => reason !== null && reason !== 'tool-calls';

  function usage(): TurnUsage | null {
    if (isNothing(tokens) && toolCalls === 0) return null;
    const duration_ms = began !== null && latest !== null ? amountOf(latest - began) : null;
    return { model, ...tokens, cost_usd: priceOf(cost), duration_ms, tool_call_count: toolCalls, models_breakdown: null };
  }

  function stepFinish(part: JsonRecord | null): LineNews | undefined {
    reason = textOf(part?.reason);
    error = null;
    tokens = addTokens(tokens, tokensOfStep(objectOf(part?.tokens) ?? {}));
    cost += amountOf(part?.cost) ?? 0;
    const used = usage();
    return finished() ? { turn: 'result', ...(used ? { usage: used } : {}) } : undefined;
  }

  return {
    line(line) {
      if (line.startsWith('{"type":"text"') || line.startsWith('{"type":"reasoning"')) return undefined;
      const record = parseJsonLine(line);
      if (record === null || typeof record.type !== 'string') return undefined;
      const at = numberOf(record.timestamp);
      began ??= at;
      latest = at ?? latest;
      const part = objectOf(record.part);
      switch (record.type) {
        case 'step_start': {
          spoken = true;
          const again = finished();
          reason = null;
          return again ? { turn: 'resumed' } : undefined;
        }
        case 'tool_use':
          toolCalls += 1;
          return { tools: [toolCall(part?.tool, objectOf(part?.state)?.input)] };
        case 'step_finish':
          return stepFinish(part);
        case 'error':
          spoken = true;
          error = errorOf(objectOf(record.error) ?? {});
          return { turn: 'result', error };
        default:
          return undefined;
      }
    },
    conclude: (facts) => settle({ finished: finished() || error !== null || (spoken ? false : null), error, usage: usage() }, facts),
  };
}

/** `input` is net of the cache; thinking is counted beside the output. */
function tokensOfStep(counts: JsonRecord) {
  const cache = objectOf(counts.cache) ?? {};
  return {
    input_tokens: countOf(counts.input),
    output_tokens: countOf(counts.output) + countOf(counts.reasoning),
    cached_tokens: countOf(cache.read),
    cache_creation_tokens: countOf(cache.write),
  };
}

function errorOf(error: JsonRecord): TurnError {
  const data = objectOf(error.data) ?? {};
  const words = textOf(data.message) ?? textOf(error.name) ?? 'error';
  const headers = objectOf(data.responseHeaders) ?? {};
  const inner = objectOf(parseJsonLine(textOf(data.responseBody) ?? '')?.error);
  const code = textOf(inner?.code) ?? textOf(inner?.type) ?? textOf(error.name);
  const known = refusalOf({ status: numberOf(data.statusCode), code, words }) ?? turnFailed(words);
  if (known.kind !== 'rate_limited') return known;
  // The headers of an Anthropic subscription tell the account's limit and its end, whatever the message says.
  const accountEnd =
    headers['anthropic-ratelimit-unified-status'] === 'rejected' ? epochSeconds(headers['anthropic-ratelimit-unified-reset']) : null;
  if (accountEnd !== null) return { ...turnError('rate_limited', 'rate_limit_account', words), resetAtEpoch: accountEnd };
  const retryAfter = textOf(headers['retry-after']);
  return retryAfter === null ? known : { ...known, raw: `${words} (retry-after: ${retryAfter})` };
}
