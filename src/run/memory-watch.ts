import { proportionalBytes, residentBytes } from '../process/memory.ts';
import type { Clock } from '../util/clock.ts';
import { elapsed } from './deadlines.ts';
import type { Census } from './members.ts';
import type { ProcessIdentity, RunSpec } from './types.ts';

export interface MemoryOptions {
  maxBytes: number;
  /** The kernel holds the bound for everybody in the leaf: only whether the leader is there has to be seen. */
  bounded: boolean;
  leaf: RunSpec['leaf'];
  leader: ProcessIdentity;
  census: Census;
  clock: Clock;
  signal: AbortSignal;
  measure?: { resident(pid: number): number; proportional(pid: number): number };
}

/** By then the shell in between has joined the leaf. */
const FIRST_LOOK_MS = 100;
/** What is allocated between two looks is not seen: at 1 GB/s the bound is overrun by 1 GB. */
const LOOK_EVERY_MS = 1_000;
/** A look at a big machine's process table, or at the fair shares of some gigabytes, takes longer: no more than this share of the time. */
const LARGEST_SHARE = 0.02;

/**
 * Resolves with the measured bytes when all members of a run together have more memory than they may. Counted is what the processes have
 * in RAM and in swap, shared pages in fair shares; files in a tmpfs and the page cache are not. Never resolves when the kernel holds the
 * bound.
 */
export async function memoryExceeded(options: MemoryOptions): Promise<number> {
  const { maxBytes, bounded, leaf, leader, census, clock, signal } = options;
  let pause = FIRST_LOOK_MS;
  while (await elapsed(clock, pause, signal)) {
    const begun = clock.monotonic();
    const inLeaf = leaf?.members() ?? [];
    const joined = inLeaf.includes(leader.pid);
    if (bounded && joined) break;
    const pids = joined ? inLeaf : (await census.take()).map(({ pid }) => pid);
    const bytes = memoryOf(pids, maxBytes, options.measure);
    if (bytes > maxBytes) return bytes;
    pause = Math.max(LOOK_EVERY_MS, (clock.monotonic() - begun) / LARGEST_SHARE);
  }
  return new Promise(() => {});
}

/**
 * Bytes of all these together. The sum in full is cheap and never less than the sum of fair shares: only when it is over the bound do the
 * shares have to be asked for.
 */
export function memoryOf(
  pids: readonly number[],
  maxBytes: number,
  { resident, proportional } = { resident: residentBytes, proportional: proportionalBytes },
): number {
  const sum = (bytesOf: (pid: number) => number) => pids.reduce((total, pid) => total + bytesOf(pid), 0);
  const inFull = sum(resident);
  return inFull > maxBytes ? sum(proportional) : inFull;
}
