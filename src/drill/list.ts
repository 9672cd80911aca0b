import type { Guard } from './guard.ts';
import { killedSupervisor } from './guards/killed-supervisor.ts';
import { budget, flood, indexLock, tooBig } from './guards/limits.ts';
import { agentDone, cleanRound, crash, dirtyTree } from './guards/ordinary.ts';
import { standIn } from './guards/stand-in.ts';
import { deafToTerm, hang, stdinUnread } from './guards/walls.ts';

/** In the order in which they are tried; without a clean round nothing else would show anything. */
export const GUARDS: readonly [Guard, ...Guard[]] = [
  cleanRound,
  dirtyTree,
  crash,
  hang,
  deafToTerm,
  flood,
  stdinUnread,
  tooBig,
  indexLock,
  killedSupervisor,
  budget,
  standIn,
  agentDone,
];
