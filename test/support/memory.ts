import { readFileSync } from 'node:fs';
import { systemClock } from '../../src/util/clock.ts';
import type { Running } from './project.ts';

/** The most memory that the process had resident while it lived, bytes (VmHWM of /proc). */
export async function peakResident({ pid, child }: Pick<Running, 'pid' | 'child'>): Promise<number> {
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      peak = Math.max(peak, Number(kilobytes ?? 0) * 1024);
    } catch {
      // It ended meanwhile.
    }
    await systemClock.sleep(20);
  }
  return peak;
}
