import type { Leaf } from '../process/cgroup-leaf.ts';
import type { ProcessEntry } from '../process/stat.ts';
import type { Clock } from '../util/clock.ts';
import type { Census } from './members.ts';
import type { ProcessTable } from './process-table.ts';
import { openReceipt } from './receipt.ts';
import type { Receipt } from './types.ts';

export interface LadderOptions {
  census: Census;
  table: ProcessTable;
  clock: Clock;
  /** How long members may take to leave by themselves before anybody is signalled: helpers after a clean exit. 0 = signal at once. */
  leaveMs: number;
  firstSignal: NodeJS.Signals;
  /** From the first signal to SIGKILL. */
  graceMs: number;
  /** Whose end is no lost work. */
  isHelper: (member: ProcessEntry) => boolean;
  /** The run's control group: killed as one, where the kernel can, so that nobody forks away from a signal. */
  leaf?: Pick<Leaf, 'folder' | 'members' | 'kill'> | undefined;
  /** Ends by other means those who take no signal of ours (another user's); asked once, within the grace. Never rejects. */
  endOtherwise?: (() => Promise<void>) | undefined;
  /** Aborting ends the grace at once: the machine runs out of memory. */
  hurry?: AbortSignal | undefined;
}

/** How often known members are looked at while they are waited for: one small file each, not the whole table. Most end at once. */
const FIRST_CHECK_MS = 5;
const LONGEST_CHECK_MS = 50;
/** After this much killing the rest is called survivors: a process in uninterruptible sleep may stay for ever. */
const KILL_WITHIN_MS = 10_000;
/** Between "nobody found" and the second look that confirms it. */
const CONFIRM_MS = 5;
/** Who was ended by other means is given this long to be seen gone. */
const AFTER_OTHERWISE_MS = 500;
const FIRST_KILL_PAUSE_MS = 5;
const LONGEST_KILL_PAUSE_MS = 500;

/**
 * Brings everyone of a run to an end: leave, first signal, SIGTERM, SIGKILL, until a look at the whole process table finds nobody.
 * Takes no AbortSignal on purpose: a second request to stop must not skip the SIGKILL. The table is read in full only at the start,
 * when all known members are gone, and while killing.
 */
export async function endMembers(options: LadderOptions): Promise<Receipt> {
  const { census, table, clock, graceMs, leaf, hurry } = options;
  const receipt = openReceipt(census.leader, options.isHelper, leaf?.folder ?? null);
  const begun = clock.monotonic();
  const look = async () => receipt.saw(await census.take());

  const leaveEnds = begun + options.leaveMs;
  let alive = await look();
  while (alive.length > 0 && clock.monotonic() < leaveEnds) {
    await gone(alive, leaveEnds);
    alive = await look();
  }
  let anybodySignalled = false;
  const send = (members: readonly ProcessEntry[], signal: NodeJS.Signals) => {
    const reached = signalMembers(members, signal, options);
    for (const member of reached) receipt.signalled(member);
    anybodySignalled ||= members.length > 0;
    return members.every((member) => reached.includes(member) || !table.isLiving(member));
  };

  let graceEnds = clock.monotonic() + graceMs;
  let { endOtherwise } = options;
  let signal = options.firstSignal;
  let told = new Set<string>();
  while (alive.length > 0 && clock.monotonic() < graceEnds && !hurry?.aborted) {
    const fresh = alive.filter((member) => !told.has(identityKey(member)));
    const everybodyReached = send(fresh, signal);
    for (const member of fresh) told.add(identityKey(member));
    if (!everybodyReached && endOtherwise) {
      await endOtherwise();
      endOtherwise = undefined;
      graceEnds = Math.max(graceEnds, clock.monotonic() + AFTER_OTHERWISE_MS);
    }
    // A CLI's own stop signal is for its leader to act upon; when that is gone, whoever is left gets a plain SIGTERM.
    const isLeaderGone = () => signal !== 'SIGTERM' && !alive.some(isLivingLeader);
    await gone(alive, graceEnds, () => isLeaderGone() || hurry?.aborted === true);
    if (isLeaderGone()) {
      signal = 'SIGTERM';
      told = new Set();
    }
    alive = await look();
  }

  const killEnds = clock.monotonic() + KILL_WITHIN_MS;
  let pause = FIRST_KILL_PAUSE_MS;
  while (clock.monotonic() < killEnds) {
    if (alive.length === 0) {
      // A process that forked during the look may have been missed together with its child.
      if (!anybodySignalled) break;
      await clock.sleep(CONFIRM_MS);
      alive = await look();
      if (alive.length === 0) break;
    }
    killLeaf();
    send(alive, 'SIGKILL');
    await gone(alive, Math.min(killEnds, clock.monotonic() + pause));
    pause = Math.min(2 * pause, LONGEST_KILL_PAUSE_MS);
    alive = await look();
  }
  return receipt.close(alive, clock.monotonic() - begun);

  function killLeaf(): void {
    const pids = leaf?.members() ?? [];
    if (pids.length > 0 && leaf?.kill()) receipt.leafKilled(pids);
  }

  function isLivingLeader(member: ProcessEntry): boolean {
    return member.pid === census.leader?.pid && table.isLiving(member);
  }

  /** Until none of them lives, or something else makes the waiting pointless. */
  async function gone(members: readonly ProcessEntry[], until: number, orElse = () => false): Promise<void> {
    let waiting = members.filter((member) => table.isLiving(member));
    let pause = FIRST_CHECK_MS;
    while (waiting.length > 0 && !orElse()) {
      const left = until - clock.monotonic();
      if (left <= 0) return;
      await clock.sleep(Math.min(pause, left));
      pause = Math.min(2 * pause, LONGEST_CHECK_MS);
      waiting = waiting.filter((member) => table.isLiving(member));
    }
  }
}

/**
 * Signals each member with its whole group when that group holds members only, else alone. Each is looked at once more just before:
 * never a pid that has become somebody else's. Gives back who got it.
 */
function signalMembers(members: readonly ProcessEntry[], signal: NodeJS.Signals, { census, table }: LadderOptions): ProcessEntry[] {
  const reachedGroups = new Set<number>();
  const reached = members.filter((member) => {
    if (reachedGroups.has(member.pgid)) return true;
    if (!table.isLiving(member)) return false;
    const asGroup = census.isGroupOfMembers(member.pgid);
    const delivered = table.signal(asGroup ? -member.pgid : member.pid, signal);
    if (delivered && asGroup) reachedGroups.add(member.pgid);
    return delivered;
  });
  // A stopped process acts on nothing but SIGKILL until it is continued.
  const stopped = reached.filter((member) => member.state === 'T' && signal !== 'SIGKILL' && table.isLiving(member));
  for (const member of stopped) table.signal(member.pid, 'SIGCONT');
  return reached;
}

function identityKey(member: ProcessEntry): string {
  return `${member.pid}:${member.startTicks}`;
}
