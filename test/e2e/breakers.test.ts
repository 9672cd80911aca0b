import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CRASHES, HELD, held, refused, says, WELL } from '../support/fake-agents.ts';
import { hurry } from '../support/hurry.ts';
import { type Project, project, type Result } from '../support/project.ts';
import { until } from '../support/wait.ts';

const serve = (at: Project, ...args: string[]) => hurry(at, at.start(['serve', ...args]));
const sentence = async (at: Project) => (await at.run(['peek', '--check'])).stdout;
/** How long each told wait was to be, whole seconds. */
const waits = (at: Project) =>
  at.events('wait_started').map(({ ts, until, reason }) => [reason, Math.round((Date.parse(until) - Date.parse(ts)) / 1000)]);

function lastLine({ stderr }: Result): Record<string, unknown> {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
}

describe('the crash loop', () => {
  it('scar 8: five failures within a minute each, with doubling delays, stop serve with 75 and name log and remedy', async () => {
    const at = project({ agent: CRASHES, runtime: { restart_delay_s: 10 } });
    const result = await serve(at);
    expect(result.code).toBe(75);
    expect(at.outcomes()).toEqual(Array(5).fill('crash'));
    expect(waits(at)).toEqual([20, 40, 80, 160].map((s) => ['crash_backoff', s]));
    expect(result.stderr).toContain('the next round waits 40 s: backing off after 2 crashes in a row');
    expect(at.events('crash_loop')).toMatchObject([
      { consecutive: 5, exit_code: 75, reason: expect.stringContaining('cannot find module') },
    ]);

    const log = String(at.json('state/stopped.json')?.log_path);
    expect(log).toMatch(/R5-/);
    expect(at.json('state/stopped.json')).toMatchObject({ reason: 'crash_loop', exit_code: 75 });
    expect(lastLine(result)).toMatchObject({ level: 50, reason: 'crash_loop', exit_code: 75 });
    expect(lastLine(result).msg).toContain(log);
    expect(lastLine(result).msg).toContain('start serve again');

    const words = await sentence(at);
    expect(words).toMatch(/^Stopped for good .* by crash_loop \(exit 75\)/);
    expect(words).toContain(log);
    expect(words).toContain('a person is needed: read the log');
    expect(words).toContain('`agent-runner serve`');
  });

  it('the delay is at most half an hour', async () => {
    const at = project({ agent: CRASHES, runtime: { restart_delay_s: 600 } });
    await serve(at);
    expect(waits(at).map(([, s]) => s)).toEqual([1200, 1800, 1800, 1800]);
  });

  it('peek counts while it is on its way there', async () => {
    const at = project({ agent: CRASHES, runtime: { restart_delay_s: 600 } });
    const running = at.start(['serve']);
    await at.event('wait_started');
    expect(await sentence(at)).toMatch(/^Backing off until .* after crash 1 of 5 in a row/);
    running.child.kill('SIGTERM');
    await running.ended;
  });

  it('one good round begins the count anew', async () => {
    const at = project({ agent: `if [ $AGENT_RUNNER_ROUND_NUM = 5 ]; then ${WELL}; exit 0; fi; ${CRASHES}` });
    expect((await serve(at, '--max-rounds', '9')).code).toBe(0);
    expect(at.events('crash_loop')).toEqual([]);
    expect(at.json('state/streaks.json')).toMatchObject({ crash: 4 });
  });

  it('the count outlives a kill -9 of serve, and a deliberate stop clears it', async () => {
    const at = project({ agent: CRASHES, runtime: { restart_delay_s: 600 } });
    const first = at.start(['serve']);
    await at.event('wait_started');
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await serve(at)).code).toBe(75);
    expect(at.events('round_start')).toHaveLength(5);

    const second = at.start(['serve']);
    await until('another round', () => at.events('round_start').length === 6 && at.json('state/streaks.json')?.crash === 1);
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
    expect((await serve(at)).code).toBe(75);
    expect(at.events('round_start')).toHaveLength(11);
  });

  it('a deliberate stop clears it also when serve is killed before its first round ends', async () => {
    const at = project({ agent: CRASHES });
    expect((await serve(at)).code).toBe(75);
    at.setAgent(HELD);
    const running = await held(at, ['serve']);
    running.child.kill('SIGKILL');
    await running.ended;
    at.setAgent(CRASHES);
    expect((await serve(at)).code).toBe(75);
    expect(at.outcomes()).toHaveLength(10);
  });

  it('field bug 37: silence with exit code 0 is no success: it counts towards the crash loop', async () => {
    const at = project({ agent: 'cat >/dev/null' });
    expect((await serve(at)).code).toBe(75);
    expect(at.outcomes()).toEqual(Array(5).fill('no_output'));
    expect(at.events('crash_loop')).toHaveLength(1);
  });
});

describe('the stall', () => {
  it('five walls in a row that moved nothing stop serve with 75', async () => {
    const at = project({ agent: HELD, runtime: { round_timeout_s: 1 } });
    const result = await serve(at);
    expect(result.code).toBe(75);
    expect(at.outcomes()).toEqual(Array(5).fill('timeout'));
    expect(at.events('stalled_no_progress')).toMatchObject([{ consecutive: 5, exit_code: 75 }]);
    expect(at.json('state/stopped.json')).toMatchObject({ reason: 'stalled_no_progress', exit_code: 75 });
    expect(lastLine(result).msg).toContain('round_timeout_s');
    expect(await sentence(at)).toMatch(/^Stopped for good .* by stalled_no_progress \(exit 75\)/);
  });

  it('a wall after work is no stall', async () => {
    const at = project({ agent: `cat >/dev/null; date +%N > work.txt; ${HELD}`, runtime: { round_timeout_s: 1 } });
    mkdirSync(join(at.logDir, 'state'), { recursive: true });
    writeFileSync(join(at.logDir, 'state/streaks.json'), JSON.stringify({ stall: 4 }));
    expect((await serve(at, '--once')).code).toBe(0);
    expect(at.json('state/streaks.json')).toMatchObject({ stall: 0 });
  });

  it('scar 46: a CLI that has told usage and then exits 0 at once without: the fifth in a row stops serve with 75', async () => {
    const result = (usage: object) => JSON.stringify({ type: 'result', subtype: 'success', is_error: false, usage });
    const agent = `cat >/dev/null; [ $AGENT_RUNNER_ROUND_NUM = 1 ] && echo '${result({ input_tokens: 9, output_tokens: 9 })}' || echo '${result({})}'`;
    const at = project({ agent, agentTable: { adapter: 'claude' } });
    expect((await serve(at)).code).toBe(75);
    expect(at.outcomes()).toEqual(Array(6).fill('ok'));
    expect(at.events('stalled_no_progress')).toMatchObject([{ consecutive: 5, exit_code: 75 }]);
  });

  it('a CLI that never tells usage, prints its banner and exits 0: slowed down, and stopped at the twentieth', async () => {
    const at = project({ agent: 'cat >/dev/null; echo "no such option"' });
    mkdirSync(join(at.logDir, 'state'), { recursive: true });
    writeFileSync(join(at.logDir, 'state/streaks.json'), JSON.stringify({ quiet: 17 }));
    expect((await serve(at)).code).toBe(75);
    expect(waits(at).map(([reason]) => reason)).toEqual(['error_backoff', 'error_backoff']);
    expect(at.json('state/stopped.json')?.sentence).toContain('20 rounds in a row exited 0 within 30 s');
  });

  it('five rounds of any outcome that moved nothing are told once, and serve goes on', async () => {
    const at = project({ agent: WELL });
    expect((await serve(at, '--max-rounds', '7')).code).toBe(0);
    expect(at.events('progress_stalled')).toMatchObject([{ round_num: 5, consecutive: 5, git_head: at.git('rev-parse', 'HEAD') }]);
  });
});

describe('broken credentials', () => {
  const claude = { agentTable: { adapter: 'claude' } };

  it('field bug 39: a person is asked at the first refusal, and the third in a row stops serve with 78', async () => {
    const at = project({ agent: says([refused(401, 'OAuth token has expired')], 1), ...claude });
    const result = await serve(at);
    expect(result.code).toBe(78);
    expect(at.outcomes()).toEqual(Array(3).fill('auth_error'));
    expect(at.events('agent_auth_error_detected')).toHaveLength(3);
    expect(at.events('needs_human')[0]).toMatchObject({ reason: 'auth', command: 'agent-runner ack auth' });
    expect(at.events('needs_human')[0]?.message).toContain('OAuth token has expired');
    expect(at.json('state/needs-human.json')).toMatchObject({ entries: [{ reason: 'auth' }] });
    expect(at.json('state/stopped.json')).toMatchObject({ reason: 'auth', exit_code: 78 });
    expect(lastLine(result).msg).toContain('log in again');
    expect(await sentence(at)).toContain('a person is needed');
    expect(at.events('crash_loop')).toEqual([]);
  });

  it('a login that works again takes the question back', async () => {
    const at = project({ agent: says([refused(403)], 1), ...claude });
    await serve(at, '--once');
    expect(at.json('state/needs-human.json')).toMatchObject({ entries: [{ reason: 'auth' }] });
    at.setAgent(WELL);
    await serve(at, '--once');
    expect(at.json('state/needs-human.json')).toEqual({ entries: [] });
    expect(at.json('state/streaks.json')).toMatchObject({ auth: 0 });
  });

  it('ack auth answers it', async () => {
    const at = project({ agent: says([refused(401)], 1), ...claude });
    await serve(at, '--once');
    expect((await at.run(['ack', 'auth'])).code).toBe(0);
    expect(at.json('state/needs-human.json')).toEqual({ entries: [] });
    expect(at.events('human_acknowledged')).toMatchObject([{ reason: 'auth' }]);
  });
});

describe('an unfit environment', () => {
  it('scar 49: never trips the crash loop; a person is asked after ten tries, and not needed any more when it is fit', async () => {
    const at = project({ agent: CRASHES });
    const agent = join(at.folder, 'agent.sh');
    writeFileSync(agent, '#!/no/such/interpreter\n', { mode: 0o755 });
    const running = at.start(['serve', '--max-rounds', '13']);
    const ended = hurry(at, running);
    await at.event('needs_human');
    expect(at.json('state/streaks.json')?.environment).toBeGreaterThanOrEqual(10);
    expect(at.json('state/streaks.json')).toMatchObject({ crash: 0 });
    at.setAgent(WELL);
    expect((await ended).code).toBe(0);
    expect(at.events('needs_human')).toMatchObject([{ reason: 'environment', message: expect.stringContaining('10 rounds in a row') }]);
    expect(at.events('needs_human')[0]?.message).toContain('interpreter');
    expect(at.json('state/needs-human.json')).toEqual({ entries: [] });
    expect(at.events('crash_loop')).toEqual([]);
  });
});
