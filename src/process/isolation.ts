import { randomUUID } from 'node:crypto';
import { systemClock } from '../util/clock.ts';
import { type CgroupFacts, cgroupFacts } from './cgroup.ts';
import { type Leaf, makeSubLeaf, type RoundLeaves, roundLeaf } from './cgroup-leaf.ts';
import { runCommand } from './command.ts';
import { pidNamespaces } from './pid-namespace.ts';

/** What this host gives for keeping an agent's processes together, in words for people and for `doctor --json`. */
export interface IsolationFacts {
  leaf: LeafFacts;
  pid_namespace: { available: boolean; as_user: boolean; reason: string | null };
}

export interface LeafFacts {
  /** Rounds can have control groups of their own. */
  available: boolean;
  /** Why not, or what is missing. */
  reason: string | null;
  /** They can be killed as one (`cgroup.kill`, Linux 5.14). */
  kill: boolean;
  /** They can be given a bound on memory. */
  memory: boolean;
  /** Where they are made. */
  folder: string | null;
}

/**
 * For `doctor`: looked at from where it runs, which may be another control group than that of the service. Tries both for real, in less
 * than 50 ms, and leaves nothing behind.
 */
export async function isolationFacts(): Promise<IsolationFacts> {
  const facts = cgroupFacts();
  const [leaf, namespace] = await Promise.all([
    facts.folder !== null && facts.delegated
      ? tryLeaf({ folder: facts.folder, controllers: facts.controllers, exclusive: false })
      : noLeaf(facts),
    pidNamespaces(),
  ]);
  return {
    leaf,
    pid_namespace: {
      available: namespace.available,
      as_user: namespace.available && namespace.asUser,
      reason: namespace.available ? null : namespace.reason,
    },
  };
}

export interface PreparedLeaves {
  /** Null when rounds must go without. */
  leaves: RoundLeaves | null;
  facts: LeafFacts;
}

/** For a supervisor at its start, before it starts anything else: takes itself out of the way and tries a leaf. */
export async function prepareLeaves(facts: CgroupFacts = cgroupFacts()): Promise<PreparedLeaves> {
  const leaves = makeSubLeaf(facts);
  if (typeof leaves === 'string') return { leaves: null, facts: { ...noLeaf(facts), reason: leaves } };
  const tried = await tryLeaf(leaves);
  return { leaves: tried.available ? leaves : null, facts: tried };
}

function noLeaf({ version }: CgroupFacts): LeafFacts {
  const reason = version === 'v1' || version === 'none' ? 'no cgroup v2 here' : 'not delegated';
  return { available: false, reason, kill: false, memory: false, folder: null };
}

const JOIN_AND_WAIT = 'echo $$ > "$1" && exec sleep 10';
const PROBE_TIMEOUT_MS = 2_000;
const LOOK_EVERY_MS = 2;

/** Makes a leaf, lets a process join it, kills it as one. Permissions alone do not tell: the kernel refuses joins for reasons of its own. */
async function tryLeaf(leaves: RoundLeaves): Promise<LeafFacts> {
  const facts = { available: false, kill: false, memory: leaves.controllers.includes('memory'), folder: leaves.folder };
  const leaf = roundLeaf(leaves, `probe-${randomUUID()}`);
  if (leaf === null) return { ...facts, reason: `no cgroup can be made in ${leaves.folder}` };
  try {
    const { joined, killed } = await joinAndKill(leaf);
    if (!joined) return { ...facts, reason: `a process cannot join a cgroup in ${leaves.folder}` };
    return { ...facts, available: true, kill: killed, reason: killed ? null : 'this kernel has no cgroup.kill (Linux 5.14)' };
  } finally {
    leaf.remove();
  }
}

async function joinAndKill(leaf: Leaf): Promise<{ joined: boolean; killed: boolean }> {
  const giveUp = new AbortController();
  let ended = false;
  const options = { timeoutMs: PROBE_TIMEOUT_MS, killAfterMs: 0, signal: giveUp.signal };
  const command = runCommand(['/bin/sh', '-c', JOIN_AND_WAIT, 'sh', leaf.procs], options).then(() => {
    ended = true;
  });
  while (!ended && leaf.members().length === 0) await systemClock.sleep(LOOK_EVERY_MS);
  const joined = leaf.members().length > 0;
  const killed = joined && leaf.kill();
  if (!killed) giveUp.abort();
  await command;
  return { joined, killed };
}
