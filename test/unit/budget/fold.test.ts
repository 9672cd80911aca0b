import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catchUp } from '../../../src/budget/catch-up.ts';
import { foldEvent, LEDGER_KINDS } from '../../../src/budget/fold.ts';
import { asLedger, emptyLedger, type Ledger } from '../../../src/budget/ledger.ts';
import type { StoredEvent } from '../../../src/events/stored.ts';
import { testFolder } from '../../support/folder.ts';
import { ackEvent, counted, foldAll, line, lines, roundEvents, T0 } from './events.ts';

const MONTH = 'events-2026-11.jsonl';
const NEXT = 'events-2026-12.jsonl';
const folded = (events: readonly StoredEvent[]): Ledger => {
  const ledger = emptyLedger();
  for (const event of events) foldEvent(ledger, event);
  return ledger;
};
const restarted = (ledger: Ledger): Ledger => asLedger(JSON.parse(JSON.stringify(ledger))) as Ledger;

describe('what is counted', () => {
  it('cost in all, tokens without cache reads, and the agents that tell', () => {
    const ledger = folded([...roundEvents({ n: 1, cost: 0.1 }), ...roundEvents({ n: 2, cost: 0.2, agent: 'pi' })]);
    expect(ledger.total).toMatchObject({ cost_micro_usd: 300_000, tokens: 200, untold: 0, unpriced: 0 });
    expect(ledger.reporters).toEqual(['claude', 'pi']);
    expect(ledger.rounds).toHaveLength(2);
  });

  it('failed rounds too, and rounds that told no price or nothing at all as unknown', () => {
    const ledger = folded([
      ...roundEvents({ n: 1, outcome: 'crash' }),
      ...roundEvents({ n: 2, cost: null }),
      ...roundEvents({ n: 3, usage: null, outcome: 'crash' }),
      // The supervisor died in the middle of round 4.
      ...roundEvents({ n: 4 }).slice(0, 3),
      ...roundEvents({ n: 5 }),
    ]);
    expect(ledger.total).toMatchObject({ cost_micro_usd: 200_000, untold: 2, unpriced: 1 });
  });

  it('a refusal at once used nothing; a stream that broke after minutes did, and nobody knows how much', () => {
    const refused = ['rate_limited', 'provider_error', 'auth_error'].flatMap((outcome, i) =>
      roundEvents({ n: i + 1, outcome, usage: null }),
    );
    expect(folded(refused).total.untold).toBe(0);
    expect(folded([...refused, ...roundEvents({ n: 4, outcome: 'provider_error', usage: null, s: 600 })]).total.untold).toBe(1);
  });

  it.each([
    ['text', { cost_usd: '5', input_tokens: '9', output_tokens: null }],
    ['below zero', { cost_usd: -5, input_tokens: -9, output_tokens: -1 }],
    ['no number', { cost_usd: Number.NaN, input_tokens: Number.POSITIVE_INFINITY }],
  ])('%s is worth nothing and harms nothing', (_name, fields) => {
    const [event] = roundEvents({ n: 1 }).slice(4, 5) as [StoredEvent];
    const { total } = folded([{ ...event, ...fields }]);
    expect(total).toMatchObject({ cost_micro_usd: 0, unpriced: 1 });
    expect(total.tokens).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['network', 1],
    ['api_transient_5xx', 2],
  ])('a round that ended for %s: of the hour there are %i', (classification, count) => {
    const failed = roundEvents({ n: 2, outcome: 'provider_error', usage: null, at: 60 });
    const word = { ts: failed[3]?.ts ?? '', event: 'transient_error_detected', round_num: 2, agent: 'claude', classification };
    const [end, after] = [failed.slice(0, -2), failed.slice(-2)];
    const events = [...roundEvents({ n: 1 }), ...end, word, ...after];
    expect(folded(events).rounds).toHaveLength(count);
    expect(folded([...events, word]).rounds).toHaveLength(count);
  });

  it('rounds without a commit in a row; not those that a provider, the host or a person ended', () => {
    const quiet = (n: number, outcome = 'ok') => roundEvents({ n, outcome });
    const events = [...quiet(1), ...quiet(2, 'crash'), ...quiet(3, 'rate_limited'), ...quiet(4, 'environment'), ...quiet(5, 'timeout')];
    expect(folded(events).unproductive).toBe(3);
    expect(folded([...events, ...roundEvents({ n: 6, head: ['a', 'b'] })]).unproductive).toBe(0);
    expect(folded([...events, ...roundEvents({ n: 6, head: ['a', null] })]).unproductive).toBe(3);
    expect(folded([...events, ...roundEvents({ n: 6, head: [null, null] })]).unproductive).toBe(3);
  });

  it('ack budget starts the totals anew, or what it names', () => {
    const events = [1, 2, 3].flatMap((n) => roundEvents({ n }));
    const all = folded([...events, ackEvent(10), ...roundEvents({ n: 4, at: 11 })]);
    expect(all).toMatchObject({ total: { cost_micro_usd: 100_000, since: T0 + 600_000 }, unproductive: 1 });
    expect(all.rounds).toHaveLength(4);
    const named = folded([...events, ackEvent(10, ['max_rounds_per_hour', 'max_cost_usd_per_day', 'a later one'])]);
    expect(named).toMatchObject({ total: { cost_micro_usd: 300_000 }, rounds: [], unproductive: 3 });
    expect(named.anew).toMatchObject({ max_cost_usd_per_day: { cost_micro_usd: 0, since: T0 + 600_000 } });
  });

  it('days under a clock that was ahead do not push out what today used', () => {
    const DAY = 24 * 60;
    const ahead = Array.from({ length: 240 }, (_, i) => roundEvents({ n: i + 10, at: 400 * DAY + i * 15 })).flat();
    const today = Array.from({ length: 96 }, (_, i) => roundEvents({ n: i + 300, at: i * 15 })).flat();
    const { quarters } = folded([...ahead, ...today]);
    const used = Object.entries(quarters).filter(([quarter]) => Number(quarter) * 900_000 < T0 + DAY * 60_000);
    expect(used).toHaveLength(96);
    expect(Object.keys(quarters)).toHaveLength(200);
  });

  it('rounds that tell nothing are counted over starts: each leaves one more try, not three', () => {
    const start: StoredEvent = { ts: new Date(T0).toISOString(), event: 'serve_started' };
    const silent = (n: number) => [start, ...roundEvents({ n, usage: null })];
    expect([1, 2, 3, 4].map((n) => folded(Array.from({ length: n }, (_, i) => silent(i + 1)).flat()).mute)).toEqual([1, 2, 3, 3]);
    expect(folded([...silent(1), ...silent(2), ...silent(3), start]).mute).toBe(2);
    expect(folded([...silent(1), ...silent(2), start, ...roundEvents({ n: 3 })]).mute).toBe(0);
  });

  it('a ledger with anything wrong in it is none', () => {
    const good = JSON.parse(JSON.stringify(folded(roundEvents({ n: 1 }))));
    expect(asLedger(good)).not.toBeNull();
    for (const wrong of [
      null,
      [],
      { ...good, version: 2 },
      { ...good, total: { ...good.total, cost_micro_usd: -1 } },
      { ...good, total: { ...good.total, tokens: 1.5 } },
      { ...good, quarters: { x: good.total } },
      { ...good, rounds: ['1'] },
      { ...good, places: [{ file: 'x' }] },
      { ...good, open: {} },
      { ...good, seen: { a: 1 } },
    ]) {
      expect(asLedger(wrong)).toBeNull();
    }
  });
});

describe('files that somebody touched', () => {
  const events = [1, 2, 3, 4].flatMap((n) => roundEvents({ n, head: n === 2 ? ['a', 'b'] : ['b', 'b'] }));
  const started = () => {
    const logDir = testFolder();
    writeFileSync(join(logDir, MONTH), lines(events));
    return { logDir, ledger: foldAll(logDir), file: join(logDir, MONTH) };
  };
  const afterwards = (logDir: string, ledger: Ledger) => {
    const later = restarted(ledger);
    catchUp(logDir, later);
    return later;
  };

  it('a line twice, the whole file twice, a torn last line: nothing changes', () => {
    const { logDir, ledger, file } = started();
    const last = events.at(-3) as StoredEvent;
    appendFileSync(file, line(last) + lines(events));
    appendFileSync(file, line(roundEvents({ n: 5 })[4] as StoredEvent).slice(0, -20));
    expect(counted(afterwards(logDir, ledger))).toEqual(counted(ledger));
    expect(counted(foldAll(logDir))).toEqual(counted(ledger));
  });

  it('a torn line that the next writer ended: the event behind it counts', () => {
    const { logDir, ledger, file } = started();
    appendFileSync(
      file,
      `${line({ ts: '2026-11-29T13:00:00.000Z', event: 'round_progress', round_num: 5 }).slice(0, 60)}${lines(roundEvents({ n: 5 }))}`,
    );
    expect(afterwards(logDir, ledger).total.cost_micro_usd).toBe(500_000);
  });

  it.each([
    ['emptied', (file: string) => truncateSync(file, 0)],
    ['cut to its end', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(-6).join('\n'))],
    ['cut to its beginning', (file: string) => truncateSync(file, 300)],
    ['removed', (file: string) => rmSync(file)],
  ])('%s: what was counted stays, and is not counted again', (_name, touch) => {
    const { logDir, ledger, file } = started();
    touch(file);
    const after = afterwards(logDir, ledger);
    expect(counted(after)).toEqual(counted(ledger));
    appendFileSync(file, `\n${lines(roundEvents({ n: 5 }))}`);
    const later = afterwards(logDir, after);
    expect(later.total.cost_micro_usd).toBe(500_000);
    expect(later.rounds).toHaveLength(5);
  });

  it('emptied and grown beyond its old length between two looks', () => {
    const { logDir, ledger, file } = started();
    writeFileSync(file, lines([5, 6, 7, 8, 9, 10].flatMap((n) => roundEvents({ n }))));
    expect(afterwards(logDir, ledger).total.cost_micro_usd).toBe(1_000_000);
  });

  it('goes over the end of a month, and back again with a clock that is set back', () => {
    const { logDir, ledger, file } = started();
    writeFileSync(join(logDir, NEXT), lines(roundEvents({ n: 5, at: 3000 })));
    const december = afterwards(logDir, ledger);
    expect(december.total.cost_micro_usd).toBe(500_000);
    appendFileSync(file, lines(roundEvents({ n: 6, at: 2000 })));
    appendFileSync(join(logDir, NEXT), lines(roundEvents({ n: 7, at: 3001 })));
    expect(afterwards(logDir, december).total.cost_micro_usd).toBe(700_000);
  });

  it('files of months to come, left by a clock that was wrong, hide nothing of today', () => {
    const { logDir, ledger, file } = started();
    for (const name of ['events-2098-12.jsonl', 'events-2099-01.jsonl', 'events-9999-12.jsonl']) writeFileSync(join(logDir, name), '');
    const later = afterwards(logDir, ledger);
    appendFileSync(file, lines(roundEvents({ n: 5 })));
    const now = afterwards(logDir, later);
    expect(now.total.cost_micro_usd).toBe(500_000);
    writeFileSync(join(logDir, NEXT), lines(roundEvents({ n: 6, at: 3000 })));
    expect(afterwards(logDir, now).total.cost_micro_usd).toBe(600_000);
  });

  it('a gigabyte of other lines is not parsed', () => {
    const { logDir, ledger, file } = started();
    appendFileSync(file, `{"ts":"2026-11-29T13:00:00.000Z","event":"round_progress",${'x'.repeat(5000)}\n`.repeat(50));
    expect(counted(afterwards(logDir, ledger))).toEqual(counted(ledger));
  });

  it('round numbers that begin anew count on', () => {
    const { logDir, ledger, file } = started();
    appendFileSync(file, lines(roundEvents({ n: 1, at: 60 })));
    expect(afterwards(logDir, ledger).total.cost_micro_usd).toBe(500_000);
  });
});

const FOREIGN: fc.Arbitrary<StoredEvent> = fc.record({
  ts: fc.constantFrom('2026-11-29T12:05:00.000Z', '2099-01-01T00:00:00.000Z', 'garbage'),
  event: fc.constantFrom('goal_check', 'goal_assessment', 'hook_failed', 'round_starts', 'toString', '__proto__', 'constructor'),
  round_num: fc.constantFrom<unknown>(1, 2, 999_999, null, 'x'),
  agent: fc.constantFrom('claude', '*', 'sentinel'),
  cost_usd: fc.constantFrom<unknown>(1000, -1000, null),
  input_tokens: fc.constantFrom<unknown>(1e9, -5),
  git_head: fc.constantFrom('z', null),
  reason: fc.constant('budget'),
  outcome: fc.constantFrom('ok', 'rate_limited'),
});
const ROUNDS = fc.array(
  fc.record({
    cost: fc.constantFrom(0.1, 0.25, null, 0.0000005),
    usage: fc.constantFrom(undefined, undefined, null),
    agent: fc.constantFrom('claude', 'pi', 'kimi'),
    outcome: fc.constantFrom('ok', 'crash', 'rate_limited', 'timeout'),
    moved: fc.boolean(),
    gap: fc.integer({ min: 1, max: 900 }),
    ack: fc.constantFrom<null | undefined | string[]>(null, null, null, undefined, ['max_cost_usd_per_day'], ['max_rounds_per_hour']),
  }),
  { minLength: 1, maxLength: 25 },
);

function history(rounds: typeof ROUNDS extends fc.Arbitrary<infer T> ? T : never): StoredEvent[] {
  let at = 0;
  let head = 0;
  return rounds.flatMap(({ cost, usage, agent, outcome, moved, gap, ack }, i) => {
    at += gap;
    const before = `h${head}`;
    if (moved) head += 1;
    const events = roundEvents({ n: i + 1, at, agent, cost, outcome, head: [before, `h${head}`], ...(usage === null ? { usage } : {}) });
    return ack === null ? events : [...events, ackEvent(at + 0.5, ack)];
  });
}

const ANYTHING = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(Number.NaN, Number.MAX_VALUE, -1, 1e308, 2 ** 60, 'ok', ['max_cost_usd_total', 7]),
);
const WILD: fc.Arbitrary<StoredEvent> = fc.record({
  ts: fc.oneof(
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.string(),
  ),
  event: fc.constantFrom(...LEDGER_KINDS),
  round_num: fc.oneof(fc.nat(5), ANYTHING),
  agent: ANYTHING,
  cost_usd: ANYTHING,
  input_tokens: ANYTHING,
  output_tokens: ANYTHING,
  cache_creation_tokens: ANYTHING,
  git_head: ANYTHING,
  outcome: ANYTHING,
  duration_s: ANYTHING,
  reason: fc.constantFrom<unknown>('budget', 'config', 3),
  classification: fc.constantFrom<unknown>('network', 'billing', 3),
  limits: ANYTHING,
});

describe('the fold', () => {
  it('never throws and always leaves a ledger that can be read again, whatever the events hold', () => {
    fc.assert(
      fc.property(fc.array(WILD, { maxLength: 40 }), (events) => {
        const ledger = folded(events);
        expect(restarted(ledger)).toEqual(JSON.parse(JSON.stringify(ledger)));
        expect(restarted(ledger)).not.toBeNull();
      }),
    );
  });

  it('reference case 15: is the same with adversarial events of others between its own', () => {
    fc.assert(
      fc.property(ROUNDS, fc.array(fc.tuple(fc.nat(), FOREIGN)), (rounds, foreign) => {
        const events = history(rounds);
        const mixed = [...events];
        for (const [where, event] of foreign) mixed.splice(where % (mixed.length + 1), 0, event);
        expect(folded(mixed)).toEqual(folded(events));
      }),
    );
  });

  it('in any pieces, with restarts between, is the fold at once: over months, torn lines and copies', () => {
    fc.assert(
      fc.property(
        ROUNDS,
        fc.infiniteStream(fc.integer({ min: 1, max: 700 })),
        fc.array(fc.nat(), { maxLength: 5 }),
        (rounds, sizes, copies) => {
          const logDir = testFolderOnce();
          const files = new Map<string, string>([
            [MONTH, ''],
            [NEXT, ''],
          ]);
          const events = history(rounds);
          let ledger = emptyLedger();
          const append = (name: string, text: string) => {
            files.set(name, files.get(name) + text);
            let rest = text;
            while (rest !== '') {
              const size = sizes.next().value as number;
              appendFileSync(join(logDir, name), rest.slice(0, size));
              rest = rest.slice(size);
              ledger = restarted(ledger);
              while (catchUp(logDir, ledger, size)) ledger = restarted(ledger);
            }
          };
          for (const event of events) append(event.ts < '2026-12' ? MONTH : NEXT, line(event));
          const before = counted(ledger);
          for (const copy of copies) append(NEXT, line(events[copy % events.length] as StoredEvent));
          expect(counted(ledger)).toEqual(before);
          const whole = folded(events);
          expect(counted(ledger)).toEqual(counted(whole));
          expect(counted(foldAll(logDir))).toEqual(counted(whole));
          rmSync(join(logDir, MONTH), { force: true });
          rmSync(join(logDir, NEXT), { force: true });
        },
      ),
      { numRuns: 60 },
    );
  });
});

let folder: string | null = null;
function testFolderOnce(): string {
  folder ??= testFolder();
  return folder;
}
