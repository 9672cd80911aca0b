import type { LimitState } from '../../budget/limits.ts';
import type { DiskVerdict } from '../../host/disk/verdict.ts';
import type { MemoryVerdict } from '../../host/memory/ladder.ts';
import type { PauseState, ScheduleWait, WaitReason, WaitState } from '../../state/serve-state.ts';

/** What gates look at; collected once per question by the loop. */
export interface GateView {
  now: number;
  pause: PauseState | null;
  /** Processes of an earlier round that could not be ended. */
  survivors: { pid: number; name: string }[];
  /** The fullest disk that rounds write to; absent or null when all are well. */
  disk?: DiskVerdict | null;
  /** How the memory of the machine is; absent or null when that is not known. */
  memory?: MemoryVerdict | null;
  /** How the configured limits of an hour, a day and in all stand. */
  limits: readonly LimitState[];
  /** Why no phase and no agent may run now, by schedules, limits and credentials; null when one may. */
  turn: Obstacle | null;
  /** A wait that was begun, by this supervisor or by one before it. */
  wait: WaitState | null;
}

/** Something that holds a round back. */
export interface Obstacle {
  reason: WaitReason;
  /** Epoch ms, or null when no clock opens it. */
  until: number | null;
  /** Who says so: the gate, the account, the window of a schedule. */
  source: string;
  /** For people: `peek` prints it. */
  sentence: string;
  /** Of a schedule's. */
  window?: ScheduleWait;
}

export type GateVerdict = { open: true } | ({ open: false } & Obstacle);

/** A reason not to start a round now. Pure. */
export type Gate = (view: GateView) => GateVerdict;

export const OPEN: GateVerdict = { open: true };
