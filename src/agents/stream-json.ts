import type { LineNews, ToolCall, TurnError, TurnReader, TurnUsage } from './adapter.ts';
import { amountOf, type JsonRecord, listOf, numberOf, objectOf, parseJsonLine, textOf } from './json-line.ts';
import { refusalOf, statusIn, turnError, turnFailed } from './provider-error.ts';
import { epochSeconds } from './reset/instant.ts';
import { retryWords } from './retry-words.ts';
import { settle } from './settle.ts';
import { addTokens, isNothing, NO_TOKENS, type Tokens, tokensOf } from './tokens.ts';
import { toolCall } from './tool-target.ts';
import { lastRecord, tornResult } from './torn-result.ts';

interface StreamJsonOptions {
  /** Whether a turn without a `result` record is unfinished: always, once the CLI spoke this dialect, or never (a CLI nobody knows). */
  reports: 'always' | 'if spoken' | 'perhaps';
  /** Its input tokens include those from the cache (qwen). */
  grossInput?: boolean;
  /** A failed request is a "success" with the error behind whatever the model had said before (qwen). */
  appendsErrors?: boolean;
}

/** Records that tell nothing here and may be large: not even parsed. */
const PASSED_OVER = ['{"type":"user"', '{"type":"stream_event"'];
/** Most lines are these; one without a tool call, an error or words of the CLI's own is only text. */
const MESSAGE = '{"type":"assistant"';
const TELLING = /"(?:tool_use|error|<synthetic>)"/;

/**
 * Reads the `stream-json` dialect: one object per line, the turn ends with `{"type":"result", ...}`. Spoken by claude and qwen, by the
 * bundled scripted agent and by many scripts around them, hence also the reader for CLIs that nobody here knows.
 */
export function readStreamJson({ reports, grossInput = false, appendsErrors = false }: StreamJsonOptions): TurnReader {
  let spoken = false;
  let result: JsonRecord | null = null;
  let resumed = false;
  /** What the result said, as it was when it came. */
  let error: TurnError | null = null;
  let accountLimit: TurnError | null = null;
  let model: string | null = null;
  /** The CLI's own word for the error that its last message stands for (`rate_limit`, `billing_error`). */
  let code: string | null = null;
  /** The last message was written by the CLI in the model's place. */
  let synthetic = false;
  let toolCalls = 0;

  function message(record: JsonRecord): LineNews | undefined {
    const body = objectOf(record.message);
    synthetic = body?.model === '<synthetic>';
    if (!synthetic) model = textOf(body?.model) ?? model;
    code = textOf(record.error);
    const tools: ToolCall[] = listOf(body?.content)
      .map(objectOf)
      .filter((part) => part?.type === 'tool_use')
      .map((part) => toolCall(part?.name, part?.input));
    toolCalls += tools.length;
    // Background work wakes a turn that had ended; a message of the CLI's own does not.
    const goesOn = result !== null && !resumed && !synthetic;
    if (goesOn) resumed = true;
    if (tools.length === 0) return goesOn ? { turn: 'resumed' } : undefined;
    return goesOn ? { turn: 'resumed', tools } : { tools };
  }

  function take(record: JsonRecord): void {
    result = record;
    resumed = false;
    error = errorOf(record, { accountLimit, code, synthetic, appendsErrors });
  }

  const usage = () => (result === null ? null : usageOf(result, { model, toolCalls, grossInput }));

  function ended(record: JsonRecord): LineNews {
    take(record);
    const used = usage();
    return { turn: 'result', ...(error ? { error } : {}), ...(used ? { usage: used } : {}) };
  }

  return {
    line(line) {
      if (PASSED_OVER.some((start) => line.startsWith(start))) {
        spoken = true;
        return undefined;
      }
      if (spoken && model !== null && result === null && line.startsWith(MESSAGE) && !TELLING.test(line)) {
        code = null;
        synthetic = false;
        return undefined;
      }
      const record = parseJsonLine(line) ?? tornResult(line);
      if (record === null || typeof record.type !== 'string') return undefined;
      spoken ||= ['system', 'assistant', 'result', 'rate_limit_event'].includes(record.type);
      switch (record.type) {
        case 'assistant':
          return message(record);
        case 'system':
          if (record.subtype !== 'api_retry') return undefined;
          return { retrying: retryWords([record.error_status, record.error], record.attempt, record.max_retries) };
        case 'rate_limit_event': {
          const limit = accountLimitOf(record, line);
          accountLimit = limit ?? accountLimit;
          return limit === null ? undefined : { error: limit };
        }
        case 'result':
          return ended(record);
        default:
          return undefined;
      }
    },
    conclude(facts) {
      // `--output-format json` prints everything as one line, an object or a list, which no line reader hands on.
      const whole = result === null ? lastRecord(facts.tail, 'result') : null;
      if (whole !== null) take(whole);
      const silentEnd = reports === 'always' || (reports === 'if spoken' && spoken) ? false : null;
      return settle(
        { finished: result === null ? silentEnd : !resumed, error: result === null ? accountLimit : error, usage: usage() },
        facts,
      );
    },
  };
}

/** A rejected window is the account's limit; a null type says nothing about the account (scar 36). */
function accountLimitOf(record: JsonRecord, line: string): TurnError | null {
  const info = objectOf(record.rate_limit_info) ?? record;
  if (info.status !== 'rejected' || textOf(info.rateLimitType) === null) return null;
  return { ...turnError('rate_limited', 'rate_limit_account', line), resetAtEpoch: epochSeconds(info.resetsAt) };
}

interface Said {
  accountLimit: TurnError | null;
  code: string | null;
  synthetic: boolean;
  appendsErrors: boolean;
}

function errorOf(result: JsonRecord, { accountLimit, code, synthetic, appendsErrors }: Said): TurnError | null {
  const words =
    textOf(result.result) ??
    listOf(result.errors)
      .filter((part) => typeof part === 'string')
      .join('; ');
  if (result.is_error !== true) return wholeTextError(words, synthetic || outputOf(result) === 0, appendsErrors);
  if (accountLimit) return accountLimit;
  const subtype = textOf(result.subtype) ?? 'error';
  const known = refusalOf({ status: numberOf(result.api_error_status), code: code ?? textOf(result.api_error_type), words });
  if (known) return known;
  // The CLI's own bounds (`error_max_turns`, `error_max_budget_usd`) are words of their own.
  const own = /^error_(max_\w+)$/.exec(subtype)?.[1];
  return turnFailed(words === '' ? subtype : words, own);
}

const ADVICE = /(?<=\])\n(?:Possible quota limitations in place|Please wait and try again later\.)[^\n]{0,200}$/;

/**
 * A "success" whose whole text is an API error (qwen; old claude): that is the CLI speaking, not the model. A text that only talks of
 * errors is not one. `unsaid`: the CLI counted no word of the model's, so that an error in the text can only be its own.
 */
function wholeTextError(text: string, unsaid: boolean, appended: boolean): TurnError | null {
  if (text.length > 4000) return null;
  const whole = text.trim();
  // qwen puts advice behind the bracket of a 429, and behind no other.
  const advice = ADVICE.exec(whole)?.[0] ?? '';
  const status = advice === '' ? null : 429;
  // A stream that was cut has the model's words before the CLI's; then the model's own count is nothing.
  const bracketed = (unsaid && appended ? /\[API Error: ([^[\]]{1,1000})\]$/ : /^\[API Error: ([\s\S]+)\]$/).exec(
    whole.slice(0, whole.length - advice.length),
  )?.[1];
  if (bracketed !== undefined) {
    const known = refusalOf({ status, words: bracketed });
    if (known) return { ...known, raw: whole };
    // Without a status the request did not come to an answer; with one, it was refused for what it is.
    return statusIn(bracketed) === null ? turnError('provider_error', 'network', whole) : turnFailed(whole);
  }
  if (/^Claude AI usage limit reached\|\d{10}$/.test(whole)) return turnError('rate_limited', 'rate_limit_account', whole);
  if (unsaid && appended && whole.startsWith('Qwen OAuth quota exceeded:')) return turnError('rate_limited', 'rate_limit_account', whole);
  if (unsaid && appended && whole.startsWith('Qwen OAuth free tier has been discontinued')) return turnError('auth_error', 'auth', whole);
  if (!unsaid || whole.includes('\n')) return null;
  return /^(?:API Error\b|You['’]ve hit your [\w -]{0,30}limit\b|Invalid API key\b|Not logged in\b)/.test(whole)
    ? refusalOf({ words: whole })
    : null;
}

function outputOf(result: JsonRecord): number | null {
  return numberOf(objectOf(result.usage)?.output_tokens);
}

interface Counted {
  model: string | null;
  toolCalls: number;
  grossInput: boolean;
}

/**
 * Of a process with several results, `modelUsage` and the price are those of all of it, `usage` is the last turn's; an interrupted turn
 * and one that hit its budget have zeros in `usage`. So `modelUsage` is taken where there is one.
 */
function usageOf(result: JsonRecord, { model, toolCalls, grossInput }: Counted): TurnUsage | null {
  const usage = objectOf(result.usage);
  const models = Object.entries(objectOf(result.modelUsage) ?? {}).map(
    ([name, counts]) => [name, modelTokens(objectOf(counts) ?? {})] as const,
  );
  if (usage === null && models.length === 0) return null;
  const tokens =
    models.length > 0
      ? models.reduce((sum, [, one]) => addTokens(sum, one), NO_TOKENS)
      : tokensOf(usage ?? {}, {
          input: 'input_tokens',
          output: 'output_tokens',
          cached: 'cache_read_input_tokens',
          created: 'cache_creation_input_tokens',
          gross: grossInput,
        });
  const cost = amountOf(result.total_cost_usd);
  if (isNothing(tokens) && (cost ?? 0) === 0 && toolCalls === 0) return null;
  return {
    model: model ?? models[0]?.[0] ?? null,
    ...tokens,
    cost_usd: cost,
    duration_ms: amountOf(result.duration_ms),
    tool_call_count: toolCalls,
    models_breakdown: models.length > 1 ? Object.fromEntries(models) : null,
  };
}

function modelTokens(counts: JsonRecord): Tokens {
  return tokensOf(counts, {
    input: 'inputTokens',
    output: 'outputTokens',
    cached: 'cacheReadInputTokens',
    created: 'cacheCreationInputTokens',
  });
}
