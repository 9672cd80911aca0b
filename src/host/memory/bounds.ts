import { dirname, join } from 'node:path';
import type { CgroupFacts } from '../../process/cgroup.ts';
import { type ReadFile, readText } from './sample.ts';

/** The tightest bound on a control group and all above it. */
export interface MemoryBound {
  /** Where it stands: its counters tell of the out-of-memory kills. */
  folder: string;
  /** Bytes. */
  max: number;
}

export interface GroupMemory {
  /** Null: nothing bounds us. */
  bound: MemoryBound | null;
  /** The least memory.swap.max from our group upwards, bytes; null = none. */
  swapMax: number | null;
  /** memory.high of our own group, bytes; null = none. */
  high: number | null;
}

/** Reads the bounds in force from our own group up to the root of what is mounted; a container sees no further. */
export function groupMemory({ folder }: Pick<CgroupFacts, 'folder'>, read: ReadFile = readText): GroupMemory {
  const result: GroupMemory = { bound: null, swapMax: null, high: null };
  if (folder === null) return result;
  result.high = bytesIn(read(join(folder, 'memory.high')));
  // Above the mount there is no such file, and the root of the machine's tree has no bounds.
  for (let at = folder; read(join(at, 'cgroup.procs')) !== '' || read(join(at, 'cgroup.controllers')) !== ''; at = dirname(at)) {
    const max = bytesIn(read(join(at, 'memory.max')));
    if (max !== null && max < (result.bound?.max ?? Number.POSITIVE_INFINITY)) result.bound = { folder: at, max };
    const swap = bytesIn(read(join(at, 'memory.swap.max')));
    if (swap !== null) result.swapMax = Math.min(swap, result.swapMax ?? swap);
    if (dirname(at) === at) break;
  }
  return result;
}

function bytesIn(text: string): number | null {
  const value = Number.parseInt(text, 10);
  return Number.isNaN(value) ? null : value;
}
