import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Life, live, refusal } from './live.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const ALONE = '[agent]\ncommand = ["claude"]\nprompt_delivery = "stdin"';
const WITH_FALLBACK = `${ALONE}\n[[agent.fallback]]\ncommand = ["codex"]\nprompt_delivery = "stdin"`;
const SKIP = `${ALONE}\n[phases]\nlist = ["plan", "build"]\nphase_policy = "skip"\n[phases.build.agent]\ncommand = ["codex"]`;

/** Refuses until then. */
const until =
  (second: number, classification = 'rate_limit_account', stated = true): Life['answer'] =>
  (account, now) =>
    account === 'claude' && now < second ? refusal(classification, stated ? second : null) : null;

describe('the loop and the limits of accounts', () => {
  it('a limit of 30 days ends then and not before', async () => {
    const { rounds, end } = await live({ config: ALONE, seconds: 30 * DAY + 3 * HOUR, answer: until(30 * DAY), stride: 60, roundS: HOUR });
    expect(rounds.slice(0, 2).map(({ ok }) => ok)).toEqual([false, true]);
    expect(rounds[1]?.at).toBeGreaterThanOrEqual(30 * DAY + 5);
    expect(rounds[1]?.at).toBeLessThanOrEqual(30 * DAY + 5 + 1800);
    expect(end.reason).toBe('signal');
  });

  it('a clock that is set ahead ends a wait at the next look, one that is set back does not lengthen it', async () => {
    const answer = until(9 * HOUR);
    const ahead = await live({ config: ALONE, seconds: 9 * HOUR, answer, roundS: HOUR, jump: { at: HOUR, by: 8 * HOUR + 60 } });
    expect(ahead.rounds[1]?.at).toBeGreaterThanOrEqual(HOUR);
    expect(ahead.rounds[1]?.at).toBeLessThanOrEqual(HOUR + 30);
    const back = await live({ config: ALONE, seconds: 10 * HOUR, answer, roundS: HOUR, jump: { at: HOUR, by: -8 * HOUR } });
    expect(back.rounds[1]?.at).toBeGreaterThanOrEqual(9 * HOUR + 5);
    expect(back.rounds[1]?.at).toBeLessThanOrEqual(9 * HOUR + 5 + 30);
  });

  it('a night without a network needs nobody, and work goes on within five minutes of its return', async () => {
    const { rounds, events, end, asked } = await live({
      config: ALONE,
      seconds: 9 * HOUR,
      answer: until(8 * HOUR, 'network', false),
      roundS: 1200,
    });
    const first = rounds.find(({ ok }) => ok);
    expect((first?.at ?? 0) - 8 * HOUR).toBeLessThanOrEqual(305);
    expect(rounds.filter(({ ok }) => !ok).length).toBeLessThan(110);
    expect(end).toMatchObject({ reason: 'signal', roundsCompleted: rounds.filter(({ ok }) => ok).length });
    expect(asked).toEqual([]);
    expect(events.filter(({ event }) => ['needs_human', 'progress_stalled', 'crash_loop'].includes(event))).toEqual([]);
  });

  it('an outage of the provider is waited for at most half an hour too long', async () => {
    const { rounds } = await live({ config: ALONE, seconds: 6 * HOUR, answer: until(5 * HOUR, 'api_transient_5xx', false), roundS: 1200 });
    expect(rounds.slice(0, 7).map(({ at }) => Math.round(at))).toEqual([0, 67, 194, 441, 928, 1895, 3702]);
    expect(rounds.find(({ ok }) => ok)?.at).toBeLessThanOrEqual(5 * HOUR + 1807);
  });

  it('the fallback takes over and hands back, and each recovery is told once', async () => {
    const { rounds, events } = await live({ config: WITH_FALLBACK, seconds: 3 * HOUR, answer: until(HOUR), roundS: 300 });
    const who = rounds.map(({ account }) => account);
    expect(who.slice(0, 2)).toEqual(['claude', 'codex']);
    const back = rounds.findIndex(({ account }, index) => index > 0 && account === 'claude');
    expect(rounds[back]?.at).toBeGreaterThanOrEqual(HOUR + 5);
    expect(rounds[back]?.at).toBeLessThanOrEqual(HOUR + 5 + 303);
    expect(who.slice(1, back).every((account) => account === 'codex')).toBe(true);
    expect(who.slice(back).every((account) => account === 'claude')).toBe(true);
    expect(events.filter(({ event }) => event === 'transient_error_recovered')).toMatchObject([{ agent: 'claude' }]);
  });

  it('a refused login is set aside for an hour while another runs, and a person is asked once', async () => {
    const { rounds, events, end, asked } = await live({
      config: WITH_FALLBACK,
      seconds: 5 * HOUR,
      answer: until(DAY, 'auth', false),
      roundS: 600,
    });
    const tries = rounds.filter(({ account }) => account === 'claude').map(({ at }) => at);
    expect(tries.length).toBe(5);
    expect(Math.min(...tries.slice(1).map((at, index) => at - (tries[index] ?? 0)))).toBeGreaterThanOrEqual(HOUR);
    expect([end.reason, asked]).toEqual(['signal', ['auth']]);
    expect(events.filter(({ event }) => event === 'needs_human')).toHaveLength(1);
  });

  it('scar 44: with every phase throttled the loop sleeps until the first is free', async () => {
    const answer: Life['answer'] = (account, now) =>
      now < 2 * HOUR ? refusal('rate_limit_account', account === 'claude' ? 3 * HOUR : 2 * HOUR) : null;
    const { rounds, looks } = await live({ config: SKIP, seconds: 4 * HOUR, answer, roundS: 600 });
    expect(rounds.slice(0, 3).map(({ at, phase }) => [Math.round(at), phase])).toEqual([
      [0, 'plan'],
      [5, 'build'],
      [2 * HOUR + 5, 'build'],
    ]);
    const between = rounds.filter(({ at }) => at > 10 && at < 2 * HOUR);
    expect(between).toEqual([]);
    expect(looks).toBeLessThan((4 * HOUR) / 30 + 4 * rounds.length);
  });
});

describe('for any limits of two accounts', () => {
  const limits = fc.array(fc.record({ from: fc.nat(3 * HOUR), lasts: fc.integer({ min: 60, max: 2 * HOUR }) }), { maxLength: 4 });

  it('no round starts within a limit that was stated, none is late by more than a look, and the loop never spins', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(ALONE, WITH_FALLBACK, SKIP), limits, limits, async (config, claude, codex) => {
        const limitAt = (account: string, now: number) =>
          (account === 'claude' ? claude : codex).find(({ from, lasts }) => now >= from && now < from + lasts);
        const answer: Life['answer'] = (account, now) => {
          const limit = limitAt(account, now);
          return limit === undefined ? null : refusal('rate_limit_account', limit.from + limit.lasts);
        };
        const { rounds, looks, end } = await live({ config, seconds: 4 * HOUR, answer, roundS: 300 });
        expect(end.reason).toBe('signal');
        expect(looks).toBeLessThan((4 * HOUR) / 30 + 5 * rounds.length + 50);
        const known: Record<string, number> = {};
        let free = 0;
        for (const { at, account, ok } of rounds) {
          expect(at).toBeGreaterThanOrEqual((known[account] ?? 0) - 0.001);
          const soonest = config === ALONE ? (known.claude ?? 0) : Math.min(known.claude ?? 0, known.codex ?? 0);
          expect(at - Math.max(free, soonest)).toBeLessThanOrEqual(6);
          const limit = limitAt(account, at);
          if (limit !== undefined) known[account] = limit.from + limit.lasts + 5;
          free = at + (ok ? 300 : 2);
        }
      }),
      { numRuns: 8 },
    );
  });
});
