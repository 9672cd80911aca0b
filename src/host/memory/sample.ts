import { readFileSync } from 'node:fs';
import type { MemoryBound } from './bounds.ts';

const KB = 1024;
/** What /proc/vmstat counts; 4 KiB wherever Node's prebuilt binaries run with swap. */
const PAGE_BYTES = 4096;

/** Share of the last ten seconds, percent, in which some (or all) tasks stood still for memory. */
export interface Pressure {
  some: number;
  full: number | null;
}

/** One look at the memory of the machine, and of the control group that bounds us where there is one. Null: not told here. */
export interface MemorySample {
  /** Monotonic milliseconds. */
  at: number;
  /** Bytes, as /proc/meminfo counts. */
  total: number | null;
  free: number | null;
  available: number | null;
  swapFree: number | null;
  /** Bytes written to swap since boot. */
  swappedOut: number | null;
  pressure: Pressure | null;
  /** Of the group whose bound is below the machine's memory. */
  group: { pressure: Pressure | null; headroom: number | null } | null;
}

export type ReadFile = (path: string) => string;

/** A look costs about 50 microseconds; what cannot be read is null. `bound`: the group that holds us, when it is tighter than the machine. */
export function sampleMemory(at: number, bound: MemoryBound | null, read: ReadFile = readText): MemorySample {
  return {
    at,
    ...machine(read),
    swappedOut: swappedOut(read('/proc/vmstat')),
    pressure: pressureIn(read('/proc/pressure/memory')),
    group: bound === null ? null : { pressure: pressureIn(read(`${bound.folder}/memory.pressure`)), headroom: groupHeadroom(bound, read) },
  };
}

/** In the order in which the kernel prints them; one expression, compiled once, because this is read every 2 s for hours. */
const LEFT = /^MemTotal: +(\d+) kB$[\s\S]*?^MemAvailable: +(\d+) kB$[\s\S]*?^SwapFree: +(\d+) kB$/m;

/** How many bytes are left, by the tighter of machine and group; swap that is free counts. Null when nobody tells. */
export function headroom(bound: MemoryBound | null, read: ReadFile = readText): { bytes: number; total: number } | null {
  const told = LEFT.exec(read('/proc/meminfo'));
  const own = bound === null ? null : groupHeadroom(bound, read);
  const host = told === null ? null : { bytes: (Number(told[2]) + Number(told[3])) * KB, total: Number(told[1]) * KB };
  if (bound === null || own === null) return host;
  const group = { bytes: own, total: bound.max };
  return host === null || group.bytes < host.bytes ? group : host;
}

/** What the machine has at all, bytes; null where nobody tells. */
export function hostMemory(read: ReadFile = readText): { hostTotal: number | null; hostSwap: number | null } {
  const field = fieldsOf(read('/proc/meminfo'));
  return { hostTotal: field('MemTotal'), hostSwap: field('SwapTotal') };
}

function fieldsOf(text: string): (name: string) => number | null {
  return (name) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
    return found === undefined ? null : Number(found) * KB;
  };
}

function machine(read: ReadFile): Pick<MemorySample, 'total' | 'free' | 'available' | 'swapFree'> {
  const field = fieldsOf(read('/proc/meminfo'));
  return { total: field('MemTotal'), free: field('MemFree'), available: field('MemAvailable'), swapFree: field('SwapFree') };
}

function swappedOut(vmstat: string): number | null {
  const pages = /^pswpout (\d+)$/m.exec(vmstat)?.[1];
  return pages === undefined ? null : Number(pages) * PAGE_BYTES;
}

/** The two lines of a pressure file. A kernel without PSI, or with it switched off, has none. */
export function pressureIn(text: string): Pressure | null {
  const avg10 = (kind: string) => {
    const found = new RegExp(`^${kind} avg10=([\\d.]+)`, 'm').exec(text)?.[1];
    return found === undefined || Number.isNaN(Number(found)) ? null : Number(found);
  };
  const some = avg10('some');
  return some === null ? null : { some, full: avg10('full') };
}

/** What the group may still take: files that are only cached make room. */
function groupHeadroom({ folder, max }: MemoryBound, read: ReadFile): number | null {
  const current = Number.parseInt(read(`${folder}/memory.current`), 10);
  if (Number.isNaN(current)) return null;
  const stat = read(`${folder}/memory.stat`);
  const cached = ['inactive_file', 'active_file'].map((name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0));
  return Math.max(0, max - current + cached.reduce((sum, bytes) => sum + bytes, 0));
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
