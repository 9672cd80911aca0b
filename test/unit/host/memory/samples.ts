import type { MemorySample } from '../../../../src/host/memory/sample.ts';

export const MB = 1024 * 1024;

export const LIMITS = {
  mem_avail_min_mb: 200,
  swap_sout_noise_floor_mb: 32,
  mem_free_low_mb: 16,
  psi_full_avg10_critical: 60,
  psi_some_avg10_warning: 5,
};

/** A machine with 1 GB that is well and tells no pressure; megabytes are given, bytes come out. */
export function sample(part: Partial<MemorySample> & { freeMb?: number; availableMb?: number; swappedMb?: number } = {}): MemorySample {
  const { freeMb = 300, availableMb = 500, swappedMb = 0, ...rest } = part;
  return {
    at: 0,
    total: 1024 * MB,
    free: freeMb * MB,
    available: availableMb * MB,
    swapFree: 0,
    swappedOut: swappedMb * MB,
    pressure: null,
    group: null,
    ...rest,
  };
}
