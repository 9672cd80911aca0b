import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { freemem, loadavg, totalmem } from 'node:os';
import { dirname } from 'node:path';

/** `system` of `peek --json`: the host as it is now, by means that cost next to nothing. */
export interface SystemNumbers {
  mem_total_mb: number;
  mem_available_mb: number;
  /** Of the file system that holds log_dir, as `df` counts. */
  disk_used_pct: number;
  disk_free_gb: number;
  load_1m: number | null;
  /** Of the newest sample that serve took: a figure of one's own would need a second to measure. Null without one. */
  cpu_pct: number | null;
  /** Processes of this host whose kernel name is the agent's. */
  agent_process_count: number;
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

export function systemNumbers(folder: string, agent: string | null, cpuPct: number | null): SystemNumbers {
  const disk = diskOf(folder);
  return {
    mem_total_mb: Math.round(totalmem() / MIB),
    mem_available_mb: Math.round(availableBytes() / MIB),
    disk_used_pct: disk.usedPct,
    disk_free_gb: disk.freeGb,
    load_1m: loadavg()[0] ?? null,
    cpu_pct: cpuPct,
    agent_process_count: agent === null ? 0 : countNamed(agent),
  };
}

/** MemAvailable also counts what the kernel can give back; `freemem` elsewhere. */
function availableBytes(): number {
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(readText('/proc/meminfo'))?.[1];
  return found === undefined ? freemem() : Number(found) * 1024;
}

/** A log_dir that is not there yet will be made in the nearest folder that is. */
function diskOf(folder: string): { usedPct: number; freeGb: number } {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const { blocks, bfree, bavail, bsize } = statfsSync(at);
      const used = blocks - bfree;
      const usable = used + bavail;
      return {
        usedPct: usable === 0 ? 0 : Math.round((used / usable) * 1000) / 10,
        freeGb: Math.round(((bavail * bsize) / GIB) * 10) / 10,
      };
    } catch {
      if (dirname(at) === at) return { usedPct: 0, freeGb: 0 };
    }
  }
}

/** The kernel keeps 15 bytes of a name. */
function countNamed(agent: string): number {
  const comm = `${Buffer.from(agent).subarray(0, 15).toString()}\n`;
  let count = 0;
  for (const name of listFolder('/proc')) if (/^\d+$/.test(name) && readText(`/proc/${name}/comm`) === comm) count++;
  return count;
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
