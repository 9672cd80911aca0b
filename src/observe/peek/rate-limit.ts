import type { AccountsState, Throttle } from '../../state/accounts.ts';

/** `service.rate_limit` of `peek --json`: the predecessor's fields. Agents go by their accounts, where those have names of their own. */
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
 * Which accounts are throttled now. The single fields are those of the newest refusal, or of the throttle that clears last when that one
 * is over. Without a state file (only the predecessor has run here) the newest word of each agent among `events` (oldest first) counts.
 */
export function rateLimit(accounts: AccountsState | null, events: readonly Fields[], now: number): RateLimit | null {
  const all = accounts === null ? fromEvents(events) : accounts.throttles.map(shownThrottle).toSorted((a, b) => a.since - b.since);
  const active = all.filter(({ limit }) => limit.throttled_until_epoch * 1000 > now).map(({ limit }) => limit);
  const newest = all.at(-1)?.limit.agent;
  const shown =
    active.find(({ agent }) => agent === newest) ?? active.toSorted((a, b) => b.throttled_until_epoch - a.throttled_until_epoch)[0];
  return shown === undefined ? null : { ...shown, throttled_agents: active.map(({ agent }) => agent).toSorted() };
}

interface Shown {
  limit: RateLimit;
  since: number;
}

function shownThrottle({ account, classification, since, until, round_num: round, phase }: Throttle): Shown {
  const limit = {
    throttled_until_epoch: until === null ? 0 : Math.round(Date.parse(until) / 1000),
    limit_type: classification,
    agent: account,
    since_round: round,
    phase: phase ?? '',
    throttled_agents: [],
  };
  return { limit, since: Date.parse(since) };
}

function fromEvents(events: readonly Fields[]): Shown[] {
  const newest = new Map<string, Fields>();
  for (const fields of events) {
    if (fields.event !== 'transient_error_detected' && fields.event !== 'transient_error_recovered') continue;
    const agent = String(fields.agent);
    newest.delete(agent);
    newest.set(agent, fields);
  }
  return [...newest.values()].map((fields) => ({ limit: throttleOf(fields), since: 0 }));
}

function throttleOf(fields: Fields): RateLimit {
  const detected = fields.event === 'transient_error_detected';
  // Files of any age and origin: null, NaN and text count as "no end stated".
  const stated = typeof fields.reset_at_epoch === 'number' && Number.isFinite(fields.reset_at_epoch) ? fields.reset_at_epoch : 0;
  return {
    throttled_until_epoch: detected ? Math.round(stated) : 0,
    limit_type: String(fields.classification ?? ''),
    agent: String(fields.agent),
    since_round: typeof fields.round_num === 'number' ? fields.round_num : 0,
    phase: typeof fields.phase === 'string' ? fields.phase : '',
    throttled_agents: [],
  };
}
