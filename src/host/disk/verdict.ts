import type { Severity } from '../memory/ladder.ts';
import type { DiskSpace, WatchedSpace } from './space.ts';

const MB = 1024 * 1024;
const GB = 1024 * MB;

export interface DiskThresholds {
  disk_warning_pct: number;
  disk_critical_pct: number;
}

/**
 * Percentages say nothing while so much is free: 1 % of 10 TB holds any round. The largest thing that the agent CLIs we drive bring along is
 * 0.4 GB, and a round's build or node_modules is a few GB.
 */
const ROOM_BYTES = 10 * GB;
/** The same for inodes: a large node_modules has some 100,000 files. */
const ROOM_INODES = 100_000;
/** Less than this is critical whatever the percentage: an index of git for 100,000 files (10 MB) is written anew for each stash. */
const LEAST_BYTES = 64 * MB;
/** With so little left a running round is ended, while git and the supervisor can still write. */
const END_BYTES = 16 * MB;
/** Small file systems have their own measure. */
const LEAST_SHARE = 0.05;
const END_SHARE = 0.01;
const END_INODES = 100;

export interface DiskVerdict {
  severity: Severity;
  /** A running round must end, so that its work can still be kept. */
  nearlyFull: boolean;
  message: string;
  usedPct: number;
  freeMb: number;
  inodesUsedPct: number;
}

/** How full one file system is. Pure. */
export function diskVerdict({ of, folder, space }: WatchedSpace, limits: DiskThresholds): DiskVerdict {
  const { available, total, usedPct } = space;
  const inodesUsedPct = space.inodes > 0 ? Math.round((1000 * (space.inodes - space.inodesFree)) / space.inodes) / 10 : 0;
  const over = (pct: number) =>
    (usedPct >= pct && available < ROOM_BYTES) || (space.inodes > 0 && inodesUsedPct >= pct && space.inodesFree < ROOM_INODES);
  const little = available < Math.min(LEAST_BYTES, LEAST_SHARE * total);
  const severity = over(limits.disk_critical_pct) || little ? 'critical' : over(limits.disk_warning_pct) ? 'warning' : 'healthy';
  const freeMb = Math.floor(available / MB);
  const inodes = inodesUsedPct > usedPct ? `, ${inodesUsedPct} % of its inodes` : '';
  return {
    severity,
    nearlyFull: isNearlyFull(space),
    message: `the disk of ${of} (${folder}) is ${usedPct} % full${inodes}, ${freeMb} MB are free`,
    usedPct,
    freeMb,
    inodesUsedPct,
  };
}

function isNearlyFull({ available, total, inodes, inodesFree }: DiskSpace): boolean {
  return available < Math.min(END_BYTES, END_SHARE * total) || (inodes > 0 && inodesFree < Math.min(END_INODES, END_SHARE * inodes));
}

/** Bytes that may still be written before a round must end. */
export function roomToEnd({ available, total }: DiskSpace): number {
  return Math.max(0, available - Math.min(END_BYTES, END_SHARE * total));
}
