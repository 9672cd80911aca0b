import type { Mark } from '../../src/process/proc.ts';
import { isAlive, type ProcessEntry } from '../../src/process/stat.ts';
import type { ProcessTable } from '../../src/run/process-table.ts';
import type { Clock } from '../../src/util/clock.ts';

/** What a simulated process does. Everything unset is the tamest case. */
export interface Behaviour {
  marked?: boolean;
  /** Milliseconds from SIGTERM (or another polite signal) to its end; null: it ignores them. */
  diesAfter?: number | null;
  /** Uninterruptible: not even SIGKILL. */
  stuck?: boolean;
  /** What it starts when it gets its first polite signal. */
  startsOnTerm?: Behaviour & { leaves?: boolean };
  /** Owned by somebody else: signals are refused. */
  foreign?: boolean;
  stopped?: boolean;
  /** Dies by itself at this time. */
  leavesAt?: number;
}

interface Simulated {
  entry: ProcessEntry;
  behaviour: Behaviour;
  endsAt: number;
  signals: NodeJS.Signals[];
  pending: boolean;
}

const OWN_PID = 100;
const INIT = 1;

/** A small kernel under a clock that runs only while somebody sleeps: pids, groups, sessions, re-parenting, signals. */
export function simulate() {
  const processes = new Map<number, Simulated>();
  let now = 0;
  let nextPid = OWN_PID + 1;
  let looks = 0;

  function add(parent: number, group: 'joins' | 'group' | 'session', behaviour: Behaviour = {}): number {
    const pid = nextPid++;
    const from = processes.get(parent)?.entry;
    const own = group !== 'joins';
    const entry: ProcessEntry = {
      pid,
      ppid: parent,
      pgid: own ? pid : (from?.pgid ?? pid),
      sid: group === 'session' ? pid : (from?.sid ?? pid),
      state: behaviour.stopped ? 'T' : 'S',
      startTicks: 1_000 + pid,
      cpuTicks: 0,
      threads: 1,
      comm: `p${pid}`,
    };
    processes.set(pid, { entry, behaviour, endsAt: behaviour.leavesAt ?? Number.POSITIVE_INFINITY, signals: [], pending: false });
    return pid;
  }

  for (const pid of [INIT, OWN_PID]) {
    processes.set(pid, {
      entry: { pid, ppid: 0, pgid: pid, sid: pid, state: 'S', startTicks: 1, cpuTicks: 0, threads: 1, comm: 'host' },
      behaviour: {},
      endsAt: Number.POSITIVE_INFINITY,
      signals: [],
      pending: false,
    });
  }

  /** A dead process stays as a zombie; its children get a new parent. */
  function end(pid: number): void {
    const process = processes.get(pid);
    if (!process || !isAlive(process.entry)) return;
    process.entry = { ...process.entry, state: 'Z' };
    for (const other of processes.values()) if (other.entry.ppid === pid) other.entry = { ...other.entry, ppid: INIT };
  }

  function advance(ms: number): void {
    now += ms;
    for (const [pid, process] of processes) if (process.endsAt <= now) end(pid);
  }

  function act(process: Simulated): void {
    const { startsOnTerm, diesAfter = 0 } = process.behaviour;
    if (startsOnTerm) add(process.entry.pid, startsOnTerm.leaves ? 'session' : 'joins', startsOnTerm);
    process.behaviour = { ...process.behaviour, startsOnTerm: undefined as never };
    if (diesAfter === null) return;
    process.endsAt = Math.min(process.endsAt, now + diesAfter);
    if (diesAfter === 0) end(process.entry.pid);
  }

  function deliver(process: Simulated, signal: NodeJS.Signals): boolean {
    if (!isAlive(process.entry)) return true; // The kernel takes signals to zombies.
    if (process.behaviour.foreign) return false;
    process.signals.push(signal);
    if (signal === 'SIGKILL') {
      if (!process.behaviour.stuck) end(process.entry.pid);
    } else if (signal === 'SIGCONT') {
      if (process.entry.state === 'T') process.entry = { ...process.entry, state: 'S' };
      if (process.pending) act(process);
    } else if (process.entry.state === 'T') {
      process.pending = true;
    } else if (!process.behaviour.stuck) {
      act(process);
    }
    return true;
  }

  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    async sleep(ms) {
      advance(ms);
    },
  };
  const table: ProcessTable = {
    ownPid: OWN_PID,
    async list() {
      looks++;
      return [...processes.values()].map(({ entry }) => entry);
    },
    isLiving({ pid, startTicks }) {
      const entry = processes.get(pid)?.entry;
      return entry !== undefined && entry.startTicks === startTicks && isAlive(entry);
    },
    carriesMark: (pid: number, _mark: Mark) => (processes.get(pid)?.behaviour.marked ? 'yes' : 'no'),
    commandLine: (pid) => `command of ${pid}`,
    signal(target, signal) {
      const targets = [...processes.values()].filter(({ entry }) => (target < 0 ? entry.pgid === -target : entry.pid === target));
      return targets.filter((process) => deliver(process, signal)).length > 0;
    },
  };
  return {
    clock,
    table,
    add,
    advance,
    end,
    identity: (pid: number) => ({ pid, startTicks: processes.get(pid)?.entry.startTicks ?? 0 }),
    signalsOf: (pid: number) => processes.get(pid)?.signals ?? [],
    living: () => [...processes.values()].filter(({ entry }) => isAlive(entry) && entry.pid > OWN_PID).map(({ entry }) => entry.pid),
    looks: () => looks,
    ownPid: OWN_PID,
  };
}
