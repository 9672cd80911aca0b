import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fallOf, type Glance, pauseAfter, recent } from '../../../../src/host/memory/exhaustion.ts';
import { MB } from './samples.ts';

const GB = 1024 * MB;
const glances = (total: number, ...left: [atMs: number, bytes: number][]): Glance[] => left.map(([at, bytes]) => ({ at, bytes, total }));

describe('how fast memory runs out', () => {
  it.each([
    ['one look says nothing', glances(24 * GB, [0, GB]), { rate: 0, critical: false }],
    ['a gigabyte a second with 2 GB of 24 left', glances(24 * GB, [0, 3 * GB], [1000, 2 * GB]), { critical: true, noTimeLeft: false }],
    ['the same with 5 GB left: a start-up, so far', glances(24 * GB, [0, 6 * GB], [1000, 5 * GB]), { critical: false }],
    ['the same with half a gigabyte left', glances(24 * GB, [0, 1.5 * GB], [1000, 0.5 * GB]), { critical: true, noTimeLeft: true }],
    ['little that does not fall', glances(24 * GB, [0, 100 * MB], [1000, 100 * MB]), { rate: 0, critical: false }],
    ['little that grows', glances(24 * GB, [0, 100 * MB], [1000, 200 * MB]), { rate: 0, critical: false }],
    ['little that falls slowly', glances(24 * GB, [0, 501 * MB], [1000, 500 * MB]), { critical: false }],
    ['scar 51: an agent that starts on a machine of 462 MB', glances(462 * MB, [0, 300 * MB], [1000, 100 * MB]), { critical: false }],
    ['a machine of 462 MB that is nearly used up', glances(462 * MB, [0, 120 * MB], [1000, 40 * MB]), { critical: true }],
    ['a clock that stands still', glances(GB, [5, GB], [5, 0]), { rate: 0, critical: false }],
  ])('%s', (_name, looks, expected) => {
    expect(fallOf(looks)).toMatchObject(expected);
  });

  it('is measured over the last second, not between two looks of which one was unlucky', () => {
    const fall = fallOf(glances(10 * GB, [0, 900 * MB], [400, 880 * MB], [500, 800 * MB]));
    expect(fall.rate).toBeCloseTo((100 * MB) / 500);
    expect(fall.critical).toBe(false);
  });

  it('a supervisor that wakes late begins earlier', () => {
    const looks = glances(16 * GB, [0, 2 * GB], [1000, 1.5 * GB]);
    expect(fallOf(looks)).toMatchObject({ critical: false, due: false });
    expect(fallOf(looks, 200)).toMatchObject({ critical: true, due: false });
    expect(fallOf(looks, 500)).toMatchObject({ critical: true, due: true, noTimeLeft: true });
    expect(fallOf(glances(16 * GB, [0, GB], [1000, GB]), 60_000)).toMatchObject({ critical: false });
  });

  it('less left at the same rate is never milder', () => {
    const size = fc.integer({ min: 0, max: 8000 });
    fc.assert(
      fc.property(size, size, size, (left, less, fallMb) => {
        const at = (mb: number) => fallOf(glances(16 * GB, [0, (mb + fallMb) * MB], [1000, mb * MB])).critical;
        if (at(left)) expect(at(Math.max(0, left - less))).toBe(fallMb > 0);
      }),
    );
  });

  it('is looked at sooner the less is left, and closely in a fall', () => {
    const pause = (bytes: number, leftMs = Infinity) => pauseAfter({ bytes, total: 24 * GB }, { critical: false, leftMs });
    expect(pause(20 * GB)).toBe(2000);
    expect(pause(2.9 * GB)).toBeCloseTo(500, 0);
    expect(pause(0)).toBe(250);
    expect(pause(0, 9_000)).toBe(100);
    expect(pauseAfter({ bytes: 20 * GB, total: 24 * GB }, { critical: true, leftMs: Infinity })).toBe(100);
  });

  it('keeps no more looks than it needs', () => {
    let kept: Glance[] = [];
    for (let at = 0; at <= 100_000; at += 100) kept = recent(kept, { at, bytes: GB, total: GB });
    expect(kept).toHaveLength(11);
    expect(recent(kept, { at: 500_000, bytes: 0, total: GB }).map(({ at }) => at)).toEqual([100_000, 500_000]);
  });
});
