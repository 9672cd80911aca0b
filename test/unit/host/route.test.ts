import { describe, expect, it } from 'vitest';
import { hasDefaultRoute, watchWayOut } from '../../../src/host/route.ts';

const HEAD = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
const ETH = 'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0';
const BRIDGE = 'docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0';
const NONE = '0'.repeat(32);
const six = (destination: string, length: string, flags: string, device: string) =>
  `${destination} ${length} ${NONE} 00 ${NONE} 00000400 00000001 00000000 ${flags}     ${device}`;

const routes = (four: string[] | null, other: string[] | null = []) =>
  hasDefaultRoute((path) => (path.endsWith('ipv6_route') ? other : four && [HEAD, ...four])?.join('\n') ?? null);

describe('the way out of this machine', () => {
  it.each<[string, boolean | null, boolean | null]>([
    ['a default route', routes([BRIDGE, ETH]), true],
    ['a bridge for containers alone', routes([BRIDGE]), false],
    ['no route at all', routes([]), false],
    ['one that is down', routes([ETH.replace('0003', '0000')]), false],
    ['a default route by IPv6 alone', routes([], [six(NONE, '00', '00000003', 'wlan0')]), true],
    ['the entry by which the kernel refuses', routes([], [six(NONE, '00', '00200200', 'lo'), six(NONE, '00', '00000201', 'wlan0')]), false],
    ['a network by IPv6', routes([], [six(`fe80${'0'.repeat(28)}`, '40', '00000001', 'eth0')]), false],
    ['a system that does not tell', routes(null, null), null],
    ['whatever else stands there', routes(['', 'x', '\0'], ['', '0 0 0']), false],
  ])('%s', (_name, found, expected) => {
    expect(found).toBe(expected);
  });

  it('is missed only where there was one', () => {
    const seen: (boolean | null)[] = [];
    const watch = (...answers: (boolean | null)[]) => {
      seen.splice(0, seen.length, ...answers);
      const isOffline = watchWayOut(() => seen.shift() ?? null);
      return answers.slice(1).map(() => isOffline());
    };
    expect(watch(true, true, false, false, true, false)).toEqual([false, true, true, false, true]);
    expect(watch(false, false, false)).toEqual([false, false]);
    expect(watch(false, true, false)).toEqual([false, true]);
    expect(watch(null, null)).toEqual([false]);
  });

  it('is asked of this kernel', () => {
    expect([true, false, null]).toContain(hasDefaultRoute());
  });
});
