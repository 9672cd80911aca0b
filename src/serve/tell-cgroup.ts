import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import { groupMemory } from '../host/memory/bounds.ts';
import { adviceOn, defersToKernel } from '../host/memory/defer.ts';
import { hostMemory } from '../host/memory/sample.ts';
import { cgroupFacts } from '../process/cgroup.ts';

/** At a start: the bounds on memory that hold for this supervisor, and what should be changed about them. The advice comes back, null when there is none. */
export function tellCgroupMemory({ config }: LoadedConfig, leafMemory: boolean, emit: Emit): string | null {
  const facts = cgroupFacts();
  const brake = config.monitor.host_health.brake_memory_high;
  const own = { group: groupMemory(facts), ...hostMemory(), inContainer: false };
  const { text, swapCapPct } = adviceOn(own, { folder: facts.folder, brake, leafMemory });
  const { bound, swapMax, high } = own.group;
  if (facts.memory !== null || bound !== null) {
    emit('host_cgroup_memory_limit', {
      memory_max: bound?.max ?? null,
      memory_swap_max: swapMax,
      cgroup_path: bound?.folder ?? facts.folder,
      defer: defersToKernel(own),
      swap_total_bytes: own.hostSwap,
      swap_cap_pct: swapCapPct,
      memory_high: high,
      advisory: text,
      cgroup_delegated: facts.delegated,
    });
  }
  return text;
}
