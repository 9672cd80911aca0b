import type { Mark } from '../process/proc.ts';
import { isAlive, type ProcessEntry } from '../process/stat.ts';
import type { ProcessTable } from './process-table.ts';
import type { ProcessIdentity } from './types.ts';

/** What tells a process of this run from the rest of the machine. */
export interface Kinship {
  leader: ProcessIdentity | null;
  /** pid -> start time of everyone who was once found to belong. */
  known: ReadonlyMap<number, number>;
  /**
   * Whether the leader's pid, as a group or session number, can only be ours. 'if_proven': its leader may be long dead and the number
   * used again, so one of its processes must be the leader or carry the mark.
   */
  group: 'ours' | 'if_proven' | 'gone';
  /** Pids that the kernel lists in the run's own control group; also of those that hide from everything else. */
  inLeaf?: ReadonlySet<number>;
  ownPid: number;
}

/**
 * Everyone alive in `entries` who belongs to the run: the leader, its group and session, those found before, those in its control group,
 * those that `isMarked`, and the descendants of all these. Never this process, what hangs below it only, or pid 1.
 */
export function findMembers(
  entries: readonly ProcessEntry[],
  kinship: Kinship,
  isMarked: (entry: ProcessEntry) => boolean,
): ProcessEntry[] {
  const candidates = entries.filter((entry) => isAlive(entry) && entry.pid > 1 && entry.pid !== kinship.ownPid);
  const marked = new Set(candidates.filter((entry) => !isKnown(entry, kinship) && isMarked(entry)));
  const inGroup = groupIsOurs(candidates, kinship, marked) ? (entry: ProcessEntry) => isInGroup(entry, kinship.leader) : () => false;
  const inLeaf = (entry: ProcessEntry) => kinship.inLeaf?.has(entry.pid) ?? false;
  const members = new Set(candidates.filter((entry) => isKnown(entry, kinship) || marked.has(entry) || inGroup(entry) || inLeaf(entry)));

  const children = new Map<number, ProcessEntry[]>();
  for (const entry of candidates) children.set(entry.ppid, [...(children.get(entry.ppid) ?? []), entry]);
  // A set that grows is iterated to its new end: children of children come along.
  for (const member of members) for (const child of children.get(member.pid) ?? []) members.add(child);
  return [...members];
}

function isKnown(entry: ProcessEntry, { leader, known }: Kinship): boolean {
  return known.get(entry.pid) === entry.startTicks || isSame(entry, leader);
}

function isInGroup(entry: ProcessEntry, leader: ProcessIdentity | null): boolean {
  return leader !== null && (entry.pgid === leader.pid || entry.sid === leader.pid);
}

function isSame(entry: ProcessEntry, identity: ProcessIdentity | null): boolean {
  return identity !== null && entry.pid === identity.pid && entry.startTicks === identity.startTicks;
}

/**
 * The kernel gives no pid to a new process while it is still some group's or session's number. So a stranger at the leader's pid means
 * that our group had ended before.
 */
function groupIsOurs(candidates: readonly ProcessEntry[], { leader, group }: Kinship, marked: ReadonlySet<ProcessEntry>): boolean {
  if (leader === null || group === 'gone') return false;
  if (candidates.some((entry) => entry.pid === leader.pid && !isSame(entry, leader))) return false;
  if (group === 'ours') return true;
  return candidates.some((entry) => isInGroup(entry, leader) && (isSame(entry, leader) || marked.has(entry)));
}

/** Counts the members of one run, again and again; who was found once stays known, wherever it moves. */
export interface Census {
  leader: ProcessIdentity | null;
  /** One full look at the process table. */
  take(): Promise<ProcessEntry[]>;
  /** Whether a signal to this whole group would reach members only. From the last look. */
  isGroupOfMembers(pgid: number): boolean;
  /** The leader and, in a PID namespace, those between it and the agent proper with the agent: their presence is no company. From the last look. */
  isMain(entry: ProcessEntry): boolean;
}

/** A process inside execve has an empty environment for some microseconds; then it is looked at again. */
const EXEC_WINDOW_MS = 3;

export interface CensusOptions {
  leader: ProcessIdentity | null;
  mark: Mark;
  /** Environments of processes that started before this are not read: they cannot be of this run. */
  startedAfterTicks: number;
  group: 'ours' | 'if_proven';
  /** Members that an earlier look had found. */
  known?: readonly ProcessIdentity[];
  /** Who the kernel says is in the run's control group now. */
  leafPids?: () => readonly number[];
  /** The leader is what made the run's PID namespace, not the agent. */
  namespaced?: boolean;
  table: ProcessTable;
  sleep: (ms: number) => Promise<void>;
}

export function createCensus(options: CensusOptions): Census {
  const { leader, mark, startedAfterTicks, group, known: before = [], leafPids, namespaced = false, table, sleep } = options;
  const known = new Map<number, number>(before.map(({ pid, startTicks }) => [pid, startTicks]));
  let trust: Kinship['group'] = group;
  let entries: ProcessEntry[] = [];
  let members: ProcessEntry[] = [];

  /** True when a second look may find more. */
  function look(): boolean {
    let blank = false;
    // After the table: a pid that meanwhile was given away again has the wrong start time, and is not signalled.
    const inLeaf = new Set(leafPids?.());
    members = findMembers(entries, { leader, known, group: trust, inLeaf, ownPid: table.ownPid }, (entry) => {
      if (entry.startTicks < startedAfterTicks) return false;
      const answer = table.carriesMark(entry.pid, mark);
      blank ||= answer === 'blank' && !isKernelThread(entry);
      return answer === 'yes';
    });
    for (const { pid } of entries) inLeaf.delete(pid);
    return blank || inLeaf.size > 0;
  }

  return {
    leader,
    async take() {
      entries = await table.list();
      if (look()) {
        await sleep(EXEC_WINDOW_MS);
        entries = await table.list();
        look();
      }
      for (const [pid, startTicks] of known) if (!table.isLiving({ pid, startTicks })) known.delete(pid);
      for (const member of members) known.set(member.pid, member.startTicks);
      // Nobody can join a group or session that has become empty: from here on the number may be given to a stranger.
      if (trust === 'ours' && !entries.some((entry) => isInGroup(entry, leader))) trust = 'gone';
      return members;
    },
    isGroupOfMembers(pgid) {
      const own = entries.find((entry) => entry.pid === table.ownPid)?.pgid;
      if (pgid <= 1 || pgid === own) return false;
      const ids = new Set(members.map((member) => member.pid));
      return entries.every((entry) => entry.pgid !== pgid || !isAlive(entry) || ids.has(entry.pid));
    },
    isMain: (entry) => leader !== null && (entry.pid === leader.pid || (namespaced && mainsIn(members, leader.pid).includes(entry.pid))),
  };
}

/**
 * The first process of the namespace and the agent, which is its first child. Orphans become children of that first process too, and
 * have started later; when the agent ends, so does everything.
 */
export function mainsIn(members: readonly ProcessEntry[], leaderPid: number): number[] {
  const firstChildOf = (parent: number | undefined) =>
    members.filter(({ ppid }) => ppid === parent).sort((a, b) => a.startTicks - b.startTicks || a.pid - b.pid)[0]?.pid;
  const init = firstChildOf(leaderPid);
  const agent = init === undefined ? undefined : firstChildOf(init);
  return [init, agent].filter((pid) => pid !== undefined);
}

const KTHREADD = 2;

function isKernelThread(entry: ProcessEntry): boolean {
  return entry.pid === KTHREADD || entry.ppid === KTHREADD;
}
