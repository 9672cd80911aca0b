import type { Emit } from '../events/emit.ts';
import type { RoundBody, RoundBodyInput, RoundBodyReport } from './body.ts';

/** The ladder, a commit with its hooks, and the user's hooks: what the predecessor grants a round beyond its own wall (5 + 120 + 60 s). */
const CEILING_EXTRA_MS = 185_000;

/**
 * Runs the body under the outer ceiling: should its own wall fail to end it, the ladder is forced, and then the event tells of the bug.
 * `stop` is the caller's wish to end the round now.
 */
export async function superviseBody(
  body: RoundBody,
  input: Omit<RoundBodyInput, 'stop'>,
  { stop, budgetMs, emit }: { stop: AbortSignal; budgetMs: number; emit: Emit },
): Promise<RoundBodyReport> {
  const ceiling = new AbortController();
  let pid = 0;
  const timer = setTimeout(() => ceiling.abort('stopped'), Math.min(budgetMs + CEILING_EXTRA_MS, 2 ** 31 - 1));
  try {
    return await body({
      ...input,
      stop: AbortSignal.any([stop, ceiling.signal]),
      onSpawned(identity) {
        pid = identity.pid;
        input.onSpawned(identity);
      },
    });
  } finally {
    clearTimeout(timer);
    if (ceiling.signal.aborted) {
      emit('round_supervisor_wedged', { pid, timeout_s: Math.round((budgetMs + CEILING_EXTRA_MS) / 1000), log_path: input.logPath });
    }
  }
}
