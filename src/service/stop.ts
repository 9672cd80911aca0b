import { asInFlight } from '../state/in-flight.ts';
import type { Layout } from '../state/layout.ts';
import { readState } from '../state/serve-state.ts';
import type { Clock } from '../util/clock.ts';
import { seconds } from '../util/duration.ts';
import { findServe, goneWithin, sendSignal } from './running.ts';

/** An idle serve stops at once; one that drains a round does not, and nobody should have to watch that. The predecessor's five seconds. */
const CONFIRM_MS = 5_000;

export interface StopReport {
  result: 'not_running' | 'stopped' | 'draining';
  pid: number | null;
  /** The round that is let finish. */
  round_num: number | null;
  waited_s: number;
}

/** Asks serve to stop (SIGTERM: the running round finishes) and waits at most 5 s for it. `asked` is told before the wait. */
export async function stopServe(paths: Layout, clock: Clock, asked: () => void): Promise<StopReport> {
  const serve = await findServe(paths);
  if (serve === null) return { result: 'not_running', pid: null, round_num: null, waited_s: 0 };
  asked();
  const since = clock.monotonic();
  const gone = !sendSignal(serve, 'SIGTERM') || (await goneWithin(serve, CONFIRM_MS, clock));
  return {
    result: gone ? 'stopped' : 'draining',
    pid: serve.pid,
    round_num: gone ? null : (readState(paths.inFlight, asInFlight)?.round_num ?? null),
    waited_s: seconds(clock.monotonic() - since),
  };
}
