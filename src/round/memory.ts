import type { Config } from '../config/schema.ts';
import { detectContainer } from '../container/detect.ts';
import type { Emit } from '../events/emit.ts';
import { type GroupAccount, openAccount } from '../host/memory/account.ts';
import { groupMemory } from '../host/memory/bounds.ts';
import { type Brake, openBrake } from '../host/memory/brake.ts';
import { defersToKernel } from '../host/memory/defer.ts';
import { hostMemory } from '../host/memory/sample.ts';
import { type MemoryEnd, type MemoryWatch, watchMemory } from '../host/memory/watch.ts';
import { cgroupFacts } from '../process/cgroup.ts';
import { leafAt } from '../process/cgroup-leaf.ts';
import { offerToOomKiller } from '../process/oom-score.ts';
import type { ProcessIdentity } from '../run/types.ts';
import { agentArgv } from './argv.ts';
import { kinPids } from './kin.ts';
import type { OpenRound } from './open.ts';
import type { RoundRequest, RoundWorld } from './types.ts';

export interface MemoryReport {
  /** Why the floor ended the round; null when it did not. */
  end: MemoryEnd | null;
  /** Of the control group that the round shared with us; null when it had one of its own, or none is told. */
  account: GroupAccount | null;
}

export interface MemoryGuard {
  /** Aborts with 'memory'. */
  stop: AbortSignal;
  hurry: AbortSignal;
  /** To be called when the agent exists. */
  spawned(identity: ProcessIdentity): void;
  close(): Promise<MemoryReport>;
}

type HostHealth = Config['monitor']['host_health'];

/** The floor under a round: ends it when the machine runs out of memory. Whether the kernel decides instead is found anew for each round. */
export function guardMemory({ emit, clock }: RoundWorld, { loaded }: RoundRequest, open: OpenRound): MemoryGuard {
  const { host_health: limits } = loaded.config.monitor;
  const { work_dir: workDir } = loaded.config.runtime;
  const inContainer = detectContainer(agentArgv(open.profile.agent, '', workDir)) !== null;
  const facts = cgroupFacts();
  const group = groupMemory(facts);
  const { hostTotal, hostSwap } = hostMemory();
  const tight = group.bound !== null && hostTotal !== null && group.bound.max < hostTotal ? group.bound : null;
  const hasLeaf = open.leaf?.controllers.includes('memory') === true && !inContainer;
  const shared = facts.memory === null ? null : (group.bound?.folder ?? facts.folder);
  const meter = hasLeaf || inContainer || shared === null ? null : openAccount(shared);

  const [stop, hurry] = [new AbortController(), new AbortController()];
  let watch: MemoryWatch | null = null;
  let leader: ProcessIdentity | null = null;
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    spawned(identity) {
      leader = identity;
      // A container's processes are the engine's to rank, and rootless engines cannot take it back for them.
      if (!inContainer) offerToOomKiller(identity.pid);
      if (watch !== null) return;
      watch = watchMemory({
        limits,
        rules: {
          consecutive: limits.mem_critical_consecutive_samples,
          terminate: limits.in_round_mem_terminate,
          defer: defersToKernel({ group, hostTotal, hostSwap, inContainer }),
        },
        // An agent in a container of an engine is not in our group.
        bound: inContainer ? null : tight,
        clock,
        emit,
        roundNum: open.roundNum,
        pid: identity.pid,
        pids: () => kinPids(leader ?? identity),
        brake: hasLeaf && open.leaf !== null ? brakeOn(open.leaf.folder, limits, emit, open.roundNum) : null,
        meter,
      });
      watch.stop.addEventListener('abort', () => stop.abort('memory'));
      watch.hurry.addEventListener('abort', () => hurry.abort());
    },
    async close() {
      await watch?.close();
      return { end: watch?.end() ?? null, account: meter?.account() ?? null };
    },
  };
}

function brakeOn(leaf: string, limits: HostHealth, emit: Emit, roundNum: number): Brake | null {
  if (!limits.brake_memory_high) return null;
  return openBrake(
    leafAt(leaf),
    { stepPct: limits.brake_memory_high_step_pct, consecutive: limits.brake_warning_consecutive_samples },
    {
      engaged: () => emit('memory_high_engaged', { round_num: roundNum, reason: 'memory pressure' }),
      released: (reason) => emit('memory_high_released', { round_num: roundNum, reason }),
      failed: (errno) => emit('memory_high_write_failed', { round_num: roundNum, errno }),
    },
  );
}
