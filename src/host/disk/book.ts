import type { Emit } from '../../events/emit.ts';
import type { Clock } from '../../util/clock.ts';
import type { Severity } from '../memory/ladder.ts';
import type { WatchedSpace } from './space.ts';
import { type DiskThresholds, type DiskVerdict, diskVerdict } from './verdict.ts';

/** Remembers which disks are low, so that each is told when it becomes so, when it gets worse and when it is well again. */
export interface DiskBook {
  /** Judges these and tells of changes; the worst of them comes back, null when all are well. */
  enter(spaces: readonly WatchedSpace[], limits: DiskThresholds, roundNum: number | null): DiskVerdict | null;
}

const ORDER: readonly Severity[] = ['healthy', 'warning', 'critical'];

export function openDiskBook(emit: Emit, clock: Clock): DiskBook {
  const low = new Map<string, { severity: Severity; since: number }>();

  const tell = ({ folder, of }: WatchedSpace, verdict: DiskVerdict, roundNum: number | null) => {
    const before = low.get(folder);
    if (verdict.severity === 'healthy') {
      if (before === undefined) return;
      low.delete(folder);
      emit('disk_recovered', { folder, of, low_for_s: Math.max(0, Math.round((clock.now() - before.since) / 1000)) });
      return;
    }
    low.set(folder, { severity: verdict.severity, since: before?.since ?? clock.now() });
    if (rank(verdict.severity) <= rank(before?.severity ?? 'healthy')) return;
    emit('disk_low', {
      folder,
      of,
      severity: verdict.severity,
      used_pct: verdict.usedPct,
      free_mb: verdict.freeMb,
      inodes_used_pct: verdict.inodesUsedPct,
      message: verdict.message,
      ...(roundNum === null ? {} : { round_num: roundNum }),
    });
  };

  return {
    enter(spaces, limits, roundNum) {
      let worst: DiskVerdict | null = null;
      for (const one of spaces) {
        const verdict = diskVerdict(one, limits);
        tell(one, verdict, roundNum);
        const badness = rank(verdict.severity) + (verdict.nearlyFull ? 1 : 0);
        if (badness > 0 && (worst === null || badness > rank(worst.severity) + (worst.nearlyFull ? 1 : 0))) worst = verdict;
      }
      return worst;
    },
  };
}

function rank(severity: Severity): number {
  return ORDER.indexOf(severity);
}
