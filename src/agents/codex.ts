import type { AgentAdapter, TurnError, TurnReader, TurnUsage } from './adapter.ts';
import { errorOfStatus, isBilling } from './http-status.ts';
import { numberOf, objectOf, parseJsonLine, textOf } from './json-line.ts';

/** OpenAI Codex (`codex exec --json`). `error` records also mean "Reconnecting"; `turn.completed` and `turn.failed` decide. */
export const codex: AgentAdapter = { name: 'codex', cooperativeStop: null, lines: 'json', read: readCodex };

function readCodex(): TurnReader {
  let finished = false;
  let error: TurnError | null = null;
  let usage: TurnUsage | null = null;
  let toolCalls = 0;

  return {
    line(line) {
      const record = parseJsonLine(line);
      if (record?.type === 'item.completed' && objectOf(record.item)?.type === 'command_execution') toolCalls += 1;
      if (record?.type !== 'turn.completed' && record?.type !== 'turn.failed') return undefined;
      finished = true;
      error = record.type === 'turn.failed' ? errorOf(textOf(objectOf(record.error)?.message) ?? 'turn failed') : null;
      usage = usageOf(objectOf(record.usage), toolCalls) ?? usage;
      return 'result';
    },
    conclude: () => ({ finished, error, usage }),
  };
}

function errorOf(words: string): TurnError {
  if (isBilling(words)) return { kind: 'provider_error', classification: 'billing', resetAtEpoch: null, raw: words };
  const status = /\b(?:last status|unexpected status):? (\d{3})\b/.exec(words)?.[1];
  const known = status === undefined ? null : errorOfStatus(Number(status), words);
  if (known) return known;
  const overloaded = /high demand|stream disconnected/.test(words);
  return overloaded
    ? { kind: 'provider_error', classification: 'api_transient_5xx', resetAtEpoch: null, raw: words }
    : { kind: 'agent_error', classification: 'turn_failed', resetAtEpoch: null, raw: words };
}

/** codex counts cached tokens inside `input_tokens`; ours is net of them. */
function usageOf(usage: Record<string, unknown> | null, toolCalls: number): TurnUsage | null {
  if (usage === null) return null;
  const cached = numberOf(usage.cached_input_tokens) ?? 0;
  return {
    model: null,
    input_tokens: Math.max(0, (numberOf(usage.input_tokens) ?? 0) - cached),
    output_tokens: numberOf(usage.output_tokens) ?? 0,
    cached_tokens: cached,
    cache_creation_tokens: numberOf(usage.cache_write_input_tokens) ?? 0,
    cost_usd: null,
    duration_ms: null,
    tool_call_count: toolCalls,
  };
}
