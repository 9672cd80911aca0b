import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isoTime } from '../../../src/util/clock.ts';
import { epochOf } from '../../../src/util/epoch.ts';

it.each<[unknown, number | null]>([
  ['1970-01-01T00:00:00.000Z', 0],
  ['2026-11-29T12:00:00.123Z', Date.UTC(2026, 10, 29, 12, 0, 0, 123)],
  ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
  ['+010000-01-01T00:00:00.000Z', null],
  ['+275760-09-13T00:00:00.000Z', null],
  ['-271821-04-20T00:00:00.000Z', null],
  ['1969-12-31T23:59:59.999Z', null],
  ['no time', null],
  ['', null],
  [1_700_000_000_000, null],
  [null, null],
])('%s is %s', (text, at) => {
  expect(epochOf(text)).toBe(at);
});

it('what it takes can be computed with: a century more is a date still', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      const at = epochOf(date.toISOString());
      if (at !== null) expect(() => isoTime(at + 100 * 366 * 86_400_000)).not.toThrow();
    }),
  );
});
