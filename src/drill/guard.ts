import type { CommandResult } from '../process/command.ts';
import type { Clock } from '../util/clock.ts';

/** One event of a scratch log. */
export interface DrillEvent {
  event: string;
  [field: string]: unknown;
}

export interface RoundOptions {
  /** What the scripted agent performs. */
  word: string;
  /** Hard wall, seconds. */
  wallS: number;
  /** Bytes of the prompt; the default is a small one. */
  promptBytes?: number;
  delivery?: 'stdin' | 'argv';
  /** The user's own by default. */
  dirtyAction?: string;
  logMaxMb?: number;
  /** What a fallback performs; without it there is none. */
  fallback?: string;
  /** `[limits]`; the user's own are not tried. */
  limits?: Record<string, number>;
}

export interface Finished extends CommandResult {
  durationMs: number;
}

/** What a guard is tried out with: a scratch work tree, a scratch log_dir of its own, the user's prefix and environment around the agent. */
export interface Scene {
  workDir: string;
  logDir: string;
  clock: Clock;
  /** Runs `agent-runner round` to its end, bounded. */
  round(options: RoundOptions): Promise<Finished>;
  /** Runs `agent-runner serve` for at most so many rounds. */
  serve(options: RoundOptions, maxRounds: number): Promise<Finished>;
  events(kind?: string): DrillEvent[];
  /** Outcome of the newest round, null without one. */
  outcome(): unknown;
  /** Bytes of the newest round's log, and its last lines. */
  logBytes(): number;
  logTail(): string;
  /** Output of a git command in the scratch tree. */
  git(...args: string[]): Promise<string>;
  /** What the agent's helper writes ten times a second as long as it lives; null before it began. */
  heartbeat(): string | null;
  /** True when the heartbeat stands still. */
  quiet(): Promise<boolean>;
}

export interface Verdict {
  works: boolean;
  /** One line: what was seen. */
  detail: string;
}

/** One guard: a file of its own, a line in list.ts. */
export interface Guard {
  name: string;
  /** What is shown, for people and docs/drill.md. */
  what: string;
  run(scene: Scene): Promise<Verdict>;
}

/** The first of these that is not so, as a failure; else the given words. */
export function verdict(expectations: readonly (readonly [holds: boolean, otherwise: string])[], detail: string): Verdict {
  const broken = expectations.find(([holds]) => !holds);
  return broken === undefined ? { works: true, detail } : { works: false, detail: broken[1] };
}
