import type { AgentAdapter, TurnError, TurnFacts, TurnReader, TurnUsage } from './adapter.ts';
import { asksForRecords } from './command-line.ts';
import { amountOf, countOf, type JsonRecord, numberOf, objectOf, parseJsonLine, textOf } from './json-line.ts';
import { refusalOf, turnError, turnFailed } from './provider-error.ts';
import { retryWords } from './retry-words.ts';
import { settle } from './settle.ts';
import { isNothing, type Tokens, tokensOf } from './tokens.ts';
import { toolCall } from './tool-target.ts';
import { lastRecord } from './torn-result.ts';

/**
 * Gemini CLI. Its exit code is the HTTP status modulo 256 (401: 145), or 41 for a missing login; a signal in the middle of a stream is
 * exit 0 without a result. 429 and 5xx are retried for minutes, which only stderr tells.
 */
export const gemini: AgentAdapter = {
  name: 'gemini',
  title: 'Gemini CLI',
  cooperativeStop: 'SIGTERM',
  restingCpuMs: 500,
  // Its retries are lines of text.
  lines: 'all',
  understands: { end: '`result`', tokens: true, cost: false, toolCalls: true, retries: 'text', errors: 'records', recorded: ['0.61.0'] },
  hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'accounts.google.com'],
  credentials: {
    env: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT'],
    files: ['.gemini/oauth_creds.json', '.gemini/settings.json'],
  },
  wrote: ({ type, model, timestamp }) => type === 'init' && typeof model === 'string' && typeof timestamp === 'string',
  read: readGemini,
};

const PASSED_OVER = ['{"type":"message"', '{"type":"tool_result"'];
const RETRY = /^Attempt (\d{1,4}) failed(?: with status (\d{3}))?[:.]? ?(.{0,300})/;

function readGemini(command: readonly string[] = []): TurnReader {
  const asked = asksForRecords(command, '--output-format', '-o');
  let spoken = false;
  let model: string | null = null;
  let toolCalls = 0;
  let result: JsonRecord | null = null;

  return {
    line(line) {
      if (line.charCodeAt(0) !== 0x7b) {
        const retry = line.startsWith('Attempt ') ? RETRY.exec(line) : null;
        return retry === null
          ? undefined
          : { retrying: retryWords([retry[2], retry[2] === undefined ? retry[3] : null], Number(retry[1])) };
      }
      if (PASSED_OVER.some((start) => line.startsWith(start))) return undefined;
      const record = parseJsonLine(line);
      switch (record?.type) {
        case 'init':
          spoken = true;
          model = textOf(record.model);
          return undefined;
        case 'tool_use':
          toolCalls += 1;
          return { tools: [toolCall(record.tool_name, record.parameters)] };
        case 'result': {
          result = record;
          const error = errorOf(result);
          const usage = usageOf(result, model, toolCalls);
          return { turn: 'result', ...(error ? { error } : {}), ...(usage ? { usage } : {}) };
        }
        default:
          return undefined;
      }
    },
    conclude(facts) {
      const end = result ?? lastRecord(facts.tail, 'result');
      const finished = end !== null ? true : asked || spoken ? false : null;
      const error = end === null ? errorOfExit(facts) : errorOf(end);
      return settle({ finished, error, usage: end && usageOf(end, model, toolCalls) }, facts);
    },
  };
}

function errorOf(result: JsonRecord): TurnError | null {
  if (result.status !== 'error') return null;
  const error = objectOf(result.error);
  const words = textOf(error?.message) ?? textOf(error?.type) ?? 'error';
  // `[API Error: {"error":{"code":401,"message":...,"status":"UNAUTHENTICATED"}}]`, or a sentence in the same brackets.
  const bracketed = /^\[?(?:API Error: )?([\s\S]*?)\]?$/.exec(words)?.[1] ?? words;
  const inner = objectOf(parseJsonLine(bracketed)?.error);
  const status = numberOf(inner?.code) ?? numberOf(error?.code);
  // Google's quota speaks of billing, and is a quota.
  const code = /exceeded your current quota/i.test(words) ? 'RESOURCE_EXHAUSTED' : (textOf(inner?.status) ?? textOf(error?.type));
  return refusalOf({ status, code, words: textOf(inner?.message) ?? bracketed }) ?? turnFailed(words);
}

/** Without a result record the exit code is all that is left of a status; below 400 - 256 it has meanings of its own. */
function errorOfExit({ exitCode, tail }: TurnFacts): TurnError | null {
  const raw = `exit ${exitCode}: ${tail.trimEnd().split('\n').at(-1)?.slice(0, 500) ?? ''}`;
  if (exitCode === 41) return turnError('auth_error', 'auth', raw);
  // 144 to 207: 400 to 463; 244 to 255: 500 to 511.
  if (exitCode === null || exitCode < 144 || exitCode > 255) return null;
  return refusalOf({ status: exitCode + 256, words: raw });
}

function usageOf(result: JsonRecord, model: string | null, toolCalls: number): TurnUsage | null {
  const stats = objectOf(result.stats);
  if (stats === null) return null;
  const models = Object.entries(objectOf(stats.models) ?? {}).map(([name, counts]) => [name, tokensIn(objectOf(counts) ?? {})] as const);
  const tokens = tokensIn(stats);
  const calls = Math.max(toolCalls, countOf(stats.tool_calls));
  if (isNothing(tokens) && calls === 0) return null;
  const most = [...models].sort(([, one], [, other]) => other.input_tokens - one.input_tokens)[0]?.[0];
  return {
    model: most ?? model,
    ...tokens,
    cost_usd: null,
    duration_ms: amountOf(stats.duration_ms),
    tool_call_count: calls,
    models_breakdown: models.length > 1 ? Object.fromEntries(models) : null,
  };
}

/** `input` leaves out what came from the cache; old versions have only `input_tokens`, which does not. */
function tokensIn(stats: JsonRecord): Tokens {
  const net = numberOf(stats.input) !== null;
  return tokensOf(stats, { input: net ? 'input' : 'input_tokens', output: 'output_tokens', cached: 'cached', gross: !net });
}
