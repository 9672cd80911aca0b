import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HELD, held, WELL } from '../support/fake-agents.ts';
import { type Project, project, type Running } from '../support/project.ts';
import { until } from '../support/wait.ts';

const sentence = async (at: Project) => (await at.run(['peek', '--check'])).stdout;
/** The walls that rounds really got. */
const walls = (at: Project) => at.events('agent_spawn').map(({ timeout_s }) => timeout_s);
const digests = (at: Project) => at.events('round_start').map(({ config_digest }) => config_digest);
const asked = (at: Project) => ((at.json('state/needs-human.json')?.entries ?? []) as { reason: string }[]).map(({ reason }) => reason);
/** Ignored, so that what the agent does to the file is not stashed away. */
const KEPT = { vcs: { dirty_action: 'ignore' } };

/** An agent that gives itself more time in its first round. */
const GREEDY = `if [ $AGENT_RUNNER_ROUND_NUM = 1 ]; then sed -i 's/round_timeout_s = 20/round_timeout_s = 9999/' agent-runner.toml; fi; ${WELL}`;

describe('a configuration that was changed while an agent ran', () => {
  it('is not adopted: not by the next round, not by reload, not after kill -9 and a start, until `ack config`', async () => {
    const at = project({ agent: GREEDY, ...KEPT, runtime: { restart_delay_s: 600 } });
    const serve = at.start(['serve']);
    await at.event('needs_human');
    expect(at.events('config_changed')).toMatchObject([{ round_num: 1, during_round: true }]);
    expect(at.events('needs_human')).toMatchObject([{ reason: 'config', command: 'agent-runner ack config' }]);
    await at.event('wait_started');
    expect(await sentence(at)).toContain('a person is needed');
    expect(await sentence(at)).toContain('`agent-runner ack config`');

    expect((await at.run(['reload'])).stderr).toContain("'agent-runner ack config' adopts it");
    await until('serve has heard of the reload', () => serve.stderr().includes('reload asked for'));
    await at.run(['wake']);
    await until('round 2', () => at.events('round_end').length === 2);
    serve.child.kill('SIGKILL');
    await serve.ended;

    const next = at.start(['serve', '--max-rounds', '1']);
    expect((await next.ended).code).toBe(0);
    expect((await at.run(['round'])).code).toBe(0);
    expect(walls(at)).toEqual([20, 20, 20, 20]);
    expect(new Set(digests(at)).size).toBe(1);
    expect(at.events('config_changed')).toHaveLength(1);
    expect(at.events('config_reloaded')).toEqual([]);

    expect((await at.run(['ack', 'config'])).code).toBe(0);
    expect((await at.run(['serve', '--max-rounds', '1'])).code).toBe(0);
    expect(walls(at).at(-1)).toBe(9999);
    expect(at.events('config_reloaded')).toMatchObject([{ keys: ['runtime.round_timeout_s'] }]);
    expect(digests(at).at(-1)).toBe(at.events('config_reloaded')[0]?.config_digest);
    expect(asked(at)).toEqual([]);
  });

  it('is adopted by a running serve before its next round once `ack config` was said', async () => {
    const at = project({ agent: GREEDY, ...KEPT, runtime: { restart_delay_s: 600 } });
    const serve = at.start(['serve', '--max-rounds', '2']);
    await at.event('needs_human');
    await at.event('wait_started');
    await at.run(['ack', 'config']);
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(walls(at)).toEqual([20, 9999]);
    expect(at.events('config_reloaded')).toMatchObject([{ keys: ['runtime.round_timeout_s'] }]);
    expect(at.events('human_acknowledged')).toMatchObject([{ reason: 'config' }]);
  });

  it('what was acknowledged is what was read: a change after `ack config` asks again', async () => {
    const at = project({ agent: GREEDY, ...KEPT });
    await at.run(['serve', '--once']);
    await at.run(['ack', 'config']);
    at.edit('9999', '8888');
    await at.run(['serve', '--once']);
    expect(walls(at)).toEqual([20, 20]);
    expect(asked(at)).toEqual(['config']);
  });

  it('the change of a round whose supervisor was killed counts as made during it', async () => {
    const at = project({ agent: `sed -i 's/round_timeout_s = 20/round_timeout_s = 9999/' agent-runner.toml; ${HELD}`, ...KEPT });
    const serve = await held(at, ['serve']);
    serve.child.kill('SIGKILL');
    await serve.ended;
    at.setAgent(WELL);
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    expect(walls(at)).toEqual([20, 20]);
    expect(asked(at)).toEqual(['config']);
    await at.run(['ack', 'config']);
    await at.run(['serve', '--once']);
    expect(walls(at)).toEqual([20, 20, 9999]);
  });

  it.each([
    ['deleted', 'rm agent-runner.toml'],
    ['emptied', ': > agent-runner.toml'],
    ['made into a directory', 'rm agent-runner.toml; mkdir agent-runner.toml'],
    ['made into a link to another file', 'ln -sf /etc/passwd agent-runner.toml'],
  ])('%s: the old one stays in force in serve', async (_what, deed) => {
    const at = project({ agent: `if [ $AGENT_RUNNER_ROUND_NUM = 1 ]; then ${deed}; fi; ${WELL}`, ...KEPT });
    expect((await at.run(['serve', '--max-rounds', '2'])).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(walls(at)).toEqual([20, 20]);
    expect(at.events('config_changed')).toMatchObject([{ during_round: true }]);
    expect(asked(at)).toEqual(['config']);
  });

  it('put back as it was by the next round: nobody is asked any more', async () => {
    const at = project({
      agent: `if [ $AGENT_RUNNER_ROUND_NUM = 1 ]; then cp agent-runner.toml kept; echo '# x' >> agent-runner.toml; else mv kept agent-runner.toml; fi; ${WELL}`,
      ...KEPT,
    });
    await at.run(['serve', '--max-rounds', '2']);
    expect(at.events('config_changed')).toHaveLength(1);
    expect(asked(at)).toEqual([]);
  });
});

describe('a configuration that a person changed between two rounds', () => {
  async function waiting(at: Project): Promise<Running> {
    const serve = at.start(['serve', '--max-rounds', '2']);
    await at.event('wait_started');
    return serve;
  }

  it.each(['reload', 'SIGHUP'])('is adopted by %s before the next round', async (how) => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 600 } });
    const serve = await waiting(at);
    at.edit('round_timeout_s = 20', 'round_timeout_s = 40\nidle_timeout_s = 30');
    expect(await sentence(at)).toContain('`agent-runner reload` adopts it');
    if (how === 'reload') expect((await at.run(['reload'])).code).toBe(0);
    else serve.child.kill('SIGHUP');
    // At once, however long the wait is.
    await at.event('config_reloaded', () => true, 20_000);
    expect(await sentence(at)).not.toContain('adopts it');
    expect(at.json('state/defenses.json')).toContainEqual(expect.objectContaining({ name: 'idle wall', current_state: 'active' }));
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(walls(at)).toEqual([20, 40]);
    expect(at.events('config_reloaded')).toMatchObject([{ keys: ['runtime.idle_timeout_s', 'runtime.round_timeout_s'] }]);
    expect(digests(at)[1]).toBe(at.events('config_reloaded')[0]?.config_digest);
    expect(digests(at)[0]).not.toBe(digests(at)[1]);
    expect(asked(at)).toEqual([]);
  });

  it('max_rounds and stop_file count from then on', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 600, max_rounds: 9 } });
    const serve = at.start(['serve']);
    await at.event('wait_started');
    at.edit('max_rounds = 9', 'max_rounds = 1');
    serve.child.kill('SIGHUP');
    expect((await serve.ended).code).toBe(0);
    expect(at.events('max_rounds_reached')).toMatchObject([{ rounds_completed: 1, max_rounds: 1 }]);
    expect(at.events('round_start')).toHaveLength(1);
  });

  it('field bug 35: and all else that a person edits then is left alone by the stash of the next round', async () => {
    const at = project({ agent: `${WELL}; echo agent > agent-$AGENT_RUNNER_ROUND_NUM.txt`, runtime: { restart_delay_s: 600 } });
    const serve = await waiting(at);
    at.edit('round_timeout_s = 20', 'round_timeout_s = 40');
    at.write('prompts/main.md', `${readFileSync(join(at.workDir, 'prompts/main.md'), 'utf8')}One more task.\n`);
    at.write('idea.txt', 'not yet committed\n');
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(at.events('orphan_stashed')).toHaveLength(2);
    expect(at.git('status', '--porcelain').split('\n')).toEqual([' M agent-runner.toml', ' M prompts/main.md', '?? idea.txt']);
    expect(at.git('show', '--name-only', '--format=', 'refs/stash^3')).toBe('agent-2.txt');
    expect(at.events('config_changed').map(({ during_round }) => during_round)).toEqual([false]);
  });

  it('edited and acknowledged while a round runs it is adopted after that, and not stashed with what the agent left', async () => {
    const at = project({ agent: `echo agent > agent.txt; ${HELD}`, runtime: { restart_delay_s: 600 } });
    const serve = await held(at, ['serve', '--max-rounds', '1']);
    at.edit('round_timeout_s = 20', 'round_timeout_s = 40');
    expect((await at.run(['ack', 'config'])).stderr).toContain('the configuration file is adopted when round 1 has ended');
    at.release();
    expect((await serve.ended).code).toBe(0);
    expect(at.events('orphan_stashed')).toHaveLength(1);
    expect(at.git('status', '--porcelain')).toBe(' M agent-runner.toml');
    expect(asked(at)).toEqual([]);
  });

  it('without a word it is told and not adopted; a restart adopts it', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 600 } });
    const serve = await waiting(at);
    at.edit('round_timeout_s = 20', 'round_timeout_s = 40');
    await at.run(['wake']);
    await serve.ended;
    expect(walls(at)).toEqual([20, 20]);
    expect(at.events('config_changed')).toMatchObject([{ during_round: false }]);
    expect(asked(at)).toEqual([]);
    await at.run(['serve', '--once']);
    expect(walls(at)).toEqual([20, 20, 40]);
  });

  it('that is wrong: the old one stays, the place is told once, and a later good one is adopted', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 600 } });
    const serve = at.start(['serve', '--max-rounds', '3']);
    await at.event('wait_started');
    at.edit('round_timeout_s = 20', 'round_timeout_s = "soon"');
    const told = await at.run(['reload']);
    expect(told.code).toBe(78);
    expect(told.stderr).toMatch(/keeps the configuration that it has:\n.*agent-runner\.toml:\d+:\d+: runtime\.round_timeout_s/);
    await until('serve has heard of it', () => serve.stderr().includes('reload asked for'));
    await at.run(['wake']);
    await until('round 2', () => at.events('round_end').length === 2);
    expect(at.events('config_reload_failed')).toMatchObject([{ reason: expect.stringContaining('round_timeout_s') }]);
    expect(at.events('config_reload_failed')[0]?.reason).toMatch(/agent-runner\.toml:\d+/);
    at.edit('"soon"', '40');
    await at.run(['reload']);
    await until('serve has heard of it again', () => serve.stderr().split('reload asked for').length === 3);
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(walls(at)).toEqual([20, 20, 40]);
  });

  it('that no round can run with is taken back: the old one goes on, and the night with it', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 600 } });
    const serve = at.start(['serve', '--max-rounds', '3']);
    await at.event('wait_started');
    at.edit('prompts/main.md', 'prompts/not-there.md');
    await at.run(['reload']);
    await at.event('config_reloaded');
    await at.run(['wake']);
    await until('round 2', () => at.events('round_end').length === 2);
    expect(at.events('config_reload_failed')).toMatchObject([{ reason: expect.stringContaining('not-there.md') }]);
    expect(digests(at)[1]).toBe(digests(at)[0]);
    at.edit('prompts/not-there.md', 'prompts/main.md');
    at.edit('round_timeout_s = 20', 'round_timeout_s = 40');
    await at.run(['reload']);
    await until('it is adopted', () => at.events('config_reloaded').length === 2);
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(walls(at)).toEqual([20, 20, 40]);
    expect(at.events('config_broken')).toEqual([]);
  });

  it.each([
    ['log_dir', 'log_dir = "../logs"', 'log_dir = "../other"'],
    ['work_dir', 'work_dir = "."', 'work_dir = ".."'],
  ])('%s needs a restart', async (key, from, to) => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 600 } });
    const serve = await waiting(at);
    at.edit(from, to);
    serve.child.kill('SIGHUP');
    await until('serve has heard of it', () => serve.stderr().includes('reload asked for'));
    writeFileSync(join(at.logDir, 'state/wake'), '');
    expect((await serve.ended).code).toBe(0);
    expect(at.events('config_reload_failed')).toMatchObject([{ reason: expect.stringContaining(`${key} needs a restart`) }]);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
  });

  it('reload says so when nobody runs', async () => {
    const at = project();
    const { code, stderr } = await at.run(['reload']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('AR-CLI-006');
  });

  it('a wrong configuration at the start is 78, and nothing runs', async () => {
    const at = project();
    at.edit('round_timeout_s = 20', 'round_timeout_s = -1');
    const { code, stderr } = await at.run(['serve']);
    expect(code).toBe(78);
    expect(stderr).toMatch(/agent-runner\.toml:\d+.*round_timeout_s/);
    expect(at.events('round_start')).toEqual([]);
  });
});

it('a deleted configuration at the start is 78 for round and serve', async () => {
  const at = project({ agent: WELL });
  expect((await at.run(['round'])).code).toBe(0);
  rmSync(at.config);
  expect((await at.run(['round'])).code).toBe(78);
  expect((await at.run(['serve'])).code).toBe(78);
});

it('the accepted text is kept as it is, for its owner alone', async () => {
  const at = project({ agent: WELL });
  await at.run(['serve', '--once']);
  const copy = join(at.logDir, 'state/accepted-config.toml');
  expect(readFileSync(copy, 'utf8')).toBe(readFileSync(at.config, 'utf8'));
  expect(statSync(copy).mode & 0o077).toBe(0);
});
