import { readFileSync } from 'node:fs';
import { bootId, readProcess } from '../process/proc.ts';
import { isAlive, TICK_MS } from '../process/stat.ts';
import { errnoOf } from '../util/errors.ts';

/** Which process a pid meant when it was written down. Snake case: these fields lie in state files. */
export interface ProcessStart {
  pid: number;
  /** Epoch seconds as psutil computes them (the Python predecessor's field), to a hundredth; null where there is no /proc. */
  create_time: number | null;
  /** Clock ticks since boot; with the boot id this never changes, which `create_time` does when the clock is set. */
  start_ticks?: number;
  boot_id?: string;
}

/** `create_time` alone is compared within this: psutil's boot time is rounded to a second and moves with the clock. */
const SAME_START_S = 1;

export function ownStart(): ProcessStart {
  const entry = readProcess(process.pid);
  if (entry === null) return { pid: process.pid, create_time: null };
  return { pid: process.pid, create_time: createTime(entry.startTicks), start_ticks: entry.startTicks, boot_id: bootId() };
}

/**
 * Whether that very process lives. `unknown`: a process with this pid is there, but this system or the record does not tell when it
 * started, so it may be somebody else; never signal it on this word alone.
 */
export function stillLives(start: ProcessStart): 'yes' | 'no' | 'unknown' {
  const entry = readProcess(start.pid);
  if (entry === null) return process.platform === 'linux' || !answers(start.pid) ? 'no' : 'unknown';
  if (!isAlive(entry)) return 'no';
  if (start.start_ticks !== undefined && start.boot_id !== undefined) {
    return entry.startTicks === start.start_ticks && start.boot_id === bootId() ? 'yes' : 'no';
  }
  const created = createTime(entry.startTicks);
  if (start.create_time === null || created === null) return 'unknown';
  return Math.abs(created - start.create_time) <= SAME_START_S ? 'yes' : 'no';
}

/** The fields of a `ProcessStart` in an object that was read from a file; null unless its pid could be one (an integer above 1, not `true`). */
export function asProcessStart(value: unknown): ProcessStart | null {
  if (typeof value !== 'object' || value === null) return null;
  const { pid, create_time, start_ticks, boot_id } = value as Record<string, unknown>;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 1) return null;
  return {
    pid,
    create_time: typeof create_time === 'number' && Number.isFinite(create_time) ? create_time : null,
    ...(typeof start_ticks === 'number' && start_ticks > 0 ? { start_ticks } : {}),
    ...(typeof boot_id === 'string' && boot_id !== '' ? { boot_id } : {}),
  };
}

function createTime(startTicks: number): number | null {
  const booted = bootTime();
  return booted === null ? null : Math.round(booted * 100 + (startTicks * TICK_MS) / 10) / 100;
}

/** `btime` of /proc/stat, epoch seconds. */
function bootTime(): number | null {
  try {
    const found = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1];
    return found === undefined ? null : Number(found);
  } catch {
    return null;
  }
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
