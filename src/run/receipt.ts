import type { ProcessEntry } from '../process/stat.ts';
import type { NamedProcess, ProcessIdentity, Receipt } from './types.ts';

/** Writes down who was seen and who was signalled while a run is brought to its end. */
export interface ReceiptBook {
  /** Notes these members and gives them back. */
  saw(members: ProcessEntry[]): ProcessEntry[];
  signalled(member: ProcessEntry): void;
  /** The control group was killed as one, with these in it. */
  leafKilled(pids: readonly number[]): void;
  close(survivors: readonly ProcessEntry[], durationMs: number): Receipt;
}

/**
 * `isHelper` is asked once per process, before its first signal: afterwards its command line may be gone. `leafFolder`: the
 * run's own control group.
 */
export function openReceipt(
  leader: ProcessIdentity | null,
  isHelper: (member: ProcessEntry) => boolean,
  leafFolder: string | null,
): ReceiptBook {
  const seen = new Map<string, { entry: ProcessEntry; escaped: boolean; signalled: boolean; helper: boolean }>();
  let leafWasKilled = false;
  const keyOf = (entry: ProcessEntry) => `${entry.pid}:${entry.startTicks}`;

  return {
    saw(members) {
      for (const entry of members) {
        const before = seen.get(keyOf(entry));
        const escaped = (before?.escaped ?? false) || (leader !== null && entry.pgid !== leader.pid);
        // The latest name: a child that was seen between fork and exec had its parent's.
        seen.set(keyOf(entry), { entry, escaped, signalled: before?.signalled ?? false, helper: before?.helper ?? isHelper(entry) });
      }
      return members;
    },
    signalled(member) {
      const line = seen.get(keyOf(member));
      if (line) line.signalled = true;
    },
    leafKilled(pids) {
      leafWasKilled = true;
      for (const line of seen.values()) if (pids.includes(line.entry.pid)) line.signalled = true;
    },
    close(survivors, durationMs) {
      const lines = [...seen.values()];
      const isLeader = (entry: ProcessEntry) => entry.pid === leader?.pid;
      return {
        members: lines.map((line) => named(line.entry)),
        escaped: lines.filter((line) => line.escaped).map((line) => named(line.entry)),
        signalled: lines.filter((line) => line.signalled).map((line) => named(line.entry)),
        leftovers: lines.filter((line) => line.signalled && !line.helper && !isLeader(line.entry)).map((line) => named(line.entry)),
        survivors: survivors.map(named),
        survivorIdentities: survivors.map(({ pid, startTicks }) => ({ pid, startTicks })),
        containerId: null,
        leaf: leafFolder === null ? null : { folder: leafFolder, killed: leafWasKilled, removed: false },
        durationMs,
      };
    },
  };
}

export const EMPTY_RECEIPT: Receipt = {
  members: [],
  escaped: [],
  signalled: [],
  leftovers: [],
  survivors: [],
  survivorIdentities: [],
  containerId: null,
  leaf: null,
  durationMs: 0,
};

export function named(entry: ProcessEntry): NamedProcess {
  return { pid: entry.pid, name: entry.comm };
}
