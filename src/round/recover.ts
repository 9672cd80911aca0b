import type { Emit } from '../events/emit.ts';
import { isLeafOf, leafAt } from '../process/cgroup-leaf.ts';
import { bootId, pidNamespace } from '../process/proc.ts';
import { reapMembers } from '../run/recover.ts';
import type { NamedProcess } from '../run/types.ts';
import { tryWriteJson } from '../state/atomic.ts';
import { clearInFlight, readInFlight } from '../state/in-flight.ts';
import type { Layout } from '../state/layout.ts';
import { plausible } from '../state/round-number.ts';
import { asStatus, readState } from '../state/serve-state.ts';
import type { Clock } from '../util/clock.ts';
import { endRecorded, type RecordedEnd } from './container-record.ts';
import { ROUND_MARK } from './environment.ts';

/** Between TERM and KILL for the round of a dead supervisor: its agent had no chance to end in order anyway. */
const RECOVERY_GRACE_MS = 5_000;

export interface Recovery {
  /** The record's round, or null when nothing was in flight. */
  roundNum: number | null;
  /** The digest of the configuration that the interrupted round had started with. */
  configDigest: string | null;
  survivors: NamedProcess[];
}

/**
 * Ends whatever lives of a round whose supervisor died, found by its in-flight record. The caller holds the round lock, so nobody else
 * supervises it. A record of another boot has no processes left; one of another pid namespace is judged by the lock alone: its pids
 * mean nothing here. A container is its engine's and is ended in any case. The record goes when nobody survived.
 */
export async function recoverInFlight(paths: Layout, emit: Emit, clock: Clock): Promise<Recovery> {
  const record = readInFlight(paths, (found) => emit('state_file_set_aside', found));
  if (record === null) return { roundNum: null, configDigest: null, survivors: [] };

  const sameBoot = record.boot_id === undefined || record.boot_id === bootId();
  const sameNamespace = record.pid_ns === undefined || record.pid_ns === pidNamespace();
  // A client that got our TERM has relayed it; for one that takes none from us the container is ended while we wait for the client.
  const endContainer = (usedMs: number) => endRecorded(record, { graceS: Math.max(0, RECOVERY_GRACE_MS - usedMs) / 1000, sameBoot, clock });
  let ended: RecordedEnd | null = null;
  const receipt =
    sameBoot && sameNamespace
      ? await reapMembers({
          mark: { name: ROUND_MARK, value: record.token, ownNamespaceOnly: record.container !== null },
          identity: record.pid === undefined ? null : { pid: record.pid, startTicks: record.start_ticks ?? 0 },
          known: (record.survivors ?? []).map(({ pid, start_ticks: startTicks }) => ({ pid, startTicks })),
          // An agent may have written another's group there: only one that was made for this very round is touched.
          leaf: record.leaf !== undefined && isLeafOf(record.leaf, record.round_id) ? leafAt(record.leaf) : undefined,
          graceMs: RECOVERY_GRACE_MS,
          async endOtherwise() {
            ended = await endContainer(0);
          },
        })
      : null;
  const container = ended ?? (await endContainer(receipt !== null && receipt.signalled.length > 0 ? receipt.durationMs : 0));
  const survivors = [...(receipt?.survivors ?? []), ...(container.survivor === null ? [] : [container.survivor])];
  keepNumber(paths, record.round_num);
  if (survivors.length === 0) clearInFlight(paths);
  emit('round_recovered', {
    round_num: record.round_num,
    round_id: record.round_id,
    reaped: receipt?.members ?? [],
    container_id: container.containerId,
  });
  return { roundNum: record.round_num, configDigest: record.config_digest ?? null, survivors };
}

/** A supervisor that was killed before it wrote the status had used the number all the same: events tell of it from now on. */
function keepNumber(paths: Layout, roundNum: number): void {
  const status = readState(paths.status, asStatus);
  if (plausible(roundNum) > (status?.round_num ?? 0)) tryWriteJson(paths.status, { ...status, round_num: roundNum, running: false });
}
