/** What a provider said went wrong, as far as the CLI reported it in a structured record. */
export interface TurnError {
  kind: 'rate_limited' | 'provider_error' | 'auth_error' | 'agent_error';
  /** `rate_limit_account`, `rate_limit_model`, `api_transient_5xx`, `api_timeout`, `billing`, `auth`, `turn_failed`. */
  classification: string;
  /** When the provider stated when the limit ends: epoch seconds. */
  resetAtEpoch: number | null;
  /** The record's own words; redacted and cut by the event writer. */
  raw: string;
}

/** The shape of `agent_usage_recorded`, without what the round adds. `input_tokens` is net of cache reads. */
export interface TurnUsage {
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cache_creation_tokens: number;
  cost_usd: number | null;
  duration_ms: number | null;
  tool_call_count: number;
}

export interface TurnVerdict {
  /** True when the CLI said that its turn ended; null when this CLI has no such record, so that its absence means nothing. */
  finished: boolean | null;
  error: TurnError | null;
  usage: TurnUsage | null;
}

/** Reads one turn, line by bounded line, as the pipe delivers. */
export interface TurnReader {
  /** 'result' at the record that ends the turn. Never throws, whatever the line is. */
  line(line: string): 'result' | undefined;
  conclude(): TurnVerdict;
}

/** All that is known of one agent CLI. Adding a CLI is one file with this shape and one line in registry.ts. */
export interface AgentAdapter {
  name: string;
  /** What makes this CLI end its turn in order; null: it has no such signal, SIGTERM with the short grace. */
  cooperativeStop: NodeJS.Signals | null;
  /** 'json': only lines that begin with `{` can matter, so that the others cost nothing. */
  lines: 'json' | 'all';
  read(): TurnReader;
}
