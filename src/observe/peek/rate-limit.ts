import type { WaitState } from '../../state/serve-state.ts';

/** `service.rate_limit` of `peek --json`, field by field the predecessor's. */
export interface RateLimit {
  throttled_until_epoch: number;
  limit_type: string;
  agent: string;
  since_round: number;
  phase: string;
  throttled_agents: string[];
}

type Fields = Record<string, unknown>;

/**
 * Which agents are throttled now, from the newest word about each among `events` (oldest first): `transient_error_detected` with an end
 * in the future and no `transient_error_recovered` after it. The single fields are those of the newest word, or of the throttle that
 * clears last when that one is over. An estimated wait states no end: then it is that of serve's own wait.
 */
export function rateLimit(events: readonly Fields[], wait: WaitState | null, now: number): RateLimit | null {
  const newest = new Map<string, Fields>();
  for (const fields of events) {
    if (fields.event !== 'transient_error_detected' && fields.event !== 'transient_error_recovered') continue;
    const agent = String(fields.agent);
    newest.delete(agent);
    newest.set(agent, fields);
  }
  const active = [...newest.values()].map((fields) => throttleOf(fields, wait)).filter((limit) => limit.throttled_until_epoch * 1000 > now);
  const last = [...newest.keys()].at(-1);
  const shown =
    active.find(({ agent }) => agent === last) ?? active.toSorted((a, b) => b.throttled_until_epoch - a.throttled_until_epoch)[0];
  if (shown === undefined) return null;
  return { ...shown, throttled_agents: active.map(({ agent }) => agent).toSorted() };
}

function throttleOf(fields: Fields, wait: WaitState | null): RateLimit {
  const detected = fields.event === 'transient_error_detected';
  // Files of any age and origin: null, NaN and text count as "no end stated".
  const stated = typeof fields.reset_at_epoch === 'number' && Number.isFinite(fields.reset_at_epoch) ? fields.reset_at_epoch : 0;
  const own =
    wait?.reason === 'throttled' && wait.until !== null && wait.source.startsWith(`${fields.agent} `) ? Date.parse(wait.until) / 1000 : 0;
  return {
    throttled_until_epoch: detected ? Math.round(Math.max(stated, own)) : 0,
    limit_type: String(fields.classification ?? ''),
    agent: String(fields.agent),
    since_round: typeof fields.round_num === 'number' ? fields.round_num : 0,
    phase: typeof fields.phase === 'string' ? fields.phase : '',
    throttled_agents: [],
  };
}
