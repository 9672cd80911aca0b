import { readFileSync } from 'node:fs';
import { pidNamespaceOf, readProcess } from '../process/proc.ts';
import { TICK_MS } from '../process/stat.ts';
import { hostPids } from './host-pids.ts';

/**
 * CPU time of everyone in the pid namespace of a container's main process, milliseconds; null when nobody lives there. For containers
 * without a control group of their own (rootless podman with cgroupfs). Itself null when that process is not of this round (the pid is
 * one of another host, or of a virtual machine) or shares our namespace (`--pid host`). A reading costs one pass over /proc.
 */
export function namespaceCpuMeter(mainPid: number, roundId: string): (() => number | null) | null {
  const namespace = pidNamespaceOf(mainPid);
  if (namespace === '' || namespace === pidNamespaceOf('self') || !isOfRound(mainPid, roundId)) return null;
  return () => {
    const ticks = hostPids().flatMap((pid) => (pidNamespaceOf(pid) === namespace ? (readProcess(pid)?.cpuTicks ?? []) : []));
    return ticks.length === 0 ? null : ticks.reduce((sum, used) => sum + used, 0) * TICK_MS;
  };
}

/** The container was given the round's id in its environment. */
function isOfRound(pid: number, roundId: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`=${roundId}\0`);
  } catch {
    return false;
  }
}
