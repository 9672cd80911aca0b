import { statfs } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import type { AgentSample, HostSample } from '../events/metrics.ts';

const MB = 1024 ** 2;
const GB = 1024 ** 3;
/** A disk that hangs (a lost network mount) must not hold a sample back for ever. */
const PATIENCE_MS = 5_000;
/** Beyond this a tree is not measured process by process: each costs a file in /proc, kept open between two samples. */
const MOST_PROCESSES = 500;

interface CpuTimes {
  busy: number;
  total: number;
}

/**
 * One look at the machine; what fails is null, nothing throws. Memory comes from systeminformation's memory part, which knows
 * what "available" means on each system. CPU, load and disk come from Node itself: the same library's `currentLoad` and `fsSize`
 * run shells synchronously (15 ms without an event loop, and `df` hangs with any lost mount), and its whole costs 10 MB.
 */
export async function sampleHost(logDir: string, before: CpuTimes | null): Promise<{ host: HostSample; cpu: CpuTimes }> {
  const [memory, disk] = await Promise.all([inTime(sampleMemory()), inTime(statfs(logDir))]);
  const cpu = cpuTimes();
  const used = disk === null ? 0 : disk.blocks - disk.bfree;
  return {
    host: {
      mem_total_mb: Math.floor(totalmem() / MB),
      mem_available_mb: memory === null ? null : Math.floor(memory.available / MB),
      // As df computes it: what is reserved for root is neither used nor free.
      disk_used_pct: disk === null ? null : percent(used, used + disk.bavail),
      disk_free_gb: disk === null ? null : round((disk.bavail * disk.bsize) / GB, 1),
      load_1m: round(loadavg()[0] ?? 0, 2),
      cpu_pct: before === null ? null : percent(cpu.busy - before.busy, cpu.total - before.total),
    },
    cpu,
  };
}

/** Memory and CPU of these processes together; who has ended meanwhile does not count. */
export async function sampleProcesses(pids: readonly number[]): Promise<AgentSample> {
  const none: AgentSample = { rss_mb: null, cpu_pct: null, processes: pids.length };
  if (pids.length === 0) return { rss_mb: 0, cpu_pct: 0, processes: 0 };
  const usage = await inTime(pidusage().then((measure) => measure(pids.slice(0, MOST_PROCESSES))));
  if (usage === null) return none;
  // Typed as always there, but a process that has ended is null in it.
  const living = Object.values(usage as Record<string, { memory: number; cpu: number } | null>).filter((entry) => entry !== null);
  const sum = (pick: (entry: { memory: number; cpu: number }) => number) => living.reduce((total, entry) => total + pick(entry), 0);
  return {
    rss_mb: round(sum(({ memory }) => memory) / MB, 1),
    cpu_pct: round(
      sum(({ cpu }) => cpu),
      1,
    ),
    processes: pids.length,
  };
}

/** Closes what pidusage keeps open of the processes that it has seen. */
export async function forgetProcesses(): Promise<void> {
  (await pidusage()).clear();
}

async function pidusage() {
  // It prints warnings about a missing `getconf` with console.error, which is not ours to fill.
  process.env.PIDUSAGE_SILENT ??= '1';
  return (await import('pidusage')).default;
}

async function sampleMemory(): Promise<{ available: number }> {
  const { mem } = (await import('systeminformation/lib/memory.js')).default;
  return mem();
}

function cpuTimes(): CpuTimes {
  const times = { busy: 0, total: 0 };
  for (const { times: core } of cpus()) {
    const total = core.user + core.nice + core.sys + core.irq + core.idle;
    times.total += total;
    times.busy += total - core.idle;
  }
  return times;
}

/** The value, or null when it fails or takes too long. */
async function inTime<Value>(work: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, null);
    timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function percent(part: number, whole: number): number | null {
  return whole > 0 ? round((part / whole) * 100, 1) : null;
}

function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
