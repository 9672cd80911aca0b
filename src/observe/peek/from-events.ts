import type { Layout } from '../../state/layout.ts';
import { asStopped, type StatusState, type StoppedState } from '../../state/serve-state.ts';
import { findRoundLog } from './round-view.ts';

type Fields = Record<string, unknown>;

/** The last round as the newest events tell it, or at least its log: for a status.json that is lost. Null where nothing has ever run. */
export function statusFromEvents(paths: Layout, events: readonly Fields[]): StatusState | null {
  const exit = events.findLast(({ event, round_num }) => event === 'agent_exit' && Number.isSafeInteger(round_num));
  const log = findRoundLog(paths, 'latest');
  const logged = log === null ? null : { round_num: log.roundNum, running: false };
  if (exit === undefined || (log !== null && log.roundNum > Number(exit.round_num))) return logged;
  return {
    round_num: Number(exit.round_num),
    running: false,
    ...(typeof exit.outcome === 'string' ? { last_outcome: exit.outcome } : {}),
    ...(typeof exit.ts === 'string' ? { last_completed_at: exit.ts } : {}),
  };
}

/** How the last serve stopped, for a stopped.json that is lost. Null when the newest word of a serve is another one. */
export function stoppedFromEvents(events: readonly Fields[]): StoppedState | null {
  const last = events.findLast(({ event }) => event === 'serve_started' || event === 'serve_stopped');
  return last?.event === 'serve_stopped' ? asStopped({ reason: last.reason, exit_code: last.exit_code, at: last.ts }) : null;
}
