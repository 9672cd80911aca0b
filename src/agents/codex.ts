import type { AgentAdapter, LineNews, TurnError, TurnReader, TurnUsage } from './adapter.ts';
import { optionOf } from './command-line.ts';
import { type JsonRecord, objectOf, parseJsonLine, textOf } from './json-line.ts';
import { refusalOf, turnFailed } from './provider-error.ts';
import { retryWords } from './retry-words.ts';
import { settle } from './settle.ts';
import { tokensOf } from './tokens.ts';
import { toolCall } from './tool-target.ts';

/**
 * OpenAI Codex (`codex exec --json`). `error` records also mean "Reconnecting"; `turn.completed` and `turn.failed` decide. An item of
 * type error is only a warning. Of a resumed session it counts the tokens of all its turns.
 */
export const codex: AgentAdapter = {
  name: 'codex',
  title: 'OpenAI Codex',
  cooperativeStop: null,
  restingCpuMs: 300,
  lines: 'json',
  understands: {
    end: '`turn.completed`, `turn.failed`',
    tokens: true,
    cost: false,
    toolCalls: true,
    retries: 'records',
    errors: 'records',
    recorded: ['0.171.0'],
  },
  hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  credentials: { env: ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'], files: ['.codex/auth.json', '.codex/config.toml'] },
  wrote: ({ type }) => type === 'thread.started' || type === 'turn.started',
  read: readCodex,
};

const TOOLS = new Set(['command_execution', 'file_change', 'mcp_tool_call', 'web_search']);
const RECONNECTING = /^Reconnecting\.\.\. (\d+)\/(\d+) ?\(?([\s\S]*?)\)?$/;

function readCodex(command: readonly string[] = []): TurnReader {
  const model = optionOf(command, '-m', '--model');
  let spoken = command.includes('--json');
  let finished = false;
  let error: TurnError | null = null;
  /** An `error` record that is no retry: the turn's end, should its own record not come. */
  let lastError: TurnError | null = null;
  let counts: JsonRecord | null = null;
  let toolCalls = 0;
  /** Items that were counted when they began. */
  const running = new Set<string>();

  const usage = (): TurnUsage | null => (counts === null ? null : usageOf(counts, model, toolCalls));

  function item(record: JsonRecord): LineNews | undefined {
    const body = objectOf(record.item);
    if (body === null || !TOOLS.has(String(body.type))) return undefined;
    const id = textOf(body.id) ?? '';
    if (record.type === 'item.completed' && running.delete(id)) return undefined;
    if (record.type === 'item.started' && running.size < 1000) running.add(id);
    toolCalls += 1;
    return { tools: [toolOf(body)] };
  }

  function turnEnd(record: JsonRecord): LineNews {
    finished = true;
    error = record.type === 'turn.failed' ? errorOf(textOf(objectOf(record.error)?.message) ?? 'turn failed') : null;
    counts = objectOf(record.usage) ?? counts;
    const used = usage();
    return { turn: 'result', ...(error ? { error } : {}), ...(used ? { usage: used } : {}) };
  }

  return {
    line(line) {
      const record = parseJsonLine(line);
      if (record === null || typeof record.type !== 'string') return undefined;
      spoken ||= record.type.startsWith('t');
      switch (record.type) {
        case 'item.started':
        case 'item.completed':
          return item(record);
        case 'turn.started': {
          const again = finished;
          finished = false;
          return again ? { turn: 'resumed' } : undefined;
        }
        case 'turn.completed':
        case 'turn.failed':
          return turnEnd(record);
        case 'error': {
          const words = textOf(record.message) ?? 'error';
          const retry = RECONNECTING.exec(words);
          if (retry !== null) return { retrying: retryWords([retry[3]], Number(retry[1]), Number(retry[2])) };
          lastError = errorOf(words);
          return { error: lastError };
        }
        default:
          return undefined;
      }
    },
    conclude(facts) {
      const unfinished = spoken ? false : null;
      const failed = facts.exitCode === 0 ? null : lastError;
      return settle({ finished: finished || unfinished, error: finished ? error : failed, usage: usage() }, facts);
    },
  };
}

/** The message is a sentence, or the provider's JSON as text. */
function errorOf(words: string): TurnError {
  const inner = objectOf(parseJsonLine(words)?.error);
  const code = textOf(inner?.code) ?? textOf(inner?.type);
  return refusalOf({ code, words: inner === null ? words : `${textOf(inner.message) ?? ''} ${words}` }) ?? turnFailed(words);
}

function toolOf(item: JsonRecord) {
  if (item.type === 'command_execution') return toolCall('command_execution', { command: item.command });
  if (item.type === 'mcp_tool_call') return toolCall(`${textOf(item.server) ?? ''}.${textOf(item.tool) ?? ''}`, item.arguments);
  if (item.type === 'web_search') return toolCall('web_search', { query: item.query });
  const first = Array.isArray(item.changes) ? objectOf(item.changes[0]) : null;
  return toolCall('file_change', { path: first?.path });
}

/** codex counts cached tokens inside `input_tokens`; ours is net of them. */
function usageOf(counts: JsonRecord, model: string | null, toolCalls: number): TurnUsage {
  return {
    model,
    ...tokensOf(counts, {
      input: 'input_tokens',
      output: 'output_tokens',
      cached: 'cached_input_tokens',
      created: 'cache_write_input_tokens',
      gross: true,
    }),
    cost_usd: null,
    duration_ms: null,
    tool_call_count: toolCalls,
    models_breakdown: null,
  };
}
