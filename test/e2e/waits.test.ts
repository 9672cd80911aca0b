import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/util/clock.ts';
import { CRASHES, HELD, held, limited, refused, says, WELL } from '../support/fake-agents.ts';
import { type Project, project } from '../support/project.ts';
import { until } from '../support/wait.ts';

const claude = { adapter: 'claude' };
const inSeconds = (s: number) => Math.floor(systemClock.now() / 1000) + s;
const sentence = async (at: Project) => (await at.run(['peek', '--check'])).stdout;
const wait = (at: Project) => at.json('state/wait.json');
const rounds = (at: Project) => at.events('round_start').length;

/** A wait that a serve which was killed has left behind. */
function leaveWait(at: Project, reason: string, seconds: number): string {
  const end = new Date(systemClock.now() + seconds * 1000).toISOString();
  mkdirSync(join(at.logDir, 'state'), { recursive: true });
  writeFileSync(
    join(at.logDir, 'state/wait.json'),
    JSON.stringify({
      reason,
      until: end,
      since: new Date(systemClock.now() - 60_000).toISOString(),
      source: 'claude rate_limit_account',
      sentence: 'usage limit',
    }),
  );
  return end;
}

/** The same for a limit. */
function leaveThrottle(at: Project, seconds: number): string {
  const [since, end] = [-60, seconds].map((s) => new Date(systemClock.now() + s * 1000).toISOString());
  const throttle = { account: 'agent.sh', agent: 'agent.sh', classification: 'rate_limit_account', since, until: end, stated: true };
  mkdirSync(join(at.logDir, 'state'), { recursive: true });
  writeFileSync(join(at.logDir, 'state/accounts.json'), JSON.stringify({ throttles: [throttle] }));
  return end ?? '';
}

describe("a provider's limit", () => {
  it("is waited for to the provider's own end; it survives kill -9 and a deliberate stop to the second; wake ends it", async () => {
    const resetsAt = inSeconds(3600);
    const at = project({ agent: says(limited(resetsAt), 1), agentTable: claude });
    const first = at.start(['serve']);
    await at.event('wait_started');
    const before = wait(at);
    const late = Date.parse(String(before?.until)) / 1000 - resetsAt;
    expect(before).toMatchObject({ reason: 'throttled' });
    expect(late).toBeGreaterThanOrEqual(5);
    expect(late).toBeLessThanOrEqual(31);
    expect(at.events('transient_error_detected')).toMatchObject([{ classification: 'rate_limit_account', reset_at_epoch: resetsAt }]);
    expect(await sentence(at)).toMatch(/^Waiting until \S.*: the provider limits the agent.*`agent-runner wake` tries now/);

    first.child.kill('SIGKILL');
    await first.ended;
    const second = at.start(['serve']);
    await at.event('serve_started', ({ pid }) => pid === second.pid);
    await until('it waits again', () => wait(at) !== null && wait(at)?.since !== before?.since);
    expect(await sentence(at)).toContain('the provider limits the agent');
    expect(wait(at)?.until).toEqual(before?.until);
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);

    at.setAgent(WELL);
    const third = at.start(['serve', '--max-rounds', '1']);
    await at.event('serve_started', ({ pid }) => pid === third.pid);
    await until('it waits again', () => wait(at) !== null);
    expect(await sentence(at)).toContain('the provider limits the agent');
    expect(wait(at)?.until).toEqual(before?.until);
    expect(rounds(at)).toBe(1);

    expect((await at.run(['wake'])).stderr).toMatch(/throttled[\s\S]*waits of all accounts are ended too: \S+ will be tried again/);
    expect((await third.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['rate_limited', 'ok']);
    expect(wait(at)).toBeNull();
    expect(at.events('wait_ended').map(({ ended_by }) => ended_by)).toEqual(['stopped', 'woken']);
    // Scar 43: an interrupted wait has recovered nothing.
    expect(at.events('transient_error_recovered')).toEqual([]);
  });

  it('when it ran its whole time the round starts then, and the recovery is told', async () => {
    const at = project({ agent: WELL });
    const end = leaveThrottle(at, 3);
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    const late = Date.parse(at.events('round_start')[0]?.ts ?? '') - Date.parse(end);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(5_000);
    expect(at.events('wait_ended')).toMatchObject([{ reason: 'throttled', ended_by: 'over' }]);
    expect(at.events('transient_error_recovered')).toMatchObject([{ classification: 'rate_limit_account', agent: 'agent.sh' }]);
  });

  it('transient_error_action skip goes on after the ordinary delay, stop ends serve with 0', async () => {
    const skip = project({ agent: says([refused(529)], 1), agentTable: claude, runtime: { transient_error_action: 'skip' } });
    expect((await skip.run(['serve', '--max-rounds', '2'])).code).toBe(0);
    expect(skip.outcomes()).toEqual(['provider_error', 'provider_error']);
    const stop = project({ agent: says([refused(529)], 1), agentTable: claude, runtime: { transient_error_action: 'stop' } });
    expect((await stop.run(['serve'])).code).toBe(0);
    expect(stop.events('agent_self_terminated')).toMatchObject([{ reason: 'rate_limit' }]);
    expect(rounds(stop)).toBe(1);
  });
});

describe('other delays', () => {
  it('a back-off after crashes survives kill -9', async () => {
    const at = project({ agent: CRASHES, runtime: { restart_delay_s: 600 } });
    const first = at.start(['serve']);
    await at.event('wait_started');
    const before = wait(at);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = at.start(['serve']);
    await at.event('serve_started', ({ pid }) => pid === second.pid);
    expect(await sentence(at)).toMatch(/^Backing off until /);
    expect(wait(at)).toEqual(before);
    second.child.kill('SIGTERM');
    await second.ended;
    expect(rounds(at)).toBe(1);
  });

  it('the ordinary pause between two rounds is over with the serve that was killed', async () => {
    const at = project({ agent: WELL });
    leaveWait(at, 'restart_delay', 600);
    expect((await at.run(['serve', '--once'], { timeoutMs: 20_000 })).code).toBe(0);
  });

  it('a wait that nobody can have written is set aside', async () => {
    const at = project({ agent: WELL });
    leaveWait(at, 'crash_backoff', 400 * 24 * 3600);
    expect((await at.run(['serve', '--once'], { timeoutMs: 20_000 })).code).toBe(0);
    expect(at.events('state_file_set_aside')).toHaveLength(1);
  });
});

describe('pause and resume', () => {
  it('the round in flight finishes, no other one starts until resume', async () => {
    const at = project({ agent: HELD });
    const serve = await held(at, ['serve']);
    expect((await at.run(['pause'])).stderr).toContain('a round that runs now is let finish');
    at.release();
    await at.event('round_end');
    await until('serve waits', () => wait(at)?.reason === 'paused');
    expect(await sentence(at)).toMatch(/^Paused by a person.*`agent-runner resume` goes on at once; nobody is needed\.$/m);
    expect((await at.run(['wake'])).stderr).toContain("'agent-runner resume' ends that");
    await systemClock.sleep(1_500);
    expect(rounds(at)).toBe(1);

    await at.run(['resume']);
    await until('the next round', () => rounds(at) === 2, 20_000);
    serve.child.kill('SIGTERM');
    expect((await serve.ended).code).toBe(0);
    expect(at.events('pause_started')).toHaveLength(1);
    expect(at.events('pause_ended')).toHaveLength(1);
  });

  it('a pause with an end is over by itself, and peek says when; it holds for a serve that starts later', async () => {
    const at = project({ agent: WELL });
    mkdirSync(at.logDir);
    await at.run(['pause', '--until', '4s']);
    const end = Date.parse(String(at.json('state/pause.json')?.until));
    const serve = at.start(['serve', '--once']);
    await until('serve waits', () => at.has('serve.pid') && wait(at)?.reason === 'paused');
    expect(await sentence(at)).toMatch(/^Paused by a person.*, until \d\d:\d\d/);
    expect((await serve.ended).code).toBe(0);
    const late = Date.parse(at.events('round_start')[0]?.ts ?? '') - end;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(5_000);
    expect(at.has('state/pause.json')).toBe(false);
  });

  it("a pause within a provider's limit does not end the limit", async () => {
    const at = project({ agent: says(limited(inSeconds(3600)), 1), agentTable: claude });
    const serve = at.start(['serve']);
    await at.event('wait_started');
    const before = wait(at);
    await at.run(['pause']);
    await until('serve is paused', () => wait(at)?.reason === 'paused');
    await at.run(['resume']);
    await until('serve waits for the limit again', () => wait(at)?.reason === 'throttled');
    expect(wait(at)?.until).toBe(before?.until);

    await at.run(['pause']);
    await until('serve is paused', () => wait(at)?.reason === 'paused');
    serve.child.kill('SIGKILL');
    await serve.ended;
    const next = at.start(['serve']);
    await at.event('serve_started', ({ pid }) => pid === next.pid);
    await at.run(['resume']);
    await until('the next serve waits for the limit', () => wait(at)?.reason === 'throttled');
    expect(wait(at)?.until).toBe(before?.until);
    expect(rounds(at)).toBe(1);
    next.child.kill('SIGTERM');
    await next.ended;
  });

  it('stop ends a paused serve; the pause is still there for the next one', async () => {
    const at = project({ agent: WELL });
    mkdirSync(at.logDir);
    await at.run(['pause']);
    const serve = at.start(['serve']);
    await until('serve waits', () => wait(at)?.reason === 'paused');
    await at.run(['stop']);
    expect((await serve.ended).code).toBe(0);
    expect(at.has('state/pause.json')).toBe(true);
    expect(rounds(at)).toBe(0);
  });
});

describe('field bug 40: a wall clock that is set', () => {
  /** serve reads the time of day with an offset from a file. */
  const shifted = (at: Project) => {
    const path = join(at.folder, 'shifted.mjs');
    writeFileSync(
      path,
      `import { readFileSync } from 'node:fs';
const { now } = Date;
Date.now = () => { try { return now() + Number(readFileSync(${JSON.stringify(join(at.folder, 'offset'))}, 'utf8')); } catch { return now(); } };`,
    );
    return { nodeArgs: ['--import', path] };
  };
  const step = (at: Project, hours: number) => writeFileSync(join(at.folder, 'offset'), String(hours * 3_600_000));

  it.each([8, -8])('by %i hours in the middle of a round: the round lives on', async (hours) => {
    const at = project({ agent: HELD, runtime: { round_timeout_s: 60 } });
    const serve = await held(at, ['serve', '--once'], shifted(at));
    step(at, hours);
    await systemClock.sleep(500);
    expect(at.agents().length).toBeGreaterThan(0);
    at.release();
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.events('agent_exit')[0]?.duration_s).toBeLessThan(30);
  });

  it('back in the middle of a wait: the wait is no longer for it', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 2 } });
    const serve = at.start(['serve', '--max-rounds', '2'], shifted(at));
    await at.event('round_end');
    step(at, -8);
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
  }, 30_000);

  it('forward in the middle of a wait: the wait is over at the next look', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 3600 } });
    const serve = at.start(['serve', '--max-rounds', '2'], shifted(at));
    await at.event('wait_started');
    step(at, 8);
    // It looks every 30 s, and when a person says something.
    writeFileSync(join(at.logDir, 'state/needs-human.json'), '{"entries": []}');
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
  }, 30_000);
});
