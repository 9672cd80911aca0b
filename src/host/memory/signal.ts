import { memoryVerdict } from './ladder.ts';
import { type MemorySample, sampleMemory } from './sample.ts';

/** The best that the memory of this machine can be judged by. `none`: a guard of memory could never act, and must say so. */
export type MemorySignal = 'pressure' | 'swap' | 'none';

/** With thresholds of no matter: only what can be read counts. Pure over the sample. */
export function memorySignal(sample: MemorySample = sampleMemory(0, null)): MemorySignal {
  if (sample.pressure !== null) return 'pressure';
  return memoryVerdict(sample, sample, NO_MATTER) === null ? 'none' : 'swap';
}

const NO_MATTER = {
  mem_avail_min_mb: 0,
  swap_sout_noise_floor_mb: 1,
  mem_free_low_mb: 1,
  psi_full_avg10_critical: 100,
  psi_some_avg10_warning: 100,
};
