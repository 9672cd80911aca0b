import { residentBytes } from '../../process/memory.ts';
import { readProcess } from '../../process/proc.ts';

/** Who has most of the round's memory: for a person who asks what ate it. Name and pid only, never argv. */
export interface LargestProcess {
  pid: number;
  name: string;
  bytes: number;
  /** Of all members together, shared pages counted in full. */
  together: number;
}

export function largestOf(pids: readonly number[]): LargestProcess | null {
  let largest: { pid: number; bytes: number } | null = null;
  let together = 0;
  for (const pid of pids) {
    const bytes = residentBytes(pid);
    together += bytes;
    if (bytes > (largest?.bytes ?? 0)) largest = { pid, bytes };
  }
  return largest === null ? null : { ...largest, name: readProcess(largest.pid)?.comm ?? '?', together };
}
