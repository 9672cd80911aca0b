import { expect, it } from 'vitest';
import { toStartAnew } from '../../../src/budget/answer.ts';
import { foldEvent } from '../../../src/budget/fold.ts';
import { emptyLedger } from '../../../src/budget/ledger.ts';
import { roundEvents, T0 } from './events.ts';

const NOW = T0 + 3_600_000;

/** Two rounds of ten cents without a commit. */
function answered(limits: Record<string, number>, rounds = 2) {
  const ledger = emptyLedger();
  for (let n = 1; n <= rounds; n++) for (const event of roundEvents({ n })) foldEvent(ledger, event);
  const anew = toStartAnew({ limits }, ledger, NOW);
  return typeof anew === 'string' ? anew : anew.map(({ limit, sentence }) => `${limit}: ${sentence}`);
}

it.each<[string, Record<string, number>, string[] | string]>([
  [
    'what is used up, and no total beside it',
    { max_cost_usd_per_day: 0.2, max_cost_usd_total: 5 },
    ['max_cost_usd_per_day: spent $0.20 of $0.20 today'],
  ],
  [
    'nothing used up: the totals that are set',
    { max_cost_usd_per_day: 5, max_cost_usd_total: 5 },
    ['max_cost_usd_total: spent $0.20 of $5.00 in all'],
  ],
  ['nothing used up, no total set', { max_cost_usd_per_day: 5 }, 'no limit is used up, and no total has counted anything'],
  ['no limits', {}, 'no limit is set in [limits] that could be counted anew'],
])('ack budget starts anew: %s', (_name, limits, expected) => {
  expect(answered(limits)).toEqual(expected);
});

it('ack budget a second time has nothing to forget', () => {
  expect(answered({ max_cost_usd_total: 5, max_unproductive_rounds: 3 }, 0)).toBe('no limit is used up, and no total has counted anything');
});
