import type { DoctorCheck } from '../check.ts';

export const cgroup: DoctorCheck = {
  name: 'cgroup',
  what: 'the control group that this runs in: version, whether rounds can have leaves of their own, memory bounds',
  run({ host: { cgroup: facts } }) {
    if (facts.version === 'none') return [{ status: 'info', summary: 'there are no control groups here' }];
    const memory =
      facts.memory === null ? 'no memory controller' : `memory.max ${size(facts.memory.max)}, memory.high ${size(facts.memory.high)}`;
    const leaves = facts.delegated ? 'rounds get leaves of their own' : 'not delegated, so rounds get no leaves of their own';
    return [
      {
        status: facts.delegated ? 'ok' : 'info',
        summary: `${facts.version}, ${facts.path ?? 'no version 2 path'}: ${leaves}; ${memory}`,
        ...(facts.delegated || facts.version === 'v1' ? {} : { remedy: "A unit made by 'agent-runner install' has Delegate=yes." }),
        facts: { ...facts },
      },
    ];
  },
};

function size(bytes: number | null): string {
  return bytes === null ? 'unbounded' : `${Math.round(bytes / 1024 ** 2)} MB`;
}
