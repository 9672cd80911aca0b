import { withinBudget } from './budget.ts';
import { diskHasRoom } from './disk.ts';
import { type Gate, type GateVerdict, type GateView, OPEN } from './gate.ts';
import { memoryIsFit } from './memory.ts';
import { notPaused } from './paused.ts';
import { survivorsGone } from './survivors.ts';
import { turnTaken } from './turn.ts';
import { waitOver } from './waiting.ts';

/**
 * Asked in this order; the first closed one names the reason: survivors, paused, disk, memory, budget, turn, the delay after a round.
 * Safety first, then people, then what this host and these limits allow, then who runs, then clocks. docs/architecture.md has it in words.
 */
const GATES: readonly Gate[] = [survivorsGone, notPaused, diskHasRoom, memoryIsFit, withinBudget, turnTaken, waitOver];

export function askGates(view: GateView): GateVerdict {
  for (const gate of GATES) {
    const verdict = gate(view);
    if (!verdict.open) return verdict;
  }
  return OPEN;
}
