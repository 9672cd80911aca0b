import type { AgentAdapter, TurnError, TurnReader, TurnUsage } from './adapter.ts';
import { asksForRecords } from './command-line.ts';
import { type JsonRecord, numberOf, objectOf, parseJsonLine, textOf } from './json-line.ts';
import { refusalOf, turnFailed } from './provider-error.ts';
import { settle } from './settle.ts';
import { isNothing, tokensOf } from './tokens.ts';
import { toolCall } from './tool-target.ts';

/** CodeWhale (`codewhale exec --output-format stream-json`): `metadata` counts, `error` tells, `done` ends. */
export const codewhale: AgentAdapter = {
  name: 'codewhale',
  title: 'CodeWhale',
  cooperativeStop: null,
  lines: 'json',
  understands: { end: '`done`', tokens: true, cost: false, toolCalls: true, retries: null, errors: 'records', recorded: [] },
  hosts: ['api.deepseek.com'],
  credentials: { env: ['DEEPSEEK_API_KEY'], files: ['.codewhale/config.toml', '.deepseek/config.toml'] },
  wrote: ({ type, schema }) => type === 'session_capture' || (typeof schema === 'string' && schema.startsWith('codewhale.')),
  read: readCodewhale,
};

const PASSED_OVER = ['{"type":"content"', '{"type":"reasoning"', '{"type":"tool_result"', '{"type":"session_capture"'];

function readCodewhale(command: readonly string[] = []): TurnReader {
  let spoken = asksForRecords(command, '--output-format');
  let done = false;
  let error: TurnError | null = null;
  let meta: JsonRecord | null = null;
  let toolCalls = 0;

  const usage = (): TurnUsage | null => (meta === null ? null : usageOf(meta, toolCalls));

  return {
    line(line) {
      if (PASSED_OVER.some((start) => line.startsWith(start))) return undefined;
      const record = parseJsonLine(line);
      switch (record?.type) {
        case 'tool_use':
          spoken = true;
          toolCalls += 1;
          return { tools: [toolCall(record.name, record.input)] };
        case 'metadata': {
          meta = objectOf(record.meta);
          // The run went on after an error and came to its end.
          if (meta?.status === 'completed') error = null;
          const used = usage();
          return used ? { usage: used } : undefined;
        }
        case 'error':
          spoken = true;
          error = errorOf(record);
          return { error };
        case 'done':
          done = true;
          return { turn: 'result', ...(error ? { error } : {}) };
        default:
          return undefined;
      }
    },
    conclude: (facts) => settle({ finished: done || (spoken ? false : null), error, usage: usage() }, facts),
  };
}

function errorOf(record: JsonRecord): TurnError {
  const inner = objectOf(record.error) ?? record;
  const words = textOf(record.error) ?? textOf(inner.message) ?? textOf(record.content) ?? 'error';
  const status = numberOf(inner.status_code) ?? numberOf(inner.code);
  return refusalOf({ status, code: textOf(inner.code), words }) ?? turnFailed(words);
}

/** Its input counts what the prompt cache gave. */
function usageOf(meta: JsonRecord, toolCalls: number): TurnUsage | null {
  const tokens = tokensOf(meta, { input: 'input_tokens', output: 'output_tokens', cached: 'prompt_cache_hit_tokens', gross: true });
  if (isNothing(tokens) && toolCalls === 0) return null;
  return { model: textOf(meta.model), ...tokens, cost_usd: null, duration_ms: null, tool_call_count: toolCalls, models_breakdown: null };
}
