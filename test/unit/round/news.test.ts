import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { custom } from '../../../src/agents/custom.ts';
import { followTurn } from '../../../src/agents/turn.ts';
import { tellNews } from '../../../src/round/news.ts';
import { testClock } from '../../support/clock.ts';
import { testFolder } from '../../support/folder.ts';

const MONITOR = { anomaly_repetitive_window: 0, anomaly_repetitive_threshold: 0, round_progress_interval_s: 0 };

function told(monitor: Partial<typeof MONITOR> = {}) {
  const clock = testClock();
  const events: Record<string, unknown>[] = [];
  const logPath = join(testFolder(), 'R7.log');
  const emit = (kind: string, fields: object) => void events.push({ event: kind, ...fields });
  const news = tellNews({ emit: emit as never, roundNum: 7, logPath, monitor: { ...MONITOR, ...monitor }, clock });
  return { clock, events, logPath, news };
}

describe('the retries of a CLI', () => {
  it('are told at once, and then at most every 30 s, with how the log stands', () => {
    const { clock, events, logPath, news } = told();
    writeFileSync(logPath, 'x'.repeat(3000));
    const t = clock.now();
    utimesSync(logPath, t / 1000, (t - 2000) / 1000);
    for (let s = 0; s < 90; s++) {
      clock.set(t + s * 1000);
      news.options.onRetrying?.(`429, attempt ${s}`);
    }
    expect(events.map(({ retrying, wall_age_s }) => [retrying, wall_age_s])).toEqual([
      ['429, attempt 0', 0],
      ['429, attempt 30', 30],
      ['429, attempt 60', 60],
    ]);
    expect(events[0]).toMatchObject({ event: 'round_progress', round_num: 7, log_size_kb: 2, last_write_age_s: 2 });
  });

  it('are bounded for a round that only retries', () => {
    const { clock, events, news } = told();
    const t = clock.now();
    for (let s = 0; s < 24 * 3600; s += 10) {
      clock.set(t + s * 1000);
      news.options.onRetrying?.('overloaded');
    }
    expect(events).toHaveLength(120);
  });

  it('and nothing else is told when nothing is asked for', async () => {
    const { events, news } = told();
    news.options.onRepetition?.({ tool: 'Bash', target: 'ls', count: 3, window: 10 });
    await Promise.resolve();
    expect(events).toEqual([{ event: 'anomaly_repetitive_tool', round_num: 7, tool_name: 'Bash', target: 'ls', count: 3, window: 10 }]);
  });
});

it('signs of life come every interval, also before there is a log, until the end', async () => {
  const { clock, events, news } = told({ round_progress_interval_s: 5 });
  for (let i = 0; i < 40 && events.length < 3; i++) await Promise.resolve();
  news.end();
  const at = events.length;
  for (let i = 0; i < 40; i++) await Promise.resolve();
  expect(at).toBeGreaterThanOrEqual(3);
  expect(events.length - at).toBeLessThanOrEqual(1);
  expect(events[0]).toEqual({ event: 'round_progress', round_num: 7, log_size_kb: 0, last_write_age_s: 5, wall_age_s: 5 });
  expect(clock.now()).toBeGreaterThan(0);
});

it('the window and the threshold of the configuration arm the repetition', () => {
  const { events, news } = told({ anomaly_repetitive_window: 5, anomaly_repetitive_threshold: 3 });
  const adapter = {
    ...custom,
    read: () => ({
      line: () => ({ tools: [{ tool: 'Read', target: 'a.ts' }] }),
      conclude: () => ({ finished: null, error: null, usage: null }),
    }),
  };
  const turn = followTurn(adapter, { command: ['x'], ...news.options });
  for (let i = 0; i < 5; i++) turn.line('x');
  expect(events).toEqual([{ event: 'anomaly_repetitive_tool', round_num: 7, tool_name: 'Read', target: 'a.ts', count: 3, window: 5 }]);
});
