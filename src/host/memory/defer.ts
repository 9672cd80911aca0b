import type { GroupMemory } from './bounds.ts';

/** What decides whether the kernel's own OOM killer can be trusted with a round. Bytes; null = none or unknown. */
export interface DeferFacts {
  group: GroupMemory;
  hostTotal: number | null;
  hostSwap: number | null;
  /** The agent lives in a container of an engine: in the engine's group, not in ours. */
  inContainer: boolean;
}

/**
 * Whether memory of the round is left to the kernel's OOM killer: only when the control group that the agent lives in bounds RAM and swap,
 * and both below what the machine has. A bound above the machine's memory never bites, so it must not disarm the floor. Swap of 0 is a
 * bound. Pure; decided anew for each round, for the agent that really runs.
 */
export function defersToKernel({ group: { bound, swapMax }, hostTotal, hostSwap, inContainer }: DeferFacts): boolean {
  if (inContainer || bound === null || swapMax === null || hostTotal === null || hostSwap === null) return false;
  return bound.max < hostTotal && swapMax <= hostSwap;
}

/** A swap allowance below this share of the host's swap bites long before the host does. */
const SMALL_SWAP_PCT = 25;

export interface Advice {
  /** `memory.swap.max` in percent of the host's swap; null where one of the two is not there. */
  swapCapPct: number | null;
  /** What should be changed, in words; null when nothing. */
  text: string | null;
}

/** What is to be said of the group's bounds at the start of serve. Pure. */
export function adviceOn(
  { group: { bound, swapMax, high }, hostTotal, hostSwap }: DeferFacts,
  { folder, brake, leafMemory }: { folder: string | null; brake: boolean; leafMemory: boolean },
): Advice {
  const swapCapPct = swapMax === null || hostSwap === null || hostSwap === 0 ? null : Math.round((1000 * swapMax) / hostSwap) / 10;
  const words: string[] = [];
  if (bound !== null && hostTotal !== null && bound.max >= hostTotal)
    words.push('memory.max is not below the memory of the host, so it never bites');
  if (swapMax !== null && hostSwap !== null && swapMax > hostSwap)
    words.push('memory.swap.max is more than the swap of the host, so it never bites');
  if (bound !== null && swapMax === null) words.push('memory.max without memory.swap.max: the group may still fill the swap of the host');
  if (swapCapPct !== null && swapCapPct < SMALL_SWAP_PCT) {
    words.push(`memory.swap.max is ${swapCapPct} % of the swap of the host: a round is killed while the host still has room`);
  }
  if (bound !== null && bound.folder === folder && high === null) {
    words.push('memory.max without memory.high: the kernel kills without braking first');
  }
  if (brake && !leafMemory) words.push('brake_memory_high is set, but rounds have no control groups with a memory controller here');
  return { swapCapPct, text: words.length === 0 ? null : words.join('; ') };
}
