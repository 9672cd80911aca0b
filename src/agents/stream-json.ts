import type { TurnError, TurnReader, TurnUsage, TurnVerdict } from './adapter.ts';
import { errorOfStatus, isBilling } from './http-status.ts';
import { numberOf, objectOf, parseJsonLine, textOf } from './json-line.ts';

interface StreamJsonOptions {
  /** Whether this CLI always ends a turn with a `result` record, so that a turn without one is unfinished. */
  alwaysReports: boolean;
}

/**
 * Reads the `stream-json` dialect: one object per line, the turn ends with `{"type":"result", ...}`. Spoken by claude, by the bundled
 * scripted agent and by many scripts around it, hence also the reader for CLIs that nobody here knows.
 */
export function readStreamJson({ alwaysReports }: StreamJsonOptions): TurnReader {
  let result: Record<string, unknown> | null = null;
  let accountLimit: TurnError | null = null;
  let model: string | null = null;
  let toolCalls = 0;

  return {
    line(line) {
      const record = parseJsonLine(line);
      if (record === null) return undefined;
      switch (record.type) {
        case 'assistant': {
          const message = objectOf(record.message);
          model = textOf(message?.model) ?? model;
          if (Array.isArray(message?.content)) toolCalls += message.content.filter((part) => objectOf(part)?.type === 'tool_use').length;
          return undefined;
        }
        case 'rate_limit_event':
          accountLimit = accountLimitOf(record, line) ?? accountLimit;
          return undefined;
        case 'result':
          result = record;
          return 'result';
        default:
          return undefined;
      }
    },
    conclude(): TurnVerdict {
      if (result === null) return { finished: alwaysReports ? false : null, error: accountLimit, usage: null };
      return { finished: true, error: errorOf(result, accountLimit), usage: usageOf(result, model, toolCalls) };
    },
  };
}

/** A rejected five-hour window is the account's limit; a null type says nothing about the account. */
function accountLimitOf(record: Record<string, unknown>, line: string): TurnError | null {
  const info = objectOf(record.rate_limit_info) ?? record;
  if (info.status !== 'rejected' || textOf(info.rateLimitType) === null) return null;
  return { kind: 'rate_limited', classification: 'rate_limit_account', resetAtEpoch: numberOf(info.resetsAt), raw: line };
}

function errorOf(result: Record<string, unknown>, accountLimit: TurnError | null): TurnError | null {
  const words = textOf(result.result) ?? textOf(result.subtype) ?? 'error';
  if (result.is_error !== true) return null;
  if (accountLimit) return accountLimit;
  const status = numberOf(result.api_error_status) ?? overloadStatus(words);
  if (status === 400 && isBilling(words)) return { kind: 'provider_error', classification: 'billing', resetAtEpoch: null, raw: words };
  const known = status === null ? null : errorOfStatus(status, words);
  return known ?? { kind: 'agent_error', classification: 'turn_failed', resetAtEpoch: null, raw: words };
}

/** claude reports an overloaded provider with a null status and these words (2.1.197). */
function overloadStatus(words: string): number | null {
  return /^API Error: Repeated 529\b/.test(words) ? 529 : null;
}

function usageOf(result: Record<string, unknown>, model: string | null, toolCalls: number): TurnUsage | null {
  const usage = objectOf(result.usage);
  if (usage === null) return null;
  return {
    model,
    input_tokens: numberOf(usage.input_tokens) ?? 0,
    output_tokens: numberOf(usage.output_tokens) ?? 0,
    cached_tokens: numberOf(usage.cache_read_input_tokens) ?? 0,
    cache_creation_tokens: numberOf(usage.cache_creation_input_tokens) ?? 0,
    cost_usd: numberOf(result.total_cost_usd),
    duration_ms: numberOf(result.duration_ms),
    tool_call_count: toolCalls,
  };
}
