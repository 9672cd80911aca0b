import { catchUp } from '../../../src/budget/catch-up.ts';
import { emptyLedger, type Ledger } from '../../../src/budget/ledger.ts';
import type { StoredEvent } from '../../../src/events/stored.ts';

export const T0 = Date.UTC(2026, 10, 29, 12, 0, 0);
const MINUTE = 60_000;

export interface RoundOf {
  n: number;
  /** Minutes after T0. */
  at?: number;
  agent?: string;
  cost?: number | null;
  tokens?: number;
  /** Null: the CLI told nothing. */
  usage?: null;
  outcome?: string;
  /** Seconds that the agent took. */
  s?: number;
  /** HEAD before and after. */
  head?: [string | null, string | null];
}

/** The events of one round, as this program writes them: ten seconds from its start to its end. */
export function roundEvents({
  n,
  at = n,
  agent = 'claude',
  cost = 0.1,
  tokens = 100,
  usage,
  outcome = 'ok',
  s = 9,
  head = ['a', 'a'],
}: RoundOf): StoredEvent[] {
  const start = T0 + at * MINUTE;
  const event = (kind: string, afterS: number, fields: object): StoredEvent => ({
    ts: new Date(start + afterS * 1000).toISOString(),
    event: kind,
    round_num: n,
    ...fields,
  });
  return [
    event('round_start', 0, { phase: null }),
    event('round_substrate_before', 0, { git_head: head[0], paths_hash: null }),
    event('agent_spawn', 0, { timeout_s: 60 }),
    event('agent_exit', 9, { exit_code: 0, duration_s: s, timed_out: false, exit_cause: 'clean', outcome }),
    ...(usage === null
      ? []
      : [
          event('agent_usage_recorded', 9, {
            agent,
            input_tokens: tokens,
            output_tokens: 0,
            cached_tokens: 7,
            cache_creation_tokens: 0,
            cost_usd: cost,
          }),
        ]),
    event('round_end', 10, {}),
    event('round_substrate_after', 10, { git_head: head[1], paths_hash: null }),
  ];
}

export function ackEvent(at: number, limits?: string[]): StoredEvent {
  return {
    ts: new Date(T0 + at * MINUTE).toISOString(),
    event: 'human_acknowledged',
    reason: 'budget',
    ...(limits === undefined ? {} : { limits }),
  };
}

export const line = (event: StoredEvent): string => `${JSON.stringify(event)}\n`;
export const lines = (events: readonly StoredEvent[]): string => events.map(line).join('');

/** The whole folder, folded at once. */
export function foldAll(logDir: string): Ledger {
  const ledger = emptyLedger();
  catchUp(logDir, ledger);
  return ledger;
}

/** What was counted, without how far the files were read. */
export function counted({ places: _places, seen: _seen, ...rest }: Ledger): Omit<Ledger, 'places' | 'seen'> {
  return rest;
}
