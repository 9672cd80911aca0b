import { closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf } from '../util/errors.ts';
import { type CgroupFacts, SUPERVISOR_LEAF } from './cgroup.ts';

/** What a round may be given below the delegated cgroup, in this order. */
const WANTED = ['memory', 'pids'] as const;

/** The delegated cgroup with the supervisor out of the way: rounds can have leaves in it. */
export interface RoundLeaves {
  folder: string;
  /** Controllers that leaves have: `memory` is there or not. */
  controllers: string[];
  /** Nobody else has leaves here; false at the root of a tree. */
  exclusive: boolean;
}

/**
 * Moves this process into a sub-leaf of its own delegated cgroup and hands the controllers on to what is made beside it: a cgroup that has
 * both processes and controllers for its children is refused by the kernel (EBUSY). At the root of a tree it stays where it is: others may
 * be there too. A string says why it was not possible.
 */
export function makeSubLeaf(facts: CgroupFacts, pid: number = process.pid): RoundLeaves | string {
  if (facts.folder === null || !facts.delegated)
    return facts.version === 'v1' || facts.version === 'none' ? 'no cgroup v2 here' : 'not delegated';
  const problem = facts.path === '/' ? null : moveTo(join(facts.folder, SUPERVISOR_LEAF), pid);
  if (problem !== null) return problem;
  const given = WANTED.filter((name) => facts.controllers.includes(name) && giveDown(facts.folder as string, name));
  return { folder: facts.folder, controllers: given, exclusive: facts.path !== '/' };
}

function moveTo(leaf: string, pid: number): string | null {
  try {
    mkdirIfMissing(leaf);
    writeFileSync(join(leaf, 'cgroup.procs'), String(pid), { flag: 'r+' });
    return null;
  } catch (error) {
    return `this process cannot be moved to ${leaf}: ${errnoOf(error) ?? error}`;
  }
}

/** One by one: a controller that is refused must not cost the other. */
function giveDown(folder: string, controller: string): boolean {
  // EBUSY: somebody else's process is in the cgroup itself. Leaves can be made and killed all the same.
  return write(join(folder, 'cgroup.subtree_control'), `+${controller}`);
}

export interface LeafMemory {
  /** Most bytes at once; null where the kernel does not tell (before 5.19, or no memory controller). */
  peak: number | null;
  /** The same in swap; null before 6.5. */
  swapPeak: number | null;
  /** How often `memory.high` was passed, and how often `memory.max` was about to be. */
  high: number;
  max: number;
  /** Processes of the leaf that the kernel's OOM killer has ended. */
  oomKills: number;
  /** How often a leaf's bound was hit. */
  oom: number;
}

/** The cgroup of one round. */
export interface Leaf {
  folder: string;
  /** A process joins by writing its own pid here, before exec: one that is moved later leaves its first children behind. */
  procs: string;
  /** Pids in it and below. Zombies are not listed. */
  members(): number[];
  /** SIGKILL to everybody in it and below, at once and without a race with fork. False where the kernel has no cgroup.kill (before 5.14). */
  kill(): boolean;
  memory(): LeafMemory | null;
  /** Bounds the memory of all of it; false where that is not possible. Killed as one: half a process tree helps nobody. */
  limitMemory(bytes: number): boolean;
  /** Bytes in use now; null without a memory controller. */
  current(): number | null;
  /** What stands in memory.high (`max`, or bytes); null without a memory controller. */
  high(): string | null;
  /** Writes memory.high: above it the kernel reclaims and slows down, and kills nobody. Null when it was taken, else the errno. */
  setHigh(token: string): string | null;
  /** True when it is gone; false while somebody lives in it. */
  remove(): boolean;
}

const ROUND_PREFIX = 'round-';

/** Where the leaf of a round is or will be: written down before it is made. */
export function leafFolder(leaves: Pick<RoundLeaves, 'folder'>, roundId: string): string {
  return join(leaves.folder, leafName(roundId));
}

/** True for the leaf of this round alone: what was written down may have been changed by anybody who can write there. */
export function isLeafOf(folder: string, roundId: string): boolean {
  return basename(folder) === leafName(roundId);
}

function leafName(roundId: string): string {
  return `${ROUND_PREFIX}${roundId.replace(/[^\w-]/g, '_')}`;
}

/** Makes (or finds) the leaf of a round. Null when it cannot be made. */
export function roundLeaf(leaves: RoundLeaves, roundId: string): Leaf | null {
  return makeLeaf(leafFolder(leaves, roundId));
}

/** Makes (or finds) a leaf. Null when it cannot be made. */
export function makeLeaf(folder: string): Leaf | null {
  try {
    mkdirIfMissing(folder);
  } catch {
    return null;
  }
  return leafAt(folder);
}

/** A leaf that is there: of a round whose supervisor died, for instance. */
export function leafAt(folder: string): Leaf {
  const file = (name: string) => join(folder, name);
  return {
    folder,
    procs: file('cgroup.procs'),
    members: () => membersOf(folder),
    kill: () => write(file('cgroup.kill'), '1'),
    memory() {
      const events = read(file('memory.events'));
      if (events === null) return null;
      return {
        peak: numberIn(file('memory.peak')),
        swapPeak: numberIn(file('memory.swap.peak')),
        high: fieldOf(events, 'high'),
        max: fieldOf(events, 'max'),
        oom: fieldOf(events, 'oom'),
        oomKills: fieldOf(events, 'oom_kill'),
      };
    },
    limitMemory(limit) {
      if (!write(file('memory.max'), String(limit))) return false;
      write(file('memory.swap.max'), '0');
      write(file('memory.oom.group'), '1');
      return true;
    },
    current: () => numberIn(file('memory.current')),
    high: () => read(file('memory.high'))?.trim() ?? null,
    setHigh: (token) => tryWrite(file('memory.high'), token),
    remove() {
      for (const child of childrenOf(folder)) leafAt(child).remove();
      try {
        rmdirSync(folder);
        return true;
      } catch (error) {
        return errnoOf(error) === 'ENOENT';
      }
    },
  };
}

/** Ends and removes what a dead supervisor has left in our own cgroup; how many leaves that were. Call it under the lock, before the first round. */
export function sweepLeaves({ folder, exclusive }: RoundLeaves): number {
  if (!exclusive) return 0;
  const left = childrenOf(folder).filter((child) => child.includes(`/${ROUND_PREFIX}`));
  for (const leaf of left.map(leafAt)) {
    leaf.kill();
    leaf.remove();
  }
  return left.length;
}

function membersOf(folder: string): number[] {
  const own = (read(join(folder, 'cgroup.procs')) ?? '').split('\n').filter(Boolean).map(Number);
  return [...own, ...childrenOf(folder).flatMap(membersOf)];
}

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

function mkdirIfMissing(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

function numberIn(path: string): number | null {
  const value = Number(read(path) ?? Number.NaN);
  return Number.isFinite(value) ? value : null;
}

/** One value of a flat file (`oom_kill 3`); 0 when it is not there. */
function fieldOf(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Only into files that the kernel has made: a cgroup takes no new ones, but a stale path might lie elsewhere. For writing alone:
 * cgroup.kill may not be read, not even by its owner, and only root would get it for both.
 */
function write(path: string, text: string): boolean {
  return tryWrite(path, text) === null;
}

/** Null, or the errno. */
function tryWrite(path: string, text: string): string | null {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_WRONLY);
    writeSync(file, text);
    return null;
  } catch (error) {
    return errnoOf(error) ?? 'unknown';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
