import { expect, it } from 'vitest';
import { systemClock } from '../../src/util/clock.ts';
import { wallTime } from '../../src/util/zone.ts';
import { project } from '../support/project.ts';
import { until } from '../support/wait.ts';

/** A zone in which few machines are. */
const ZONE = { name: 'Asia/Kathmandu' };
const two = (n: number) => String(n).padStart(2, '0');

/** `14:05` there, so many minutes from now. */
function clock(minutes: number): string {
  const { hour, minute } = wallTime(systemClock.now() + minutes * 60_000, ZONE);
  return `${two(hour)}:${two(minute)}`;
}
const schedule = (lines: string) => ({ more: `[schedule]\ntimezone = "${ZONE.name}"\n${lines}\n` });

it('scar 73: outside of its windows serve waits and says until when; wake starts one round, a reload opens the window, round asks nobody', async () => {
  const closed = `run_windows = ["${clock(120)}-${clock(180)}"]`;
  const at = project(schedule(closed));
  const serve = at.start(['serve']);
  const paused = await at.event('schedule_paused');
  expect(paused).toMatchObject({ active_window: 'outside run_windows', timezone: ZONE.name });
  const left = Date.parse(paused.resume_at) - systemClock.now();
  expect(left).toBeGreaterThan(118 * 60_000);
  expect(left).toBeLessThan(121 * 60_000);

  const peek = await at.run(['peek', '--json', '--check']);
  expect(peek.code).toBe(0);
  const seen = JSON.parse(peek.stdout);
  expect(seen).toMatchObject({
    state: 'schedule',
    healthy: true,
    until: paused.resume_at,
    schedule: { paused: true, resume_at: paused.resume_at, active_window: 'outside run_windows', phase: null },
    needs_human: null,
  });
  expect(seen.sentence).toMatch(
    /^Paused by the schedule until \S{3} \d\d:\d\d \(Asia\/Kathmandu\): outside .*`agent-runner wake`.*nobody is needed\.$/,
  );

  expect((await at.run(['round'])).code).toBe(0);
  expect((await at.run(['wake'])).stderr).toContain('schedule');
  await until('one round by serve', () => at.events('round_end').length === 2);
  await until('it waits again', () => at.events('schedule_paused').length === 2);
  expect(at.events('schedule_resumed')).toEqual([]);

  at.edit(closed, `run_windows = ["${clock(-120)}-${clock(120)}"]`);
  await at.run(['reload']);
  await at.event('schedule_resumed');
  await until('a third round', () => at.events('round_end').length >= 3);
  const open = JSON.parse((await at.run(['peek', '--json'])).stdout);
  expect(open.schedule).toEqual({ paused: false, resume_at: null, active_window: null, phase: null });
  serve.child.kill('SIGTERM');
  expect((await serve.ended).code).toBe(0);
});

it('cron starts rounds at its times, also after kill -9; --ignore-schedule does not wait for them', async () => {
  const at = project({ more: '[schedule]\ncron = "*/3 * * * * *"\n' });
  const first = at.start(['serve'], { env: { TZ: 'Asia/Tokyo' } });
  await at.event('round_end');
  first.child.kill('SIGKILL');
  await first.ended;
  expect((await at.run(['serve', '--max-rounds', '2'])).code).toBe(0);
  const starts = at.events('round_start').map(({ ts }) => Date.parse(ts));
  expect(starts.length).toBeGreaterThanOrEqual(3);
  // The second one may be a start that was missed while nobody was there.
  for (const start of [starts[0], starts.at(-1)]) expect((start ?? 0) % 3000).toBeLessThan(1500);
  expect(at.events('schedule_paused')[0]).toMatchObject({ active_window: 'cron */3 * * * * *', timezone: 'Asia/Tokyo' });

  at.edit('*/3 * * * * *', '0 0 29 2 *');
  expect((await at.run(['serve', '--once', '--ignore-schedule'])).code).toBe(0);
});

it('a schedule that never opens is refused, with its place', async () => {
  const at = project(schedule('pause_windows = ["00:00-24:00"]'));
  const { code, stderr } = await at.run(['serve']);
  expect(code).toBe(78);
  expect(stderr).toMatch(/agent-runner\.toml:\d+:\d+: schedule\.pause_windows: .*AR-CFG-052/s);
});
