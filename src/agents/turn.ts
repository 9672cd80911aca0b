import { messageOf } from '../util/errors.ts';
import type { AgentAdapter, LineNews, TurnFacts, TurnReader, TurnVerdict } from './adapter.ts';
import { checkedNews, checkedVerdict } from './checked.ts';
import { custom } from './custom.ts';
import { createRepetitionWatch, type Repetition } from './repetition.ts';

export interface TurnOptions {
  /** The agent's own argv, without a prefix. */
  command: readonly string[];
  /** `monitor.anomaly_repetitive_window` and `_threshold`; 0 = off. */
  repetition?: { window: number; threshold: number };
  /** The CLI tries again by itself. May be called thousands of times: what to make of it is the caller's. */
  onRetrying?: (what: string) => void;
  onRepetition?: (repetition: Repetition) => void;
}

export interface FollowedTurn {
  /** For `onLine` of a run. */
  line(line: string): LineNews['turn'];
  conclude(facts: TurnFacts): TurnVerdict;
  /** What was wrong with the adapter itself, or null: a bug in one never ends the supervisor, nor the round. */
  problem(): string | null;
}

/** After so many throws the reader is not asked again: a stack trace for each of ten million lines would be the next problem. */
const MOST_THROWS = 10;

/** Follows one turn through an adapter that is not trusted: what it throws or returns can do no harm. */
export function followTurn(adapter: AgentAdapter, options: TurnOptions): FollowedTurn {
  const watch = createRepetitionWatch(options.repetition?.window ?? 0, options.repetition?.threshold ?? 0);
  /** What the careful adapter for unknown CLIs would say, should this one fail. */
  const fallback = custom.read();
  let throws = 0;
  let problem: string | null = null;
  let reader: TurnReader | null = null;

  function failed(error: unknown): undefined {
    throws += 1;
    problem ??= `${adapter.name}: ${messageOf(error)}`.split('\n', 1)[0]?.slice(0, 300) ?? adapter.name;
    return undefined;
  }

  try {
    reader = adapter.read(options.command);
    if (typeof reader?.line !== 'function' || typeof reader.conclude !== 'function') {
      reader = null;
      failed(new TypeError('read() returned no { line, conclude }'));
    }
  } catch (error) {
    failed(error);
  }

  function newsOf(line: string): LineNews | undefined {
    if (reader === null || throws >= MOST_THROWS) return checkedNews(fallback.line(line));
    try {
      const said: unknown = reader.line(line);
      if (said === undefined) return undefined;
      if (isPromise(said)) return failed(new TypeError('line() must not be async'));
      return checkedNews(said);
    } catch (error) {
      return failed(error);
    }
  }

  return {
    line(line) {
      const news = newsOf(line);
      if (news === undefined) return undefined;
      if (news.retrying !== undefined) options.onRetrying?.(news.retrying);
      for (const call of news.tools ?? []) {
        const repetition = watch.push(call);
        if (repetition !== null) options.onRepetition?.(repetition);
      }
      return news.turn;
    },
    conclude(facts) {
      if (reader === null) return fallback.conclude(facts);
      try {
        const said: unknown = reader.conclude(facts);
        if (isPromise(said)) throw new TypeError('conclude() must not be async');
        return checkedVerdict(said);
      } catch (error) {
        failed(error);
        return fallback.conclude(facts);
      }
    },
    problem: () => problem,
  };
}

/** A promise that nobody looks at would end the process when it is rejected. */
function isPromise(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function') return false;
  Promise.resolve(value).catch(() => {});
  return true;
}
