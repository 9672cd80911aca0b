import type { Clock } from '../util/clock.ts';
import { containersByLabel, type EngineAccess, inspectContainer } from './engine.ts';
import { OWNER_LABEL } from './inject.ts';
import { containerStopBudgetS, endById } from './stop.ts';

export interface Orphan {
  containerId: string;
  roundId: string;
  ok: boolean;
  detail: string;
}

export interface OrphansInput {
  access: EngineAccess;
  /** state/owner of this log_dir: containers of another owner, or of nobody, are never looked at. */
  owner: string;
  /** A round that is in flight under a living supervisor. */
  keepRoundId: string | null;
  graceS: number;
  clock: Clock;
}

const OVER: ReadonlySet<string> = new Set(['exited', 'stopped', 'dead']);

/**
 * At start: containers of our owner whose round is not in flight outlived a supervisor that was killed. They are stopped by the same
 * ladder as at the end of a round, and told. What has ended already (no `--rm`) is left for the operator to look at.
 * `unknown`: the engine could not be asked.
 */
export async function stopOrphans(input: OrphansInput): Promise<Orphan[] | 'unknown'> {
  const { access, owner, keepRoundId, graceS, clock } = input;
  const ids = await containersByLabel(access, `${OWNER_LABEL}=${owner}`);
  if (ids === 'unknown') return 'unknown';
  const orphans: Orphan[] = [];
  for (const containerId of ids) {
    const state = await inspectContainer(access, containerId);
    // The label was the question already; it is asked again because what follows cannot be undone.
    if (state === null || state === 'unknown' || state.owner !== owner || OVER.has(state.status)) continue;
    if (keepRoundId !== null && state.roundId === keepRoundId) continue;
    const deadline = { clock, at: clock.monotonic() + containerStopBudgetS(graceS) * 1000 };
    const end = await endById(access, containerId, graceS, deadline);
    orphans.push({ containerId, roundId: state.roundId, ok: end.ok, detail: end.detail });
  }
  return orphans;
}
