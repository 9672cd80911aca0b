import type { MemorySample, Pressure } from './sample.ts';

const MB = 1024 * 1024;

/** The keys of `monitor.host_health` that the ladder reads. */
export interface MemoryThresholds {
  mem_avail_min_mb: number;
  swap_sout_noise_floor_mb: number;
  mem_free_low_mb: number;
  psi_full_avg10_critical: number;
  psi_some_avg10_warning: number;
}

export type Severity = 'healthy' | 'warning' | 'critical';

export interface MemoryVerdict {
  severity: Severity;
  /** Which rung decided. */
  signal: 'psi_full' | 'psi_some' | 'swap_out' | 'mem_low' | 'exhaustion';
  message: string;
}

/**
 * How the machine's memory is, by the first rung that can be read: pressure alone where the kernel tells it; else what was swapped out
 * since the sample before; else free and available memory together. Null when nothing can be read. The numbers and the order are the
 * predecessor's: pressure that is quiet beats all else (an idle machine may swap), free memory alone says nothing (caches fill it), and a
 * rate of swapping that is critical on a fast disk is out of reach on an SD card, so there free memory decides. Where a control group is
 * tighter than the machine, the worse pressure of the two counts. Pure.
 */
export function memoryVerdict(now: MemorySample, before: MemorySample | null, limits: MemoryThresholds): MemoryVerdict | null {
  const pressure = worse(now.pressure, now.group?.pressure ?? null);
  if (pressure !== null) return byPressure(pressure, limits);
  return bySwap(now, before, limits) ?? byFreeMemory(now, limits);
}

function byPressure({ some, full }: Pressure, limits: MemoryThresholds): MemoryVerdict {
  if (full !== null && full >= limits.psi_full_avg10_critical) {
    const message = `all tasks stood still for memory in ${full} % of the last 10 s (critical: ${limits.psi_full_avg10_critical})`;
    return { severity: 'critical', signal: 'psi_full', message };
  }
  const severity = some >= limits.psi_some_avg10_warning ? 'warning' : 'healthy';
  return { severity, signal: 'psi_some', message: `some task stood still for memory in ${some} % of the last 10 s` };
}

function bySwap({ swappedOut, free }: MemorySample, before: MemorySample | null, limits: MemoryThresholds): MemoryVerdict | null {
  if (swappedOut === null || before?.swappedOut == null) return null;
  const delta = swappedOut - before.swappedOut;
  if (delta <= limits.swap_sout_noise_floor_mb * MB) return null;
  const low = free !== null && free < limits.mem_free_low_mb * MB;
  const message = `${mb(delta)} MB were swapped out since the last look${free === null ? '' : `, ${mb(free)} MB are free`}`;
  return { severity: low ? 'critical' : 'warning', signal: 'swap_out', message };
}

function byFreeMemory({ free, available }: MemorySample, limits: MemoryThresholds): MemoryVerdict | null {
  if (free === null || available === null) return null;
  const low = free < limits.mem_free_low_mb * MB && available < limits.mem_avail_min_mb * MB;
  return { severity: low ? 'warning' : 'healthy', signal: 'mem_low', message: `${mb(free)} MB free, ${mb(available)} MB available` };
}

function worse(a: Pressure | null, b: Pressure | null): Pressure | null {
  if (a === null || b === null) return a ?? b;
  const full = a.full === null || b.full === null ? (a.full ?? b.full) : Math.max(a.full, b.full);
  return { some: Math.max(a.some, b.some), full };
}

function mb(bytes: number): number {
  return Math.round(bytes / MB);
}
