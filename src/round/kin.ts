import { listProcesses } from '../process/proc.ts';
import { findMembers } from '../run/members.ts';
import type { ProcessIdentity } from '../run/types.ts';

/** Who belongs to the run of this leader, by kinship alone. Escapees without their parent are not looked for: that costs a read per process. */
export async function kinPids(leader: ProcessIdentity): Promise<number[]> {
  const kinship = { leader, known: new Map<number, number>(), group: 'ours', ownPid: process.pid } as const;
  return findMembers(await listProcesses(), kinship, () => false).map(({ pid }) => pid);
}
