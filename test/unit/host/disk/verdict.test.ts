import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventKind } from '../../../../src/events/catalogue.ts';
import { openDiskBook } from '../../../../src/host/disk/book.ts';
import type { DiskSpace } from '../../../../src/host/disk/space.ts';
import { diskVerdict } from '../../../../src/host/disk/verdict.ts';
import { pauseFor, watchDisks } from '../../../../src/host/disk/watch.ts';
import { testClock } from '../../../support/clock.ts';

const MB = 1024 ** 2;
const GB = 1024 * MB;
const TB = 1024 * GB;
const LIMITS = { disk_warning_pct: 90, disk_critical_pct: 95 };

function disk(total: number, available: number, inodes = 0, inodesFree = 0) {
  const space: DiskSpace = { total, available, usedPct: Math.round((1000 * (total - available)) / total) / 10, inodes, inodesFree };
  return { of: 'log_dir', folder: '/logs', space };
}

describe('how full a disk is', () => {
  it.each([
    ['half full', disk(100 * GB, 50 * GB), 'healthy', false],
    ['90 % of 80 GB', disk(80 * GB, 8 * GB), 'warning', false],
    ['95 % of 80 GB', disk(80 * GB, 4 * GB), 'critical', false],
    ['99 % of 10 TB: 100 GB hold any round', disk(10 * TB, 0.01 * 10 * TB), 'healthy', false],
    ['97 % of 400 GB: 12 GB do too', disk(400 * GB, 12 * GB), 'healthy', false],
    ['94 % of 8 GB is a warning', disk(8 * GB, 0.5 * GB), 'warning', false],
    ['95 % of 8 GB', disk(8 * GB, 0.4 * GB), 'critical', false],
    ['63 MB, whatever the percentage', disk(2 * GB, 63 * MB), 'critical', false],
    ['15 MB: a round must end', disk(80 * GB, 15 * MB), 'critical', true],
    ['a tmpfs of 64 MB, half full', disk(64 * MB, 32 * MB), 'healthy', false],
    ['a tmpfs of 64 MB with half a megabyte', disk(64 * MB, 0.5 * MB), 'critical', true],
    ['an empty disk without inodes', disk(80 * GB, 70 * GB, 1_000_000, 50), 'critical', true],
    ['inodes nearly used up', disk(80 * GB, 70 * GB, 1_000_000, 40_000), 'critical', false],
    ['4 % of a hundred million inodes are enough', disk(80 * GB, 70 * GB, 100_000_000, 4_000_000), 'healthy', false],
    ['a file system without a number of inodes', disk(80 * GB, 70 * GB, 0, 0), 'healthy', false],
  ])('%s', (_name, one, severity, nearlyFull) => {
    expect(diskVerdict(one, LIMITS)).toMatchObject({ severity, nearlyFull });
  });

  it('less room is never milder, and what must end a round also keeps the next one back', () => {
    const rank = (severity: string) => ['healthy', 'warning', 'critical'].indexOf(severity);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 ** 6 }),
        fc.float({ min: 0, max: 1, noNaN: true }),
        fc.float({ min: 0, max: 1, noNaN: true }),
        (totalMb, share, less) => {
          const total = totalMb * MB;
          const more = diskVerdict(disk(total, share * total), LIMITS);
          const fewer = diskVerdict(disk(total, share * less * total), LIMITS);
          expect(rank(fewer.severity)).toBeGreaterThanOrEqual(rank(more.severity));
          if (fewer.nearlyFull) expect(fewer.severity).toBe('critical');
        },
      ),
    );
  });
});

describe('what is told of disks', () => {
  function book() {
    const told: string[] = [];
    const clock = testClock(0);
    const emit = (kind: EventKind, fields: unknown) =>
      told.push(`${kind} ${(fields as { severity?: string }).severity ?? (fields as { low_for_s: number }).low_for_s}`);
    return { told, clock, book: openDiskBook(emit as never, clock) };
  }
  it('once when it becomes low, once when it gets worse, once when it is well again', () => {
    const { told, clock, book: own } = book();
    for (const left of [50, 7, 7, 3, 7, 3, 60, 60]) {
      own.enter([disk(80 * GB, left * GB)], LIMITS, 1);
      clock.set(clock.now() + 1000);
    }
    expect(told).toEqual(['disk_low warning', 'disk_low critical', 'disk_low critical', 'disk_recovered 5']);
  });

  it('the worst one is what the gate sees', () => {
    const { book: own } = book();
    const small = { ...disk(64 * MB, 10), of: 'TMPDIR', folder: '/tmp' };
    expect(own.enter([disk(80 * GB, 3 * GB), small, disk(80 * GB, 70 * GB)], LIMITS, null)?.message).toContain('TMPDIR (/tmp)');
    expect(own.enter([], LIMITS, null)).toBeNull();
  });
});

describe('the disks beside a round', () => {
  it('are looked at sooner the less is left', () => {
    expect(pauseFor([disk(TB, 500 * GB)])).toBe(10_000);
    expect(pauseFor([disk(TB, 500 * GB), disk(TB, 10 * GB)])).toBeCloseTo(5_000, -2);
    expect(pauseFor([disk(TB, 100 * MB)])).toBe(500);
    expect(pauseFor([])).toBe(10_000);
  });

  it('one that is nearly full for a moment ends nothing', async () => {
    const clock = testClock(0);
    const looks = [50 * GB, 0, 0, GB, 0, 0, GB];
    const ended = await new Promise<boolean>((done) => {
      const watch = watchDisks({
        folders: [],
        limits: LIMITS,
        book: openDiskBook((() => {}) as never, clock),
        clock,
        roundNum: 1,
        look: async () => {
          const left = looks.shift();
          if (left === undefined) {
            watch.close();
            done(watch.stop.aborted);
          }
          return [disk(80 * GB, left ?? 0)];
        },
      });
    });
    expect(ended).toBe(false);
  });

  it('a round that fills one is ended', async () => {
    const clock = testClock(0);
    let left = 3 * GB;
    const ended = await new Promise<unknown>((done) => {
      const watch = watchDisks({
        folders: [],
        limits: LIMITS,
        book: openDiskBook((() => {}) as never, clock),
        clock,
        roundNum: 1,
        look: async () => {
          left = Math.max(0, left - 500 * MB);
          return [disk(80 * GB, left)];
        },
      });
      watch.stop.addEventListener('abort', () => done([watch.stop.reason, watch.end()?.nearlyFull]));
    });
    expect(ended).toEqual(['disk', true]);
  });
});
