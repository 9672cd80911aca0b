import type { TurnError } from './adapter.ts';

const TRANSIENT = new Set([500, 502, 503, 504, 529]);

/** What an HTTP status of a provider means for the loop; null for one that says nothing (2xx, 404 ...). */
export function errorOfStatus(status: number, raw: string): TurnError | null {
  const error = (kind: TurnError['kind'], classification: string): TurnError => ({ kind, classification, resetAtEpoch: null, raw });
  if (status === 401 || status === 403) return error('auth_error', 'auth');
  if (status === 429) return error('rate_limited', 'rate_limit_model');
  if (status === 408) return error('provider_error', 'api_timeout');
  if (status === 402) return error('provider_error', 'billing');
  if (TRANSIENT.has(status)) return error('provider_error', 'api_transient_5xx');
  return null;
}

/** Words that a provider uses when there is no money left, seen in real 400 and 402 answers. */
export function isBilling(text: string): boolean {
  return /credit balance|billing|insufficient_quota|payment required/i.test(text);
}
