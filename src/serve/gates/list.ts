import { diskHasRoom } from './disk.ts';
import { type Gate, type GateVerdict, type GateView, OPEN } from './gate.ts';
import { memoryIsFit } from './memory.ts';
import { notPaused } from './paused.ts';
import { survivorsGone } from './survivors.ts';
import { waitOver } from './waiting.ts';

/** Asked in this order; the first closed one names the reason. Safety first, then people, then clocks. */
const GATES: readonly Gate[] = [survivorsGone, notPaused, diskHasRoom, memoryIsFit, waitOver];

export function askGates(view: GateView): GateVerdict {
  for (const gate of GATES) {
    const verdict = gate(view);
    if (!verdict.open) return verdict;
  }
  return OPEN;
}
