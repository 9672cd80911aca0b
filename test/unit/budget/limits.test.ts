import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayOf } from '../../../src/budget/day.ts';
import { foldEvent } from '../../../src/budget/fold.ts';
import { emptyLedger } from '../../../src/budget/ledger.ts';
import { type LimitKey, limitStates } from '../../../src/budget/limits.ts';
import type { StoredEvent } from '../../../src/events/stored.ts';
import { ackEvent, roundEvents, T0 } from './events.ts';

const ledgerOf = (events: readonly StoredEvent[]) => {
  const ledger = emptyLedger();
  for (const event of events) foldEvent(ledger, event);
  return ledger;
};
const at = (iso: string) => Date.parse(iso);
const stateOf = (limits: Partial<Record<LimitKey, unknown>>, events: readonly StoredEvent[], now: number, zone = 'UTC') =>
  limitStates(limits, ledgerOf(events), now, zone);

describe('the calendar day of a zone', () => {
  it.each([
    ['UTC', '2026-11-29T12:00:00Z', '2026-11-29T00:00:00Z', '2026-11-30T00:00:00Z'],
    ['its first moment', '2026-11-29T00:00:00Z', '2026-11-29T00:00:00Z', '2026-11-30T00:00:00Z'],
    ['Europe/Zurich', '2026-11-29T23:30:00Z', '2026-11-29T23:00:00Z', '2026-11-30T23:00:00Z'],
    ['America/Los_Angeles', '2026-11-29T05:00:00Z', '2026-11-28T08:00:00Z', '2026-11-29T08:00:00Z'],
    ['Asia/Kathmandu', '2026-11-29T18:00:00Z', '2026-11-28T18:15:00Z', '2026-11-29T18:15:00Z'],
    ['Europe/Zurich, 23 hours', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['Europe/Zurich, 25 hours', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['Europe/Zurich, in the hour that comes twice', '2026-10-25T01:30:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['America/Santiago, no midnight', '2026-09-06T12:00:00Z', '2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z'],
    ['America/Santiago, midnight twice', '2026-04-05T03:30:00Z', '2026-04-04T03:00:00Z', '2026-04-05T04:00:00Z'],
    ['Pacific/Kiritimati', '2026-12-31T11:00:00Z', '2026-12-31T10:00:00Z', '2027-01-01T10:00:00Z'],
  ])('%s', (name, now, start, end) => {
    const zone = name === 'its first moment' ? 'UTC' : (name.split(',')[0] ?? '');
    expect(dayOf(at(now), zone)).toEqual({ start: at(start), end: at(end) });
  });

  it('a zone that does not exist is the host’s', () => {
    expect(dayOf(T0, 'Mars/Olympus')).toEqual(dayOf(T0, null));
  });
});

it('days follow each other without a gap, 23 to 25 hours each, in every zone', () => {
  const zones = [
    'UTC',
    'Europe/Zurich',
    'America/New_York',
    'America/Santiago',
    'Africa/Cairo',
    'Asia/Beirut',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }), (zone, now) => {
      const { start, end } = dayOf(now, zone);
      expect(start <= now && now < end).toBe(true);
      expect((end - start) / 3_600_000).toBeGreaterThanOrEqual(23);
      expect((end - start) / 3_600_000).toBeLessThanOrEqual(25);
      expect(end % 900_000).toBe(0);
      expect(dayOf(end, zone).start).toBe(end);
      expect(dayOf(end - 1, zone)).toEqual({ start, end });
    }),
  );
});

it('what waits opens at its end and not a millisecond before, when nothing else is used meanwhile', () => {
  const limits = { max_rounds_per_hour: 2, max_cost_usd_per_day: 0.3, max_tokens_per_day: 300 };
  const zones = fc.constantFrom('Europe/Zurich', 'America/Los_Angeles', 'Australia/Lord_Howe');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 12 }), zones, (minutes, zone) => {
      const ledger = ledgerOf(minutes.sort((a, b) => a - b).flatMap((at, i) => roundEvents({ n: i + 1, at: at + i })));
      const now = T0 + 2020 * 60_000;
      for (const { limit, until, used_up } of limitStates(limits, ledger, now, zone)) {
        expect(until !== null).toBe(used_up);
        if (until === null) continue;
        const at = (moment: number) => limitStates(limits, ledger, moment, zone).find((state) => state.limit === limit)?.used_up;
        expect([until > now, at(until - 1), at(until)]).toEqual([true, true, false]);
      }
    }),
  );
});

describe('max_rounds_per_hour', () => {
  const rounds = [0, 10, 20].flatMap((minute, i) => roundEvents({ n: i + 1, at: minute }));
  it.each([
    ['below it', 4, 30, false, null],
    ['reached: opens with the hour of the oldest', 3, 30, true, 60],
    ['lowered: of the one that makes room', 1, 30, true, 80],
    ['a moment before the oldest is an hour old', 3, 59.999, true, 60],
    ['the oldest is an hour old', 3, 60, false, null],
    ['starts in the future of a clock that was set back', 1, -30, false, null],
  ])('%s', (_name, allowed, minute, usedUp, until) => {
    const [state] = stateOf({ max_rounds_per_hour: allowed }, rounds, T0 + minute * 60_000);
    expect(state).toMatchObject({ used_up: usedUp, until: until === null ? null : T0 + until * 60_000 });
  });

  it('says how many', () => {
    expect(stateOf({ max_rounds_per_hour: 3 }, rounds, T0 + 1_800_000)[0]?.sentence).toBe('started 3 of 3 rounds within the hour');
  });
});

describe('limits of a day', () => {
  const spend = (n: number, iso: string, cost: number) => roundEvents({ n, at: (at(iso) - T0) / 60_000 - 0.15, cost, tokens: 1000 });

  it('are reset at the midnight of their zone, also on the day with 25 hours', () => {
    const events = [
      ...spend(1, '2026-10-24T21:59:00Z', 3),
      ...spend(2, '2026-10-24T22:01:00Z', 3),
      ...spend(3, '2026-10-25T22:30:00Z', 1.1),
    ];
    const look = (now: string) => stateOf({ max_cost_usd_per_day: 4 }, events, at(now), 'Europe/Zurich')[0];
    expect(look('2026-10-25T22:40:00Z')).toMatchObject({
      used_up: true,
      until: at('2026-10-25T23:00:00Z'),
      sentence: 'spent $4.10 of $4.00 today',
    });
    expect(look('2026-10-25T23:00:00Z')).toMatchObject({ used_up: false, until: null, spent: 0 });
  });

  it('tokens', () => {
    const [state] = stateOf(
      { max_tokens_per_day: 1_500 },
      [...spend(1, '2026-11-29T12:00:00Z', 1), ...spend(2, '2026-11-29T12:30:00Z', 1)],
      T0 + 3_600_000,
    );
    expect(state).toMatchObject({ used_up: true, spent: 2000, sentence: 'used 2,000 of 1,500 tokens today' });
  });

  it('a day that was started anew counts from then on, and the next day is a whole one', () => {
    const events = [...spend(1, '2026-11-29T12:00:00Z', 4), ackEvent(30, ['max_cost_usd_per_day']), ...spend(2, '2026-11-29T13:00:00Z', 1)];
    expect(stateOf({ max_cost_usd_per_day: 4 }, events, T0 + 7_200_000)[0]).toMatchObject({ used_up: false, spent: 1 });
    const next = [...events, ...spend(3, '2026-11-30T01:00:00Z', 4)];
    expect(stateOf({ max_cost_usd_per_day: 4 }, next, at('2026-11-30T02:00:00Z'))[0]).toMatchObject({ used_up: true, spent: 4 });
  });

  it('forty times ten cents are four dollars', () => {
    const events = Array.from({ length: 40 }, (_, i) => roundEvents({ n: i + 1, cost: 0.1 })).flat();
    expect(stateOf({ max_cost_usd_per_day: 4 }, events, T0 + 7_200_000)[0]).toMatchObject({
      used_up: true,
      spent: 4,
      sentence: 'spent $4.00 of $4.00 today',
    });
  });

  it('what nobody told is told', () => {
    const events = [
      ...roundEvents({ n: 1 }),
      ...roundEvents({ n: 2, usage: null }),
      ...roundEvents({ n: 3, cost: null }),
      ...roundEvents({ n: 4, cost: null }),
    ];
    expect(stateOf({ max_cost_usd_per_day: 4, max_tokens_per_day: 1e6 }, events, T0 + 3_600_000).map(({ sentence }) => sentence)).toEqual([
      'spent $0.10 of $4.00 today (1 round told no usage, 2 rounds told no price)',
      'used 300 of 1,000,000 tokens today (1 round told no usage)',
    ]);
  });
});

describe('limits that end serve', () => {
  const events = [1, 2, 3].flatMap((n) => roundEvents({ n, cost: 2 }));

  it('the total, and rounds without a commit', () => {
    expect(stateOf({ max_cost_usd_total: 6, max_unproductive_rounds: 3 }, events, T0)).toMatchObject([
      { limit: 'max_cost_usd_total', when_used_up: 'stop', used_up: true, until: null, sentence: 'spent $6.00 of $6.00 in all' },
      { limit: 'max_unproductive_rounds', when_used_up: 'stop', used_up: true, until: null },
    ]);
  });

  it('both are started anew by one ack', () => {
    const states = stateOf({ max_cost_usd_total: 6, max_unproductive_rounds: 3 }, [...events, ackEvent(60)], T0);
    expect(states.map(({ used_up, spent }) => [used_up, spent])).toEqual([
      [false, 0],
      [false, 0],
    ]);
    expect(states[0]?.sentence).toBe('spent $0.00 of $6.00 since the last `ack budget`');
  });
});

it('what is no number above 0 is no limit', () => {
  expect(
    stateOf({ max_rounds_per_hour: null, max_cost_usd_total: '5', max_tokens_per_day: 0, max_unproductive_rounds: Number.NaN }, [], T0),
  ).toEqual([]);
});
