import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layout } from '../../../../src/state/layout.ts';
import { lookAtJson } from '../../../../src/state/look.ts';
import { testFolder } from '../../../support/folder.ts';
import { liveThrough } from './night.ts';

const NIGHT = '[schedule]\ntimezone = "Europe/Zurich"\nrun_windows = ["Mon-Fri 22:00-06:00"]\n';
const kinds = (events: { event: string }[]) => events.map(({ event }) => event).filter((kind) => kind.startsWith('schedule'));

describe('windows', () => {
  it('rounds start from the opening on, to the second, and none starts after the end; one that runs is let finish', async () => {
    const { rounds, events } = await liveThrough({ config: NIGHT, from: '2026-11-30T10:00Z', until: '2026-12-01T12:00Z', rounds: [200] });
    expect(rounds).toEqual(['2026-11-30T21:00Z', '2026-12-01T00:20:03Z', '2026-12-01T03:40:06Z']);
    expect(events.filter(({ event }) => event.startsWith('schedule'))).toEqual([
      {
        event: 'schedule_paused',
        ts: '2026-11-30T10:00Z',
        active_window: 'outside run_windows',
        resume_at: '2026-11-30T21:00:00.000Z',
        timezone: 'Europe/Zurich',
      },
      { event: 'schedule_resumed', ts: '2026-11-30T21:00Z', paused_for_s: 11 * 3600 },
      expect.objectContaining({ event: 'schedule_paused', ts: '2026-12-01T07:00:06Z', resume_at: '2026-12-01T21:00:00.000Z' }),
    ]);
  });

  it('a stop during a round: the drain that waits for its end is told once, and so is its end', async () => {
    const { events } = await liveThrough({ config: NIGHT, from: '2026-11-30T21:00Z', until: '2026-11-30T21:30Z', rounds: [60] });
    expect(events.filter(({ event, reason }) => event.startsWith('wait') && reason === 'draining')).toMatchObject([
      { event: 'wait_started', ts: '2026-11-30T21:30Z' },
      { event: 'wait_ended', ts: '2026-11-30T22:00Z', waited_for_s: 1800 },
    ]);
  });

  it('a stop leaves the pause as the newest word', async () => {
    const { events, end } = await liveThrough({ config: NIGHT, from: '2026-11-30T10:00Z', until: '2026-11-30T20:59Z' });
    expect(kinds(events)).toEqual(['schedule_paused']);
    expect(end).toMatchObject({ exitCode: 0, reason: 'signal' });
  });

  it('scar 73: what is waited for is told once, with its end, and told anew after whatever came in between', async () => {
    const { events, rounds } = await liveThrough({
      config: NIGHT,
      from: '2026-11-30T10:00Z',
      until: '2026-11-30T20:00Z',
      script: [['2026-11-30T15:00Z', 'wake']],
    });
    expect(rounds).toEqual(['2026-11-30T15:00Z']);
    expect(kinds(events)).toEqual(['schedule_paused', 'schedule_paused']);
    expect(events.filter(({ event }) => event === 'wait_ended').map(({ ended_by }) => ended_by)).toEqual(['woken', 'stopped']);
  });

  it.each([
    ['spring', '2026-03-28T12:00Z', '2026-03-29T12:00Z', ['2026-03-28T21:00Z', '2026-03-29T00:00:03Z', '2026-03-29T03:00:06Z']],
    ['autumn', '2026-10-24T12:00Z', '2026-10-25T12:00Z', ['2026-10-24T20:00Z', '2026-10-24T23:00:03Z', '2026-10-25T02:00:06Z']],
  ])('on the night of the change, in %s', async (_, from, until, expected) => {
    const config = '[schedule]\ntimezone = "Europe/Zurich"\nrun_windows = ["22:00-06:00"]\n';
    expect((await liveThrough({ config, from, until, rounds: [180] })).rounds).toEqual(expected);
  });

  it('a reload counts at once, also while the old schedule is waited for', async () => {
    const { rounds, events } = await liveThrough({
      config: NIGHT,
      from: '2026-11-30T10:00Z',
      until: '2026-11-30T13:00Z',
      rounds: [600],
      script: [
        ['2026-11-30T11:00Z', { config: '[schedule]\ntimezone = "UTC"\nrun_windows = ["11:30-12:00"]\n' }],
        ['2026-11-30T11:10Z', { config: '[schedule]\ntimezone = "UTC"\nrun_windows = ["11:20-12:00"]\n' }],
      ],
    });
    expect(rounds).toEqual(['2026-11-30T11:20Z']);
    expect(events.filter(({ event }) => event === 'schedule_paused').map(({ resume_at }) => resume_at)).toEqual([
      '2026-11-30T21:00:00.000Z',
      '2026-11-30T11:30:00.000Z',
      '2026-11-30T11:20:00.000Z',
    ]);
  });

  it('a clock that jumps ahead over the opening opens; nobody looks less often than every 30 s', async () => {
    const { rounds, looks } = await liveThrough({
      config: NIGHT,
      from: '2026-11-30T20:00Z',
      until: '2026-11-30T21:10Z',
      everyLook: true,
      script: [['2026-11-30T20:30:10Z', { clock: 32 * 60_000 }]],
    });
    expect(rounds).toEqual(['2026-11-30T21:02:10Z']);
    expect(looks).toBeLessThan(100);
  });

  it('--ignore-schedule looks at no window and no start', async () => {
    const config = `${NIGHT}cron = "0 22 * * *"\n`;
    const { rounds, events } = await liveThrough({
      config,
      from: '2026-11-30T10:00Z',
      until: '2026-11-30T11:00Z',
      ignoreSchedule: true,
      maxRounds: 2,
    });
    expect(rounds).toEqual(['2026-11-30T10:00Z', '2026-11-30T10:10:03Z']);
    expect(kinds(events)).toEqual([]);
  });
});

it('a word of a person in the middle of a look is heard at once, not at the next look', async () => {
  const logDir = join(testFolder(), 'logs');
  const paths = layout(logDir);
  mkdirSync(paths.state, { recursive: true });
  writeFileSync(paths.pause, JSON.stringify({ until: null, since: '2026-11-30T09:00:00.000Z' }));
  const { rounds } = await liveThrough({
    config: '',
    logDir,
    from: '2026-11-30T10:00Z',
    until: '2026-11-30T10:05Z',
    duringLook(_, speak) {
      rmSync(paths.pause);
      speak();
    },
  });
  expect(rounds).toEqual(['2026-11-30T10:00Z']);
});

describe('phases', () => {
  const phases = (policy: string) => `[schedule]
timezone = "UTC"
run_windows = ["12:00-13:00"]
[phases]
list = ["build", "review"]
phase_policy = "${policy}"
[phases.review.schedule]
run_windows = ["22:00-06:00"]
`;

  it('reference case 17: wait: the phase in turn is waited for; its schedule replaces the base windows and inherits the zone', async () => {
    const { rounds, events } = await liveThrough({
      config: phases('wait'),
      from: '2026-11-30T12:00Z',
      until: '2026-12-02T00:00Z',
      rounds: [10],
    });
    expect(rounds).toEqual(['2026-11-30T12:00Z build', '2026-11-30T22:00Z review', '2026-12-01T12:00Z build', '2026-12-01T22:00Z review']);
    expect(events.find(({ event }) => event === 'schedule_paused')).toMatchObject({ phase: 'review', timezone: 'UTC' });
    expect(kinds(events)).not.toContain('schedule_phase_skipped');
  });

  it('reference case 17: skip: the next phase that is open runs, by the round number alone, and who was stepped over is told', async () => {
    const { rounds, events } = await liveThrough({
      config: phases('skip'),
      from: '2026-11-30T12:00Z',
      until: '2026-11-30T22:40Z',
      rounds: [25],
    });
    expect(rounds).toEqual([
      '2026-11-30T12:00Z build',
      '2026-11-30T12:25:03Z build',
      '2026-11-30T12:50:06Z build',
      '2026-11-30T22:00Z review',
      '2026-11-30T22:25:03Z review',
    ]);
    expect(events.filter(({ event }) => event === 'schedule_phase_skipped')).toEqual([
      {
        event: 'schedule_phase_skipped',
        ts: '2026-11-30T12:25:03Z',
        round_num: 2,
        skipped: ['review'],
        chosen: 'build',
        active_window: 'outside run_windows',
      },
      expect.objectContaining({ round_num: 5, skipped: ['build'], chosen: 'review' }),
    ]);
  });
});

describe('starts by cron', () => {
  const cron = (text: string, more = '') => `[schedule]\ntimezone = "Europe/Zurich"\ncron = ${text}\n${more}`;

  it('rounds start then instead of back to back, on the nights of a change too', async () => {
    const { rounds } = await liveThrough({ config: cron('"30 2 * * *"'), from: '2026-03-27T12:00Z', until: '2026-03-30T12:00Z' });
    expect(rounds).toEqual(['2026-03-28T01:30Z', '2026-03-29T01:30Z', '2026-03-30T00:30Z']);
    const autumn = await liveThrough({ config: cron('"30 2 * * *"'), from: '2026-10-24T12:00Z', until: '2026-10-26T12:00Z' });
    expect(autumn.rounds).toEqual(['2026-10-25T00:30Z', '2026-10-26T01:30Z']);
  });

  it('the newest word while it waits is its pause, so that nobody takes serve for dead', async () => {
    const { events } = await liveThrough({ config: cron('"0 22 * * *"'), from: '2026-11-30T12:00Z', until: '2026-12-01T12:00Z' });
    expect(events.filter(({ event }) => event.startsWith('schedule'))).toMatchObject([
      { event: 'schedule_paused', active_window: 'cron 0 22 * * *', resume_at: '2026-11-30T21:00:00.000Z' },
      { event: 'schedule_resumed' },
      { event: 'schedule_paused', resume_at: '2026-12-01T21:00:00.000Z' },
    ]);
  });

  it('what is missed while a round runs is one start, right after it', async () => {
    const { rounds } = await liveThrough({
      config: cron('"0 * * * *"'),
      from: '2026-11-30T12:30Z',
      until: '2026-11-30T18:00Z',
      rounds: [150, 10],
    });
    expect(rounds).toEqual(['2026-11-30T13:00Z', '2026-11-30T15:30:03Z', '2026-11-30T16:00Z', '2026-11-30T17:00Z']);
  });

  it('what a machine sleeps over is one start, when it wakes up', async () => {
    const { rounds } = await liveThrough({
      config: cron('["0 1 * * *", "0 3 * * *"]'),
      from: '2026-11-30T20:00Z',
      until: '2026-12-02T01:00Z',
      script: [['2026-11-30T22:00Z', { clock: 9 * 3_600_000 }]],
    });
    expect(rounds).toEqual(['2026-12-01T07:00Z', '2026-12-02T00:00Z']);
  });

  it('a clock that is set back does not have a start twice', async () => {
    const { rounds } = await liveThrough({
      config: cron('"0 22 * * *"'),
      from: '2026-11-30T20:00Z',
      until: '2026-12-01T22:00Z',
      script: [['2026-11-30T21:30Z', { clock: -3_600_000 }]],
    });
    expect(rounds).toEqual(['2026-11-30T21:00Z', '2026-12-01T21:00Z']);
  });

  it('windows apply: a start outside of them is none', async () => {
    const config = cron('"0 */3 * * *"', 'run_windows = ["22:00-06:00"]\n');
    const { rounds } = await liveThrough({ config, from: '2026-11-30T12:00Z', until: '2026-12-01T12:00Z' });
    expect(rounds).toEqual(['2026-11-30T23:00Z', '2026-12-01T02:00Z']);
  });

  it('one that comes due within the windows and is late waits for them', async () => {
    const config = cron('["0 23 * * *", "0 5 * * *"]', 'run_windows = ["22:00-06:00"]\n');
    const { rounds } = await liveThrough({ config, from: '2026-11-30T12:00Z', until: '2026-12-02T00:00Z', rounds: [9 * 60, 10] });
    expect(rounds).toEqual(['2026-11-30T22:00Z', '2026-12-01T21:00Z', '2026-12-01T22:00Z']);
  });

  it('wake starts one round at once, and the next start stays where it was', async () => {
    const { rounds } = await liveThrough({
      config: cron('"0 22 * * *"'),
      from: '2026-11-30T12:00Z',
      until: '2026-11-30T22:00Z',
      script: [['2026-11-30T13:00Z', 'wake']],
    });
    expect(rounds).toEqual(['2026-11-30T13:00Z', '2026-11-30T21:00Z']);
  });

  it('phases have starts of their own, and windows replace them', async () => {
    const config = `[schedule]
timezone = "UTC"
cron = "0 1 * * *"
[phases]
list = ["build", "review", "tidy"]
[phases.review.schedule]
cron = ["0 2 * * *", "0 3 * * *"]
[phases.tidy.schedule]
run_windows = ["06:00-08:00"]
`;
    const { rounds } = await liveThrough({ config, from: '2026-11-30T23:00Z', until: '2026-12-02T05:00Z' });
    expect(rounds).toEqual([
      '2026-12-01T01:00Z build',
      '2026-12-01T02:00Z review',
      '2026-12-01T06:00Z tidy',
      '2026-12-02T01:00Z build',
      // The 03:00 of the day before was missed while others were waited for: one start, right away.
      '2026-12-02T01:10:03Z review',
    ]);
  });

  it('--once waits for the start; --max-rounds counts starts', async () => {
    const night = { config: cron('"0 22 * * *"'), from: '2026-11-30T12:00Z', until: '2026-12-09T12:00Z' };
    expect(await liveThrough({ ...night, once: true })).toMatchObject({ rounds: ['2026-11-30T21:00Z'], end: { reason: 'once' } });
    expect((await liveThrough({ ...night, maxRounds: 2 })).rounds).toEqual(['2026-11-30T21:00Z', '2026-12-01T21:00Z']);
  });

  it('one that the environment or a limit kept from working is tried again the same night', async () => {
    const night = { config: cron('"0 22 * * *"'), from: '2026-11-30T12:00Z', until: '2026-12-01T12:00Z', rounds: [0, 0, 10] };
    const { rounds } = await liveThrough({ ...night, outcomes: ['environment', 'rate_limited', 'ok'] });
    expect(rounds).toEqual(['2026-11-30T21:00Z', '2026-11-30T21:00:06Z', '2026-11-30T21:00:09Z']);
    expect((await liveThrough({ ...night, outcomes: ['crash'] })).rounds).toEqual(['2026-11-30T21:00Z']);
  });

  it('one that a stop kept from its agent, while a hook ran, is had by the serve after', async () => {
    const night = { config: cron('"0 22 * * *"'), logDir: join(testFolder(), 'logs'), rounds: [1] };
    const stopped = await liveThrough({ ...night, from: '2026-11-30T12:00Z', until: '2026-12-01T12:00Z', outcomes: ['stopped'] });
    expect(stopped.rounds).toEqual(['2026-11-30T21:00Z']);
    const next = { ...night, from: '2026-11-30T21:05Z', until: '2026-12-01T12:00Z', deliberateRestart: true };
    expect((await liveThrough(next)).rounds).toEqual(['2026-11-30T21:05Z']);
  });

  it('survives a restart: a start that came due meanwhile is made up, but not what passed while serve was stopped on purpose', async () => {
    const config = cron('"0 22 * * *"');
    const logDir = join(testFolder(), 'logs');
    const before = await liveThrough({ config, logDir, from: '2026-11-30T12:00Z', until: '2026-11-30T20:50Z' });
    expect(before.rounds).toEqual([]);
    const seen = lookAtJson(layout(logDir).starts);
    expect(seen).toMatchObject({ value: { starts: [{ cron: '["Europe/Zurich","0 22 * * *"]', at: '2026-11-30T12:00:00.000Z' }] } });
    const again = { config, logDir, until: '2026-12-01T10:30Z' };
    expect((await liveThrough({ ...again, from: '2026-12-01T10:00Z', deliberateRestart: true })).rounds).toEqual([]);
    expect((await liveThrough({ ...again, until: '2026-12-01T21:20Z', from: '2026-12-01T20:59Z' })).rounds).toEqual(['2026-12-01T21:00Z']);
    expect(
      (await liveThrough({ ...again, from: '2026-12-02T21:30Z', until: '2026-12-02T21:50Z', deliberateRestart: true })).rounds,
    ).toEqual(['2026-12-02T21:30Z']);
    expect((await liveThrough({ ...again, from: '2026-12-04T08:00Z', until: '2026-12-04T09:00Z' })).rounds).toEqual(['2026-12-04T08:00Z']);
  });
});
