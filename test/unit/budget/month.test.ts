import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldEvent } from '../../../src/budget/fold.ts';
import { asLedger, emptyLedger, type Ledger } from '../../../src/budget/ledger.ts';
import { limitStates } from '../../../src/budget/limits.ts';
import { roundEvents, T0 } from './events.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LIMITS = { max_rounds_per_hour: 5, max_cost_usd_per_day: 2, max_tokens_per_day: 3000 };
const STEP = fc.record({
  cost: fc.constantFrom(0.1, 0.4, 0.9),
  tokens: fc.constantFrom(10, 400, 900),
  gap: fc.integer({ min: 1, max: 40 }),
  restart: fc.boolean(),
});

it('weeks of rounds, over both changes of the clocks: never beyond a limit by more than the last round, never a wait without a cause', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(Date.UTC(2026, 2, 27), Date.UTC(2026, 9, 23)),
      fc.constantFrom('Europe/Zurich', 'UTC', 'America/New_York'),
      fc.array(STEP, { minLength: 30, maxLength: 60 }),
      (start, zone, steps) => {
        const date = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
        const days = new Map<string, { cost: number; tokens: number }[]>();
        const starts: number[] = [];
        let ledger: Ledger = emptyLedger();
        let now = start;
        for (const [i, { cost, tokens, gap, restart }] of steps.entries()) {
          if (restart) ledger = asLedger(JSON.parse(JSON.stringify(ledger))) as Ledger;
          for (;;) {
            const until = limitStates(LIMITS, ledger, now, zone).flatMap((state) => state.until ?? []);
            if (until.length === 0) break;
            // As serve waits: for the last of them, and looks again.
            expect(Math.max(...until)).toBeGreaterThan(now);
            expect(Math.max(...until) - now).toBeLessThanOrEqual(25 * HOUR);
            now = Math.max(...until);
          }
          for (const event of roundEvents({ n: i + 1, at: (now - T0) / MINUTE, cost, tokens })) foldEvent(ledger, event);
          starts.push(now);
          const today = date.format(now + 9000);
          days.set(today, [...(days.get(today) ?? []), { cost, tokens }]);
          now += gap * MINUTE;
        }
        for (const rounds of days.values()) {
          const before = rounds.slice(0, -1);
          expect(before.reduce((sum, { cost }) => sum + cost, 0)).toBeLessThan(LIMITS.max_cost_usd_per_day);
          expect(before.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(LIMITS.max_tokens_per_day);
        }
        for (const [i, at] of starts.entries()) {
          const fifthBefore = starts[i - LIMITS.max_rounds_per_hour];
          if (fifthBefore !== undefined) expect(at - fifthBefore).toBeGreaterThanOrEqual(HOUR);
        }
        expect(ledger.total.cost_micro_usd).toBe(Math.round(steps.reduce((sum, { cost }) => sum + cost, 0) * 1e6));
      },
    ),
    { numRuns: 60 },
  );
});
