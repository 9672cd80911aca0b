import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MemoryVerdict, memoryVerdict } from '../../../../src/host/memory/ladder.ts';
import { pressureIn } from '../../../../src/host/memory/sample.ts';
import { memorySignal } from '../../../../src/host/memory/signal.ts';
import { LIMITS, MB, sample } from './samples.ts';

const psi = (some: number, full: number | null = 0) => ({ pressure: { some, full } });
const NONE = { pressure: null, swappedOut: null, free: null, available: null };

describe('reference case 10, scar 51, scar 53, scar 54: the ladder', () => {
  it.each([
    ['full 60.0 is critical', sample(psi(80, 60)), 'critical', 'psi_full'],
    ['scar 51: full 59.9 is not, and some of 5 is a warning', sample(psi(80, 59.9)), 'warning', 'psi_some'],
    ['scar 51: full 40 is a warning', sample(psi(45, 40)), 'warning', 'psi_some'],
    ['some 5.0 is a warning', sample(psi(5)), 'warning', 'psi_some'],
    ['some 4.9 is none', sample(psi(4.9)), 'healthy', 'psi_some'],
    ['quiet pressure beats climbing swap', sample({ ...psi(0), swappedMb: 300, freeMb: 5 }), 'healthy', 'psi_some'],
    ['quiet pressure beats low memory', sample({ ...psi(0), freeMb: 5, availableMb: 50 }), 'healthy', 'psi_some'],
    ['a kernel that tells no full', sample(psi(99, null)), 'warning', 'psi_some'],
    ['scar 54: 300 MB of swap with 5 MB free is critical', sample({ swappedMb: 300, freeMb: 5 }), 'critical', 'swap_out'],
    ['300 MB of swap with 200 MB free is a warning', sample({ swappedMb: 300, freeMb: 200 }), 'warning', 'swap_out'],
    ['300 MB of swap with 16 MB free is a warning', sample({ swappedMb: 300, freeMb: 16 }), 'warning', 'swap_out'],
    ['scar 54: 33 MB of swap (an SD card) with 5 MB free is critical', sample({ swappedMb: 33, freeMb: 5 }), 'critical', 'swap_out'],
    ['32 MB of swap are noise', sample({ swappedMb: 32, freeMb: 5 }), 'healthy', 'mem_low'],
    ['swap without free memory told is a warning', sample({ swappedMb: 300, free: null }), 'warning', 'swap_out'],
    ['free 5, available 82 is a warning', sample({ freeMb: 5, availableMb: 82 }), 'warning', 'mem_low'],
    ['free 5 alone is nothing: caches fill it', sample({ freeMb: 5, availableMb: 900 }), 'healthy', 'mem_low'],
    [
      'scar 53: an inflated MemAvailable hides nothing from swap',
      sample({ swappedMb: 300, freeMb: 5, availableMb: 400 }),
      'critical',
      'swap_out',
    ],
    ['free 16 is not low', sample({ freeMb: 16, availableMb: 82 }), 'healthy', 'mem_low'],
    ['available 200 is not low', sample({ freeMb: 5, availableMb: 200 }), 'healthy', 'mem_low'],
  ])('%s', (_name, now, severity, signal) => {
    expect(memoryVerdict(now, sample(), LIMITS)).toMatchObject({ severity, signal });
  });

  it('the pressure of disks is not looked at: only the memory file is read', () => {
    expect(pressureIn('some avg10=1.50 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.25 avg60=0.00 avg300=0.00 total=1\n')).toEqual({
      some: 1.5,
      full: 0.25,
    });
    expect(pressureIn('')).toBeNull();
    expect(pressureIn('full avg10=99.00')).toBeNull();
  });

  it('scar 52: swap counts against the look before, so an episode that is over is over', () => {
    const looks = [0, 400, 800, 800, 801].map((swappedMb) => sample({ swappedMb, freeMb: 5 }));
    const severities = looks.slice(1).map((now, i) => memoryVerdict(now, looks[i] ?? null, LIMITS)?.severity);
    expect(severities).toEqual(['critical', 'critical', 'healthy', 'healthy']);
  });

  it('the first look has nothing to compare swap with', () => {
    expect(memoryVerdict(sample({ swappedMb: 9000, freeMb: 5 }), null, LIMITS)).toMatchObject({ severity: 'healthy', signal: 'mem_low' });
  });

  it('scar 53: without any signal there is no verdict, and the guard says that it is none', () => {
    expect(memoryVerdict(sample(NONE), sample(NONE), LIMITS)).toBeNull();
    expect(memorySignal(sample(NONE))).toBe('none');
    expect(memorySignal(sample())).toBe('swap');
    expect(memorySignal(sample(psi(0)))).toBe('pressure');
  });

  it('a control group that is tighter than the machine counts with its own pressure', () => {
    const group = (some: number, full: number) => ({ group: { pressure: { some, full }, headroom: null } });
    expect(memoryVerdict(sample({ ...psi(0), ...group(90, 70) }), null, LIMITS)).toMatchObject({
      severity: 'critical',
      signal: 'psi_full',
    });
    expect(memoryVerdict(sample({ ...psi(90, 70), ...group(0, 0) }), null, LIMITS)).toMatchObject({ severity: 'critical' });
    expect(memoryVerdict(sample(group(90, 70)), null, LIMITS)).toMatchObject({ severity: 'critical' });
  });
});

describe('more pressure never gives a milder verdict', () => {
  const rank = (verdict: MemoryVerdict | null) => ['healthy', 'warning', 'critical'].indexOf(verdict?.severity ?? 'healthy');
  const percent = fc.double({ min: 0, max: 100, noNaN: true });
  const megabytes = fc.integer({ min: 0, max: 2000 });
  const more = fc.integer({ min: 0, max: 2000 });

  it('of the kernel', () => {
    fc.assert(
      fc.property(percent, percent, percent, percent, (some, full, someMore, fullMore) => {
        const worse = sample(psi(Math.min(100, some + someMore), Math.min(100, full + fullMore)));
        expect(rank(memoryVerdict(worse, sample(), LIMITS))).toBeGreaterThanOrEqual(
          rank(memoryVerdict(sample(psi(some, full)), sample(), LIMITS)),
        );
      }),
    );
  });

  it('of swap and free memory', () => {
    fc.assert(
      fc.property(megabytes, megabytes, megabytes, more, more, more, (swappedMb, freeMb, availableMb, swap, free, available) => {
        const now = sample({ swappedMb, freeMb, availableMb });
        const worse = sample({
          swappedMb: swappedMb + swap,
          freeMb: Math.max(0, freeMb - free),
          availableMb: Math.max(0, availableMb - available),
        });
        expect(rank(memoryVerdict(worse, sample(), LIMITS))).toBeGreaterThanOrEqual(rank(memoryVerdict(now, sample(), LIMITS)));
      }),
    );
  });

  it('and stricter thresholds never give a milder one', () => {
    fc.assert(
      fc.property(percent, percent, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 100 }), (some, full, critical, warning) => {
        const strict = { ...LIMITS, psi_full_avg10_critical: critical, psi_some_avg10_warning: warning };
        const loose = { ...LIMITS, psi_full_avg10_critical: critical + 5, psi_some_avg10_warning: warning + 5 };
        const now = sample(psi(some, full));
        expect(rank(memoryVerdict(now, null, strict))).toBeGreaterThanOrEqual(rank(memoryVerdict(now, null, loose)));
      }),
    );
  });
});

it('a look at this very machine gives figures', () => {
  expect(MB).toBe(1_048_576);
  expect(['pressure', 'swap', 'none']).toContain(memorySignal());
});
