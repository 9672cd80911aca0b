import { redactHead } from '../util/redact.ts';
import type { TurnError, TurnFacts, TurnUsage } from './adapter.ts';
import { CLASSIFICATIONS } from './provider-error.ts';
import { parseResetTime } from './reset-time.ts';

/** `rate_limited: the usage limit of the account`. */
export function meaningOf({ kind, classification }: TurnError): string {
  const known = Object.hasOwn(CLASSIFICATIONS, classification) ? CLASSIFICATIONS[classification as keyof typeof CLASSIFICATIONS] : null;
  return `${kind}: ${known ?? classification}`;
}

/** Until when, and who says so: `, until 2026-11-29T14:00:00Z (stated as "resets 3pm")`. */
export function endOf(error: TurnError, { nowEpoch, zone }: Pick<TurnFacts, 'nowEpoch' | 'zone'>): string {
  if (error.kind !== 'rate_limited' && error.kind !== 'provider_error') return '';
  if (error.classification === 'billing') return ', until somebody pays';
  if (error.resetAtEpoch === null) return '; no end is stated, so the wait is an estimate';
  const until = new Date(error.resetAtEpoch * 1000).toISOString().replace('.000Z', 'Z');
  const words = parseResetTime(error.raw, nowEpoch, zone);
  const source =
    words?.epoch === error.resetAtEpoch
      ? `stated as "${redactHead(error.raw.slice(...words.span), 80)}"`
      : 'stated in a field of the record';
  return `, until ${until} (${source})`;
}

export function turnWords(finished: boolean | null): string {
  if (finished === null) return 'this CLI has no record that would end a turn';
  return finished ? 'the CLI said that its turn ended' : 'the turn did not end: the record that would say so is missing';
}

/** `opus: 240 tokens in, 100 from the cache, 50 out, $0.0029`. */
export function usageWords(usage: TurnUsage): string {
  const parts = [
    `${usage.input_tokens} tokens in`,
    ...(usage.cached_tokens > 0 ? [`${usage.cached_tokens} from the cache`] : []),
    ...(usage.cache_creation_tokens > 0 ? [`${usage.cache_creation_tokens} into the cache`] : []),
    `${usage.output_tokens} out`,
    usage.cost_usd === null ? 'no price told' : `$${Number(usage.cost_usd.toFixed(6))}`,
  ];
  return `${usage.model ?? 'a model that is not told'}: ${parts.join(', ')}`;
}
