import type { Leaf } from '../process/cgroup-leaf.ts';
import type { Mark } from '../process/proc.ts';
import type { Clock } from '../util/clock.ts';
import { systemClock } from '../util/clock.ts';
import { endMembers } from './ladder.ts';
import { withoutLeaf } from './leaf.ts';
import { createCensus } from './members.ts';
import { hostProcesses, type ProcessTable } from './process-table.ts';
import type { ProcessIdentity, Receipt } from './types.ts';

export interface ReapOptions {
  mark: Mark;
  /** The leader as it was written down; null (or start time 0) when the supervisor died before it could: then the mark alone decides. */
  identity?: ProcessIdentity | null;
  /** Processes of the run that could not be ended before: their environment may be closed to us, as that of another user's is. */
  known?: readonly ProcessIdentity[];
  /** The run's control group. It goes when nobody lives in it. */
  leaf?: Leaf | undefined;
  /** Environments of processes that started earlier are not read; the leader's start time where known, else 0. */
  startedAfterTicks?: number;
  /** From SIGTERM to SIGKILL. */
  graceMs: number;
  /** As in a run's specification. */
  endOtherwise?: () => Promise<void>;
  clock?: Clock;
  table?: ProcessTable;
}

/**
 * Ends whatever lives of a run whose supervisor is dead. The identity must be of this boot and this pid namespace: the caller compares
 * `bootId()` and `pidNamespace()` with what was written down and passes null otherwise. Everything that carries the mark is ended;
 * the leader only with its start time; its group and session only while the leader lives or one of them carries the mark.
 */
export async function reapMembers(options: ReapOptions): Promise<Receipt> {
  const { mark, graceMs, leaf, endOtherwise, clock = systemClock, table = hostProcesses } = options;
  const leader = options.identity && options.identity.startTicks > 0 ? options.identity : null;
  const census = createCensus({
    leader,
    mark,
    startedAfterTicks: options.startedAfterTicks ?? leader?.startTicks ?? 0,
    group: 'if_proven',
    known: options.known ?? [],
    ...(leaf ? { leafPids: leaf.members } : {}),
    table,
    sleep: (ms) => clock.sleep(ms),
  });
  const receipt = await endMembers({
    census,
    table,
    clock,
    leaveMs: 0,
    firstSignal: 'SIGTERM',
    graceMs,
    endOtherwise,
    isHelper: () => false,
    leaf,
  });
  return leaf ? withoutLeaf(receipt, leaf, clock) : receipt;
}
