/** What a provider said went wrong, as far as the CLI reported it in a structured record or in the last lines of a failed run. */
export interface TurnError {
  kind: 'rate_limited' | 'provider_error' | 'auth_error' | 'agent_error';
  /** One of `CLASSIFICATIONS`, or an adapter's own word. */
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
  /** Null when the CLI tells no price. */
  cost_usd: number | null;
  duration_ms: number | null;
  tool_call_count: number;
  /** Tokens by model, when more than one was used. */
  models_breakdown: Record<string, Record<string, number>> | null;
}

export interface TurnVerdict {
  /** True when the CLI said that its turn ended; null when this CLI has no such record, so that its absence means nothing. */
  finished: boolean | null;
  error: TurnError | null;
  usage: TurnUsage | null;
}

/** One call of a tool; `target` is the file, pattern or command that it was for, at most 100 characters. */
export interface ToolCall {
  tool: string;
  target: string | null;
}

/** What one line told. `error` and `usage` are what this line says; what counts is decided at the end of the turn. */
export interface LineNews {
  /** The turn is over, or (after that) goes on after all. */
  turn?: 'result' | 'resumed';
  /** The CLI tries again by itself: no outcome. `429 rate_limit, attempt 3 of 10`. */
  retrying?: string;
  tools?: readonly ToolCall[];
  error?: TurnError;
  usage?: TurnUsage;
}

/** What is known when the process has ended. */
export interface TurnFacts {
  /** Null when a signal ended it. */
  exitCode: number | null;
  /** The last bytes of its output, at most 64 KiB. */
  tail: string;
  /** Epoch seconds. */
  nowEpoch: number;
  /** IANA zone of times without one: the agent's. */
  zone: string;
}

/** Reads one turn, line by bounded line, as the pipe delivers. */
export interface TurnReader {
  /** Undefined for a line that tells nothing. Never throws, whatever the line is. */
  line(line: string): LineNews | undefined;
  /** Never throws. May be asked more than once. */
  conclude(facts: TurnFacts): TurnVerdict;
}

/** What an adapter understands of its CLI; docs/agents.md and the start-up checks of limits are made from it. */
interface Understanding {
  /** The record that ends a turn, in words; null: the CLI has none. */
  end: string | null;
  tokens: boolean;
  /** A cost limit needs this. `some models`: those whose price the CLI knows. */
  cost: boolean | 'some models';
  toolCalls: boolean;
  /** Where its retries show: in records, in lines of text, or nowhere. */
  retries: 'records' | 'text' | null;
  /** `records`: limits, refused logins and provider errors come as records; `text`: only in the last lines of a failed run. */
  errors: 'records' | 'text';
  /** Versions whose recorded output is in test/fixtures/agents. */
  recorded: readonly string[];
}

/** All that is known of one agent CLI. Adding a CLI is one file with this shape and one line in registry.ts. */
export interface AgentAdapter {
  /** The basename of its command. */
  name: string;
  title: string;
  /** What makes this CLI end its turn in order; null: it has no such signal, SIGTERM with the short grace. */
  cooperativeStop: NodeJS.Signals | null;
  /**
   * CPU time, in milliseconds per 30 s, that it uses while it only waits for an answer: its timers, its garbage collection. Measured
   * (docs/agent-matrix.md) and rounded up; without it 50.
   */
  restingCpuMs?: number;
  /** 'json': only lines that begin with `{` can matter, so that the others cost nothing. */
  lines: 'json' | 'all';
  understands: Understanding;
  /** Hosts that it talks to in its usual set-up: what a sandbox has to let through. */
  hosts: readonly string[];
  /** Where its credentials are: names of environment variables, and files below the home folder. */
  credentials: { env: readonly string[]; files: readonly string[] };
  /** Whether a record could only be this CLI's: for logs of which nobody knows whose they are. */
  wrote?(record: Record<string, unknown>): boolean;
  /** `command`: the agent's own argv, without a prefix; some of it says how the CLI will print. */
  read(command?: readonly string[]): TurnReader;
}
