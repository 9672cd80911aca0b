import { describe, expect, it, onTestFinished } from 'vitest';
import { type Project, type ProjectOptions, project } from '../support/project.ts';
import { type ScriptedAgent, scriptedAgent } from '../support/virtual/agent.ts';
import { type VirtualServe, type VirtualTime, virtualTime } from '../support/virtual/time.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Scene {
  at: Project;
  agent: ScriptedAgent;
  time: VirtualTime;
}

/** A project whose agent `claude` waits for its words, at a virtual time. */
function scene(start: string, { zone = 'UTC', ...options }: ProjectOptions & { zone?: string } = {}): Scene {
  const at = project({ ...options, runtime: { restart_delay_s: 60, round_timeout_s: 14_400, ...options.runtime } });
  const agent = scriptedAgent(at, 'claude');
  onTestFinished(() => agent.close());
  at.edit(`${at.folder}/agent.sh`, agent.path);
  return { at, agent, time: virtualTime(at, Date.parse(start), zone) };
}

const WELL = { says: [{ type: 'result', is_error: false }], works: true };
/** claude's record of an account's limit, and the turn that it refused. */
const limited = (resetsAtMs: number) => ({
  says: [
    {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour', resetsAt: Math.round(resetsAtMs / 1000) },
    },
    { type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: 'You have hit your limit' },
  ],
  exit: 1,
});

/** Waits for the next round and has its agent meet a limit; resolves when serve waits for its end. */
async function meetsLimit({ agent, time }: Scene, serve: VirtualServe, resetsAt: number): Promise<void> {
  expect(await serve.wait(time.now() + 5 * MINUTE)).toBe('round');
  await agent.begun();
  agent.end(limited(resetsAt));
  await serve.over();
}

/** Passes time until the next round begins, which must be within a minute after `due` (jitter included) and never before. */
async function beginsAt({ time }: Scene, serve: VirtualServe, due: number): Promise<void> {
  expect(await serve.wait(due + 2 * MINUTE)).toBe('round');
  const late = time.now() - due;
  expect(late).toBeGreaterThanOrEqual(5 * SECOND);
  expect(late).toBeLessThanOrEqual(MINUTE);
}

async function stops(serve: VirtualServe): Promise<void> {
  serve.signal('SIGTERM');
  expect((await serve.ended).code).toBe(0);
}

const sentence = async ({ time }: Scene) => (await time.run(['peek', '--check'])).stdout;

describe('a wait for the end of a limit', () => {
  it('of thirty days does not fire early, and goes over the ends of two months (scar 41)', async () => {
    const on = scene('2026-01-30T22:00:00Z');
    const serve = on.time.serve();
    const end = on.time.now() + 30 * DAY;
    await meetsLimit(on, serve, end);
    for (const days of [1, 8, 15, 24.9, 29]) {
      expect(await serve.wait(end - 30 * DAY + days * DAY, HOUR)).toBe('time');
    }
    expect(await sentence(on)).toMatch(/^Waiting until 2026-03-01 22:00 \(1 d from now\): the provider limits the agent/);
    await beginsAt(on, serve, end);
    await stopNow(on, serve);
  });

  it('keeps its end through kill -9, a reboot and a week off', async () => {
    const on = scene('2026-06-10T08:00:00Z');
    const first = on.time.serve();
    const end = on.time.now() + 10 * DAY;
    await meetsLimit(on, first, end);
    expect(await first.wait(on.time.now() + HOUR, MINUTE)).toBe('time');
    await first.kill();
    on.time.passAlone(on.time.now() + 7 * DAY);
    await on.time.host('/proc/sys/kernel/random/boot_id', 'f0f0f0f0-0000-4000-8000-000000000000\n');
    const second = on.time.serve();
    expect(await second.wait(end - MINUTE, 10 * MINUTE)).toBe('time');
    await beginsAt(on, second, end);
    await stopNow(on, second);
  });

  it('that ended while the machine was off holds nobody back, and its end is told once', async () => {
    const on = scene('2026-06-10T08:00:00Z');
    const first = on.time.serve();
    await meetsLimit(on, first, on.time.now() + HOUR);
    await first.kill();
    on.time.passAlone(on.time.now() + 3 * HOUR);
    const second = on.time.serve();
    const back = on.time.now();
    expect(await second.wait(back + 2 * MINUTE)).toBe('round');
    expect(on.time.now() - back).toBeLessThan(MINUTE);
    await on.agent.begun();
    on.agent.end(WELL);
    await second.over();
    await stops(second);
    expect(on.at.events('transient_error_recovered')).toHaveLength(1);
  });
});

describe('field bug 40: clocks that jump, and machines that sleep', () => {
  it.each([
    ['the wall clock is set forward', 8 * HOUR, 0],
    ['the machine sleeps, and the monotonic clock with it', 8 * HOUR, 0],
    ['the machine sleeps, and the monotonic clock goes on', 8 * HOUR, 8 * HOUR],
  ])('in a wait %s by eight hours: it ends on time by the wall clock', async (_words, wall, monotonic) => {
    const on = scene('2026-06-10T08:00:00Z');
    const serve = on.time.serve();
    const end = on.time.now() + 10 * HOUR;
    await meetsLimit(on, serve, end);
    await serve.step(wall, monotonic);
    expect(await serve.wait(end - MINUTE)).toBe('time');
    await beginsAt(on, serve, end);
    await stopNow(on, serve);
  });

  it.each([
    ['set forward over its end', 8 * HOUR, 0],
    ['stopped over its end', 8 * HOUR, 8 * HOUR],
  ])('in a wait of two hours, %s: the round starts within the minute', async (_words, wall, monotonic) => {
    const on = scene('2026-06-10T08:00:00Z');
    const serve = on.time.serve();
    await meetsLimit(on, serve, on.time.now() + 2 * HOUR);
    await serve.step(wall, monotonic);
    const after = on.time.now();
    expect(await serve.wait(after + 5 * MINUTE)).toBe('round');
    expect(on.time.now() - after).toBeLessThanOrEqual(MINUTE);
    await stopNow(on, serve);
  });

  it('in a wait the wall clock is set back by eight hours: it waits no longer than it had to', async () => {
    const on = scene('2026-06-10T08:00:00Z');
    const serve = on.time.serve();
    await meetsLimit(on, serve, on.time.now() + 2 * HOUR);
    await serve.step(-8 * HOUR, 0);
    const set = on.time.now();
    expect(await serve.wait(set + 2 * HOUR - MINUTE)).toBe('time');
    expect(await serve.wait(set + 2 * HOUR + 2 * MINUTE)).toBe('round');
    await stopNow(on, serve);
  });

  it.each([
    ['forward', 8 * HOUR, 0],
    ['back', -8 * HOUR, 0],
    ['forward in a sleep that the monotonic clock shares', 8 * HOUR, 0],
  ])('in a round it goes %s by eight hours: the round lives on, and its length is what it worked', async (_words, wall, monotonic) => {
    const on = scene('2026-06-10T08:00:00Z');
    const serve = on.time.serve();
    expect(await serve.wait(on.time.now() + MINUTE)).toBe('round');
    await on.agent.begun();
    expect(await serve.work(on.time.now() + HOUR, MINUTE)).toBe('time');
    await serve.step(wall, monotonic);
    expect(await serve.work(on.time.now() + HOUR, MINUTE)).toBe('time');
    on.agent.end(WELL);
    await serve.over();
    await stops(serve);
    expect(on.at.outcomes()).toEqual(['ok']);
    const [exit] = on.at.events('agent_exit');
    expect(exit?.duration_s).toBeGreaterThanOrEqual(2 * 3600);
    expect(exit?.duration_s).toBeLessThan(2 * 3600 + 30);
  });
});

it('a broken CLI that exits 0 at once and says nothing of use is slowed down, and stopped with 75 after some hours', async () => {
  const at = project({ agent: 'cat >/dev/null; echo "cannot find module"', runtime: { restart_delay_s: 60 } });
  const time = virtualTime(at, Date.parse('2026-06-10T22:00:00Z'), 'UTC');
  const serve = time.serve();
  const night = time.now() + 8 * HOUR;
  while ((await serve.wait(night)) === 'round') await serve.over().catch(() => {});
  expect((await serve.ended).code).toBe(75);
  const told = at.events('stalled_no_progress');
  expect(told).toMatchObject([{ consecutive: 20, reason: expect.stringContaining('cannot find module') }]);
  const hours = (Date.parse(told[0]?.ts ?? '') - (night - 8 * HOUR)) / HOUR;
  expect(hours).toBeGreaterThan(3);
  expect(hours).toBeLessThan(6);
});

/** Ends serve and the round that is on. */
async function stopNow({ agent }: Scene, serve: VirtualServe): Promise<void> {
  await agent.begun();
  agent.end(WELL);
  await serve.over();
  await stops(serve);
}
