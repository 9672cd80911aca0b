import type { GroupAccount } from '../host/memory/account.ts';
import type { RunReport } from '../run/types.ts';

/** As a shell or a PID namespace tells SIGKILL. */
const KILLED_EXIT = 137;

/**
 * 137 alone can be anybody's SIGKILL, and a record alone can be of a child that the agent survived, or of a neighbour in the group that the
 * round shares (`account`): it takes both. Pure.
 */
export function killedByKernel(
  { end, exitCode, signal, leafMemory }: Pick<RunReport, 'end' | 'exitCode' | 'signal' | 'leafMemory'>,
  account: GroupAccount | null,
): boolean {
  const records = leafMemory?.oomKills ?? account?.oomKills ?? 0;
  return end === 'exit' && (signal === 'SIGKILL' || exitCode === KILLED_EXIT) && records > 0;
}
