import type { Emit } from '../events/emit.ts';
import { elapsed } from '../run/deadlines.ts';
import { withEither } from '../util/abort.ts';
import type { Clock } from '../util/clock.ts';
import { outerCeilingMs } from '../util/stop-budget.ts';
import type { RoundBody, RoundBodyInput, RoundBodyReport } from './body.ts';

/**
 * Runs the body under the outer ceiling: should its own wall fail to end it, the ladder is forced, and then the event tells of the bug.
 * `stops` are the wishes of others to end the round now.
 */
export async function superviseBody(
  body: RoundBody,
  input: Omit<RoundBodyInput, 'stop'>,
  { stops, budgetMs, emit, clock }: { stops: readonly AbortSignal[]; budgetMs: number; emit: Emit; clock: Clock },
): Promise<RoundBodyReport> {
  const ceiling = new AbortController();
  const ended = new AbortController();
  let pid = 0;
  const longest = outerCeilingMs(budgetMs);
  void elapsed(clock, longest, ended.signal).then((passed) => {
    if (passed) ceiling.abort('stopped');
  });
  try {
    return await withEither([...stops, ceiling.signal], (either) =>
      body({
        ...input,
        stop: either,
        onSpawned(identity) {
          pid = identity.pid;
          input.onSpawned(identity);
        },
      }),
    );
  } finally {
    ended.abort();
    if (ceiling.signal.aborted) emit('round_supervisor_wedged', { pid, timeout_s: Math.round(longest / 1000), log_path: input.logPath });
  }
}
