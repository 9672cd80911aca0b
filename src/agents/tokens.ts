import type { TurnUsage } from './adapter.ts';
import { amountOf, countOf, type JsonRecord } from './json-line.ts';

export type Tokens = Pick<TurnUsage, 'input_tokens' | 'output_tokens' | 'cached_tokens' | 'cache_creation_tokens'>;

export const NO_TOKENS: Tokens = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cache_creation_tokens: 0 };

/** Where a record keeps its counts. `gross`: its input includes what came from the cache, and ours does not. */
interface Names {
  input: string;
  output: string;
  cached?: string;
  created?: string;
  gross?: boolean;
}

export function tokensOf(record: JsonRecord, { input, output, cached, created, gross = false }: Names): Tokens {
  const fromCache = cached === undefined ? 0 : countOf(record[cached]);
  const all = countOf(record[input]);
  return {
    input_tokens: gross ? Math.max(0, all - fromCache) : all,
    output_tokens: countOf(record[output]),
    cached_tokens: fromCache,
    cache_creation_tokens: created === undefined ? 0 : countOf(record[created]),
  };
}

export function addTokens(one: Tokens, other: Tokens): Tokens {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    cached_tokens: one.cached_tokens + other.cached_tokens,
    cache_creation_tokens: one.cache_creation_tokens + other.cache_creation_tokens,
  };
}

export function isNothing(tokens: Tokens): boolean {
  return Object.values(tokens).every((count) => count === 0);
}

/** A price of 0 is what CLIs print for a model whose price they do not know. */
export function priceOf(value: unknown): number | null {
  const price = amountOf(value);
  return price === 0 ? null : price;
}
