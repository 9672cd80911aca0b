import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layout } from '../../../src/state/layout.ts';
import { nextAfter } from '../../../src/state/round-number.ts';

describe('the next round number', () => {
  it.each([
    ['nothing yet', 0, [], 0, 1],
    ['after the status', 7, [], 0, 8],
    ['scar 71: a log that the status does not know of', 7, ['R9-20261129T173508.log'], 0, 10],
    ["the predecessor's logs", 2, ['round-11.log', 'round-4.log'], 0, 12],
    ['an interrupted round', 3, ['R4-20261129T173508.log'], 5, 6],
    ['numbers are compared as numbers', 0, ['R9-20261129T173508.log', 'R10-20261129T173508.log'], 0, 11],
    [
      'foreign names',
      1,
      ['R99', 'R99-x.log', 'xR99-20261129T173508.log', 'round-99.log.bak', 'R99-20261129T173508.log.gz', 'Round-99.log'],
      0,
      2,
    ],
    ['absurd numbers that an agent planted', 1, [`R${'9'.repeat(30)}-20261129T173508.log`, 'R1000000000-1.log'], 0, 2],
    ['a broken status', Number.NaN, ['R3-20261129T173508.log'], Number.POSITIVE_INFINITY, 4],
    ['a negative status', -4, [], -9, 1],
  ])('%s', (_what, status, names, inFlight, expected) => {
    expect(nextAfter(status, names, inFlight)).toBe(expected);
  });

  it('scar 71: is above every number ever used, whatever order and whatever else lies there', () => {
    const round = fc.integer({ min: 1, max: 999_999_999 });
    const paths = layout('/x');
    const ours = round.map((n) => paths.roundLog(n, 1_796_000_000_000).slice('/x/rounds/'.length));
    const legacy = round.map((n) => `round-${n}.log`);
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.array(fc.oneof(ours, legacy, fc.string())), fc.nat(999_999_999), (status, names, inFlight) => {
        const next = nextAfter(status, names, inFlight);
        expect(next).toBeGreaterThan(status);
        expect(next).toBeGreaterThan(inFlight);
        for (const name of names) {
          const used = /^(?:R(\d+)-\d{8}T\d{6}|round-(\d+))\.log$/.exec(name);
          if (used) expect(next).toBeGreaterThan(Number(used[1] ?? used[2]));
        }
      }),
    );
  });
});
