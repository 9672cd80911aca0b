import { expect, it } from 'vitest';
import type { RoundBodyInput, RoundBodyReport } from '../../../src/round/body.ts';
import { superviseBody } from '../../../src/round/ceiling.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { outerCeilingMs } from '../../../src/util/stop-budget.ts';

const DAY_MS = 24 * 3600 * 1000;

/** A clock that runs as far as it is let. */
function clockTo(end: number): Clock {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    async sleep(ms, signal) {
      await new Promise(setImmediate);
      if (now + ms <= end) now += ms;
      else await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
}

/** Everything that happened, in order. */
function scene(budgetMs: number, clock: Clock) {
  const outside = new AbortController();
  const told: string[] = [];
  const done = superviseBody(
    async (input: RoundBodyInput) => {
      input.onSpawned({ pid: 77, startTicks: 1 });
      await new Promise<void>((resolve) => input.stop.addEventListener('abort', () => resolve(), { once: true }));
      told.push(`body ended: ${input.stop.reason}`);
      return 'report' as unknown as RoundBodyReport;
    },
    { logPath: '/logs/R1.log', onSpawned: () => told.push('spawned') } as unknown as Omit<RoundBodyInput, 'stop'>,
    { stops: [outside.signal], budgetMs, emit: (kind, fields) => void told.push(`${kind} ${JSON.stringify(fields)}`), clock },
  );
  return { told, done, stop: () => outside.abort('stopped') };
}

it('reference case 8: a round that outlives its ceiling is ended first and told of then', async () => {
  const { told, done } = scene(60_000, clockTo(Number.POSITIVE_INFINITY));
  await done;
  expect(told).toEqual(['spawned', 'body ended: stopped', 'round_supervisor_wedged {"pid":77,"timeout_s":245,"log_path":"/logs/R1.log"}']);
});

it('reference case 8: before that nothing is forced; a stop that somebody asked for is no wedge', async () => {
  const { told, done, stop } = scene(60_000, clockTo(outerCeilingMs(60_000) - 1));
  await new Promise(setImmediate);
  expect(told).toEqual(['spawned']);
  stop();
  await done;
  expect(told).toEqual(['spawned', 'body ended: stopped']);
});

it('field bug 40: a wall of thirty days is not cut to the longest timer of Node', async () => {
  const { told, done, stop } = scene(30 * DAY_MS, clockTo(30 * DAY_MS));
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  expect(told).toEqual(['spawned']);
  stop();
  await done;
});

it('scar 11: the supervisor and peek go by one budget: 185 s beyond the wall for the ladder, a commit and hooks', () => {
  expect(outerCeilingMs(1_800_000)).toBe(1_985_000);
});
