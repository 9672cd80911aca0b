import type { LineNews, ToolCall, TurnError, TurnUsage, TurnVerdict } from './adapter.ts';
import { amountOf, countOf, type JsonRecord, listOf, objectOf, textOf } from './json-line.ts';
import { epochSeconds } from './reset/instant.ts';

const KINDS: readonly string[] = ['rate_limited', 'provider_error', 'auth_error', 'agent_error'] satisfies TurnError['kind'][];

/**
 * What a reader said, with only what it may say left: an adapter of the user's own may return anything, and what it returns goes into
 * events and waits. `'result'` and `'resumed'` alone are short for `{ turn }`.
 */
export function checkedNews(value: unknown): LineNews | undefined {
  if (value === 'result' || value === 'resumed') return { turn: value };
  const said = objectOf(value);
  if (said === null) return undefined;
  const news: LineNews = {};
  if (said.turn === 'result' || said.turn === 'resumed') news.turn = said.turn;
  if (typeof said.retrying === 'string') news.retrying = said.retrying.slice(0, 300);
  const tools = listOf(said.tools).flatMap(checkedTool);
  if (tools.length > 0) news.tools = tools;
  const error = checkedError(said.error);
  if (error) news.error = error;
  const usage = checkedUsage(said.usage);
  if (usage) news.usage = usage;
  return news;
}

/** Throws when the value is no verdict at all. */
export function checkedVerdict(value: unknown): TurnVerdict {
  const said = objectOf(value);
  if (said === null) throw new TypeError('conclude() returned no object');
  const finished = typeof said.finished === 'boolean' ? said.finished : null;
  return { finished, error: checkedError(said.error), usage: checkedUsage(said.usage) };
}

function checkedError(value: unknown): TurnError | null {
  const said = objectOf(value);
  if (said === null || !isKind(said.kind)) return null;
  return {
    kind: said.kind,
    classification: textOf(said.classification)?.slice(0, 64) || DEFAULT_CLASSIFICATION[said.kind],
    resetAtEpoch: epochSeconds(said.resetAtEpoch),
    raw: (textOf(said.raw) ?? '').slice(0, 4000),
  };
}

const DEFAULT_CLASSIFICATION: Record<TurnError['kind'], string> = {
  rate_limited: 'rate_limit_model',
  provider_error: 'api_transient_5xx',
  auth_error: 'auth',
  agent_error: 'turn_failed',
};

function isKind(value: unknown): value is TurnError['kind'] {
  return typeof value === 'string' && KINDS.includes(value);
}

function checkedTool(value: unknown): ToolCall[] {
  const said = objectOf(value);
  if (said === null || typeof said.tool !== 'string') return [];
  return [{ tool: said.tool.slice(0, 100), target: textOf(said.target)?.slice(0, 100) ?? null }];
}

function checkedUsage(value: unknown): TurnUsage | null {
  const said = objectOf(value);
  if (said === null) return null;
  return {
    model: textOf(said.model)?.slice(0, 200) ?? null,
    input_tokens: countOf(said.input_tokens),
    output_tokens: countOf(said.output_tokens),
    cached_tokens: countOf(said.cached_tokens),
    cache_creation_tokens: countOf(said.cache_creation_tokens),
    cost_usd: amountOf(said.cost_usd),
    duration_ms: amountOf(said.duration_ms),
    tool_call_count: countOf(said.tool_call_count),
    models_breakdown: checkedModels(objectOf(said.models_breakdown)),
  };
}

function checkedModels(models: JsonRecord | null): Record<string, Record<string, number>> | null {
  if (models === null) return null;
  return Object.fromEntries(
    Object.entries(models)
      .slice(0, 50)
      .map(([name, counts]) => [
        name,
        Object.fromEntries(Object.entries(objectOf(counts) ?? {}).map(([key, count]) => [key, countOf(count)])),
      ]),
  );
}
