import { groupMemory } from '../../host/memory/bounds.ts';
import { defersToKernel } from '../../host/memory/defer.ts';
import { hostMemory } from '../../host/memory/sample.ts';
import type { DoctorCheck } from '../check.ts';

export const cgroup: DoctorCheck = {
  name: 'cgroup',
  what: 'the control group that this runs in: version, whether rounds can have leaves of their own, memory bounds, and who decides by them',
  run({ host: { cgroup: facts } }) {
    if (facts.version === 'none') return [{ status: 'info', summary: 'there are no control groups here' }];
    const memory =
      facts.memory === null ? 'no memory controller' : `memory.max ${size(facts.memory.max)}, memory.high ${size(facts.memory.high)}`;
    const group = groupMemory(facts);
    const kernel = defersToKernel({ group, ...hostMemory(), inContainer: false })
      ? '; its bounds hold, so the kernel ends a round of an agent in it, not the memory floor'
      : '';
    const leaves = facts.delegated ? 'rounds get leaves of their own' : 'not delegated, so rounds get no leaves of their own';
    return [
      {
        status: facts.delegated ? 'ok' : 'info',
        summary: `${facts.version}, ${facts.path ?? 'no version 2 path'}: ${leaves}; ${memory}${kernel}`,
        ...(facts.delegated || facts.version === 'v1' ? {} : { remedy: "A unit made by 'agent-runner install' has Delegate=yes." }),
        facts: { ...facts, defers_to_kernel: kernel !== '' },
      },
    ];
  },
};

function size(bytes: number | null): string {
  return bytes === null ? 'unbounded' : `${Math.round(bytes / 1024 ** 2)} MB`;
}
