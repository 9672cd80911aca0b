import { epochOf } from '../util/epoch.ts';
import type { Layout } from './layout.ts';
import { readState } from './serve-state.ts';

/** What a provider's refusals mean for one account; kept until a success, so that estimated waits know how far they have grown. */
export interface Throttle {
  /** `agent.account`, else the agent identity. */
  account: string;
  /** The identity of the agent that was refused last. */
  agent: string;
  classification: string;
  /** ISO, UTC: the newest refusal. */
  since: string;
  /** ISO, UTC: when the account may be used again; null when that has come, or somebody ended the wait. */
  until: string | null;
  /** The end is the provider's own word; else it is estimated. */
  stated: boolean;
  /** Refusals in a row since the last success, and of those the failures of the network at the end of the row. */
  consecutive: number;
  network: number;
  round_num: number;
  phase: string | null;
}

/** An account whose credentials were refused; forgotten at a success, `ack auth`, a changed env_file, a deliberate restart. */
export interface Refusal {
  account: string;
  agent: string;
  /** ISO, UTC: the newest refusal. */
  since: string;
  consecutive: number;
  /** ISO, UTC: when it is tried again although another agent can run. */
  next_try: string;
  /** Of `agent.env_file` when it was refused: modification time and size. */
  env_file: string | null;
}

/** `state/accounts.json`. */
export interface AccountsState {
  throttles: Throttle[];
  refusals: Refusal[];
  /** How far the event log is taken into account. */
  seen: { file: string; offset: number } | null;
}

export const NO_ACCOUNTS: Readonly<AccountsState> = { throttles: [], refusals: [], seen: null };

/** More accounts than any configuration has; those that were refused last are at the end, and stay. */
export const MOST_ACCOUNTS = 200;

/** Tolerant: an entry without an account is left out, a time that is none counts as absent. Null when it is no such file. */
export function asAccounts(value: unknown): AccountsState | null {
  const at = fieldsOf(value);
  if (!Array.isArray(at?.throttles)) return null;
  const refusals = Array.isArray(at.refusals) ? at.refusals : [];
  return {
    throttles: at.throttles.slice(-MOST_ACCOUNTS).flatMap(asThrottle),
    refusals: refusals.slice(-MOST_ACCOUNTS).flatMap(asRefusal),
    seen: asCursor(at.seen),
  };
}

export const readAccounts = (paths: Pick<Layout, 'accounts'>): AccountsState | null => readState(paths.accounts, asAccounts);

function asThrottle(value: unknown): Throttle[] {
  const at = fieldsOf(value);
  const since = time(at?.since);
  if (at === null || typeof at.account !== 'string' || at.account === '' || since === null) return [];
  return [
    {
      account: at.account,
      agent: text(at.agent) || at.account,
      classification: text(at.classification),
      since,
      until: time(at.until),
      stated: at.stated === true,
      consecutive: count(at.consecutive),
      network: count(at.network),
      round_num: count(at.round_num),
      phase: text(at.phase) || null,
    },
  ];
}

function asRefusal(value: unknown): Refusal[] {
  const at = fieldsOf(value);
  const since = time(at?.since);
  if (at === null || typeof at.account !== 'string' || at.account === '' || since === null) return [];
  return [
    {
      account: at.account,
      agent: text(at.agent) || at.account,
      since,
      consecutive: Math.max(1, count(at.consecutive)),
      next_try: time(at.next_try) ?? since,
      env_file: text(at.env_file) || null,
    },
  ];
}

function asCursor(value: unknown): AccountsState['seen'] {
  const at = fieldsOf(value);
  return typeof at?.file === 'string' && Number.isSafeInteger(at.offset) ? { file: at.file, offset: at.offset as number } : null;
}

function fieldsOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function time(value: unknown): string | null {
  return epochOf(value) === null ? null : (value as string);
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
