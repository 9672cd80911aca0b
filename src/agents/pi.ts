import type { AgentAdapter, LineNews, TurnError, TurnReader, TurnUsage } from './adapter.ts';
import { asksForRecords } from './command-line.ts';
import { amountOf, type JsonRecord, listOf, numberOf, objectOf, parseJsonLine, textOf } from './json-line.ts';
import { refusalOf, turnFailed } from './provider-error.ts';
import { retryWords } from './retry-words.ts';
import { settle } from './settle.ts';
import { addTokens, isNothing, NO_TOKENS, priceOf, tokensOf } from './tokens.ts';
import { toolCall } from './tool-target.ts';

/**
 * pi (`pi -p --mode json`), 0.74 and 1.x. It exits 0 on every failure of a provider: the last message's stopReason decides (scar 46).
 * 0.74 prints an `agent_end` for each of its tries, 1.x also `agent_settled` at the very end.
 */
export const pi: AgentAdapter = {
  name: 'pi',
  title: 'pi',
  cooperativeStop: 'SIGTERM',
  restingCpuMs: 150,
  lines: 'json',
  understands: {
    end: '`agent_end`, `agent_settled`',
    tokens: true,
    cost: 'some models',
    toolCalls: true,
    retries: 'records',
    errors: 'records',
    recorded: ['0.74.2', '1.x'],
  },
  hosts: ['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'],
  credentials: {
    env: ['ANTHROPIC_API_KEY', 'ANTHROPIC_OAUTH_TOKEN', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
    files: ['.pi/agent/auth.json', '.pi/agent/models.json', '.pi/agent/settings.json'],
  },
  wrote: ({ type, version }) => type === 'session' && typeof version === 'number',
  read: readPi,
};

/** Every piece of a message comes with all of the message so far: a quarter of a gigabyte in a long turn, and nothing that is needed. */
const PASSED_OVER = [
  '{"type":"message_update"',
  '{"type":"message_start"',
  '{"type":"turn_',
  '{"type":"tool_execution_update"',
  '{"type":"tool_execution_end"',
];
/** An `agent_end` repeats all messages and may be longer than a line may be; that it came is enough. */
const AGENT_END = '{"type":"agent_end"';

function readPi(command: readonly string[] = []): TurnReader {
  let spoken = asksForRecords(command, '--mode');
  let finished = false;
  let error: TurnError | null = null;
  let tokens = NO_TOKENS;
  let cost = 0;
  let toolCalls = 0;
  let model: string | null = null;
  let began: number | null = null;
  let latest: number | null = null;

  function usage(): TurnUsage | null {
    if (isNothing(tokens) && toolCalls === 0) return null;
    const duration_ms = began !== null && latest !== null ? amountOf(latest - began) : null;
    return { model, ...tokens, cost_usd: priceOf(cost), duration_ms, tool_call_count: toolCalls, models_breakdown: null };
  }

  function message(body: JsonRecord | null): LineNews | undefined {
    if (body?.role !== 'assistant') return undefined;
    latest = numberOf(body.timestamp) ?? latest;
    model = textOf(body.model) ?? model;
    const counts = objectOf(body.usage) ?? {};
    tokens = addTokens(tokens, tokensOf(counts, { input: 'input', output: 'output', cached: 'cacheRead', created: 'cacheWrite' }));
    cost += amountOf(objectOf(counts.cost)?.total) ?? 0;
    error = errorOf(body);
    const tools = listOf(body.content)
      .map(objectOf)
      .filter((part) => part?.type === 'toolCall')
      .map((part) => toolCall(part?.name, part?.arguments));
    toolCalls += tools.length;
    if (error === null && tools.length === 0) return undefined;
    return { ...(error ? { error } : {}), ...(tools.length > 0 ? { tools } : {}) };
  }

  function ended(): LineNews {
    finished = true;
    const used = usage();
    return { turn: 'result', ...(error ? { error } : {}), ...(used ? { usage: used } : {}) };
  }

  function goesOn(): { turn: 'resumed' } | undefined {
    const again = finished;
    finished = false;
    // What failed is being tried again.
    error = null;
    return again ? { turn: 'resumed' } : undefined;
  }

  return {
    line(line) {
      if (PASSED_OVER.some((start) => line.startsWith(start))) return undefined;
      if (line.startsWith(AGENT_END)) return ended();
      const record = parseJsonLine(line);
      spoken ||= record?.type === 'session' || record?.type === 'agent_start';
      switch (record?.type) {
        case 'session':
          began = Date.parse(textOf(record.timestamp) ?? '');
          if (Number.isNaN(began)) began = null;
          return undefined;
        case 'agent_start':
          return goesOn();
        case 'message_end':
          return message(objectOf(record.message));
        case 'agent_settled':
          return ended();
        case 'auto_retry_start':
          return { ...goesOn(), retrying: retryWords([textOf(record.errorMessage)], record.attempt, record.maxAttempts) };
        default:
          return undefined;
      }
    },
    conclude: (facts) => settle({ finished: finished || (spoken ? false : null), error, usage: usage() }, facts),
  };
}

function errorOf({ stopReason, errorMessage }: JsonRecord): TurnError | null {
  if (stopReason !== 'error' && stopReason !== 'aborted') return null;
  const words = textOf(errorMessage) ?? String(stopReason);
  return (stopReason === 'error' ? refusalOf({ words }) : null) ?? turnFailed(words);
}
