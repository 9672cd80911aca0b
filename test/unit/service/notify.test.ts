import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openNotifier, takeNotifyEnvironment } from '../../../src/service/notify.ts';

const WATCHDOG_MS = 120_000;
const PING_MS = 40_000;

/** A notifier under fake timers, with everything that it has sent. */
function notifier({ watchdogMs = WATCHDOG_MS as number | null, answer = async () => null as string | null } = {}) {
  const sent: string[][] = [];
  const problems: string[] = [];
  let sentence = 'waiting for the next round';
  const it = openNotifier({
    send: async (assignments) => {
      sent.push([...assignments]);
      return answer();
    },
    watchdogMs,
    clock: { now: () => Date.now(), monotonic: () => performance.now(), sleep: (ms) => new Promise((done) => setTimeout(done, ms)) },
    sentence: () => sentence,
    problem: (words) => problems.push(words),
  });
  return {
    it,
    sent,
    problems,
    pings: () => sent.filter(([first]) => first === 'WATCHDOG=1').length,
    say(words: string) {
      sentence = words;
    },
  };
}

describe('the notifier', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  test('ready is told with the sentence, and from then on the watchdog is kept quiet three times in its time', async () => {
    const { it, sent, pings } = notifier();
    await pass(WATCHDOG_MS);
    expect(sent).toEqual([]);
    it.step(10 * WATCHDOG_MS);
    it.ready();
    await pass(0);
    expect(sent).toEqual([['READY=1', 'STATUS=waiting for the next round']]);
    await pass(WATCHDOG_MS + 1);
    expect(pings()).toBe(3);
  });

  test('a loop that does not move is no longer vouched for, though timers run; one that moves again is', async () => {
    const { it, problems, pings } = notifier();
    it.step(PING_MS * 2.5);
    it.ready();
    await pass(PING_MS * 10);
    expect(pings()).toBe(2);
    expect(problems).toEqual([expect.stringContaining('the loop has not moved')]);
    it.step(PING_MS * 1.5);
    await pass(PING_MS * 10);
    expect(pings()).toBe(3);
  });

  test('a new sentence is told a moment after the step that made it, once, on one line', async () => {
    const { it, sent, say } = notifier({ watchdogMs: null });
    it.ready();
    it.step(60_000);
    say('round 3\nruns\u0000 ');
    await pass(1_000);
    it.step(60_000);
    await pass(5_000);
    expect(sent).toEqual([['READY=1', 'STATUS=waiting for the next round'], ['STATUS=round 3 runs']]);
    say('x'.repeat(1_000));
    it.step(60_000);
    await pass(1_000);
    expect(sent.at(-1)?.[0]).toHaveLength('STATUS='.length + 250);
  });

  test('messages keep their order; a reload says when it began', async () => {
    const { it, sent } = notifier({ watchdogMs: null });
    it.ready();
    it.reloaded();
    it.stopping();
    await it.close();
    it.ready();
    await pass(0);
    expect(sent.map(([first]) => first)).toEqual(['READY=1', 'RELOADING=1', 'READY=1', 'STOPPING=1']);
    expect(sent[1]?.[1]).toMatch(/^MONOTONIC_USEC=\d+$/);
  });

  test('while one message hangs no ping is added; closing waits three seconds and no longer', async () => {
    const { it, sent } = notifier({ answer: () => new Promise(() => {}) });
    it.ready();
    await pass(WATCHDOG_MS * 3);
    expect(sent.length).toBe(1);
    let closed = false;
    void it.close().then(() => {
      closed = true;
    });
    await pass(2_900);
    expect(closed).toBe(false);
    await pass(200);
    expect(closed).toBe(true);
  });

  test('what does not arrive is told once', async () => {
    const { it, problems } = notifier({ answer: async () => 'systemd-notify cannot be started (ENOENT)' });
    it.ready();
    await pass(WATCHDOG_MS);
    expect(problems).toEqual(['the service manager could not be told READY=1: systemd-notify cannot be started (ENOENT)']);
  });
});

test.each<[string, Record<string, string>, unknown]>([
  ['no service', {}, null],
  ['a service without watchdog', { NOTIFY_SOCKET: '/run/n' }, { socket: '/run/n', watchdogMs: null }],
  ['an abstract socket', { NOTIFY_SOCKET: '@n', WATCHDOG_USEC: '3000000' }, { socket: '@n', watchdogMs: 3000 }],
  ['a watchdog for us', { NOTIFY_SOCKET: '/n', WATCHDOG_USEC: '3000000', WATCHDOG_PID: '7' }, { socket: '/n', watchdogMs: 3000 }],
  ['a watchdog for our parent', { NOTIFY_SOCKET: '/n', WATCHDOG_USEC: '3000000', WATCHDOG_PID: '8' }, { socket: '/n', watchdogMs: null }],
  ['nonsense', { NOTIFY_SOCKET: 'relative', WATCHDOG_USEC: 'soon' }, null],
  ['no number', { NOTIFY_SOCKET: '/n', WATCHDOG_USEC: 'soon' }, { socket: '/n', watchdogMs: null }],
])('the environment of %s is read and taken away', (_name, variables, expected) => {
  const env: NodeJS.ProcessEnv = { ...variables, PATH: '/bin' };
  expect(takeNotifyEnvironment(env, 7)).toEqual(expected);
  expect(env).toEqual({ PATH: '/bin' });
});
