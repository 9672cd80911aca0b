import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WELL } from '../support/fake-agents.ts';
import { hurry } from '../support/hurry.ts';
import { type Project, project } from '../support/project.ts';

const TASK = 'Keep changes small, run the tests. '.repeat(20);
/** Writes down its prompt and what it was told by its environment. */
const NOTES = `L=$AGENT_RUNNER_LOG_DIR; N=$AGENT_RUNNER_ROUND_NUM; cat > $L/prompt-$N; env | grep ^AGENT_RUNNER_ | sort > $L/env-$N; pwd > $L/pwd-$N; echo '{"type":"result","is_error":false}'`;
const serve = (at: Project, rounds: number) => hurry(at, at.start(['serve', '--max-rounds', String(rounds)]));
const note = (at: Project, name: string) => readFileSync(join(at.logDir, name), 'utf8');
const phasesOf = (at: Project) => at.events('round_start').map(({ phase }) => phase);
const PHASES = '\n[phases]\nlist = ["plan", "build", "review"]\n';

describe('phases', () => {
  it('take turns by round number, over a restart too', async () => {
    const at = project({ agent: NOTES, more: PHASES });
    await serve(at, 4);
    await serve(at, 1);
    expect(phasesOf(at)).toEqual(['plan', 'build', 'review', 'plan', 'build']);
    expect(note(at, 'env-2')).toContain('AGENT_RUNNER_PHASE=build\n');
    expect(note(at, 'prompt-3')).toContain('"phase": "review"');
    expect(at.json('status.json')).toMatchObject({ round_num: 5, current_phase: 'build', phase_index: 1 });
    expect((await at.run(['peek', '--json', '--select', 'status.current_phase'])).stdout).toContain('build');
  });

  it('--phase takes another one and leaves the turns as they are', async () => {
    const at = project({ agent: NOTES, more: PHASES });
    expect((await at.run(['round', '--phase', 'review'])).code).toBe(0);
    expect((await at.run(['round'])).code).toBe(0);
    expect((await at.run(['round'])).code).toBe(0);
    expect(phasesOf(at)).toEqual(['review', 'build', 'review']);
  });

  it('a phase that is not in the list is 78 and names those that are, without a trace', async () => {
    const at = project({ agent: NOTES, more: PHASES });
    const { code, stderr, stdout } = await at.run(['round', '--phase', 'deploy']);
    expect(code).toBe(78);
    expect(stderr).toContain('plan, build, review');
    expect(stderr).not.toContain('restart serve');
    expect(stderr + stdout).not.toMatch(/^\s+at /m);
    expect(at.events('agent_spawn')).toEqual([]);
    expect(at.has('round-in-flight.json')).toBe(false);
    expect((await at.run(['round'])).code).toBe(0);
  });

  it('a list that shrinks between two rounds does not stop serve: the phase is chosen from the list in force', async () => {
    const at = project({ agent: NOTES, more: PHASES, vcs: { dirty_action: 'ignore' } });
    const running = at.start(['serve', '--max-rounds', '3']);
    await at.event('round_end');
    at.edit('"plan", "build", "review"', '"plan"');
    expect((await hurry(at, running)).code).toBe(0);
    expect(phasesOf(at)).toHaveLength(3);
  });

  it('bring an agent, a prompt and walls of their own, each over the base', async () => {
    const at = project({
      agent: NOTES,
      agentTable: { env: { WHO: 'base', BASE: 'kept' } },
      more: `${PHASES}[phases.build]\nround_timeout_s = 33\n[phases.build.agent]\ncommand = ["../other.sh"]\n[phases.build.agent.env]\nWHO = "builder"\n[phases.review.prompt]\nfiles = ["prompts/main.md", "prompts/review.md"]\n[phases.review.runtime]\nround_timeout_s = 44\n`,
    });
    at.write('prompts/review.md', `Review it. ${TASK}`);
    writeFileSync(join(at.folder, 'other.sh'), '#!/bin/sh\ncat >/dev/null; echo "other $WHO $BASE"\n', { mode: 0o755 });
    await serve(at, 3);
    expect(at.outcomes()).toEqual(['ok', 'ok', 'ok']);
    expect(at.events('agent_spawn').map(({ timeout_s }) => timeout_s)).toEqual([20, 33, 44]);
    expect(at.log(2)).toContain('other builder');
    expect(note(at, 'prompt-1')).not.toContain('Review it.');
    expect(note(at, 'prompt-3')).toContain('Review it.');
  });

  it('a phase without any prompt gets none', async () => {
    const at = project({ agent: NOTES, more: '\n[phases]\nlist = ["plan", "gate"]\n[phases.gate.prompt]\nfiles = []\n' });
    await serve(at, 2);
    expect(note(at, 'prompt-1')).toContain('round-context');
    expect(note(at, 'prompt-2')).toBe('');
  });

  it('its wall ends the round of that phase alone', async () => {
    const at = project({
      agent: `cat >/dev/null; echo x; [ "$AGENT_RUNNER_PHASE" = plan ] || sleep 300; ${WELL}`,
      more: `${PHASES}[phases.build]\nround_timeout_s = 1\n`,
    });
    await serve(at, 2);
    expect(at.outcomes()).toEqual(['ok', 'timeout']);
  });
});

describe('fresh eyes', () => {
  it('every n-th round is told to look anew', async () => {
    const at = project({ agent: NOTES, runtime: { fresh_eyes_every_n: 2 } });
    await serve(at, 4);
    expect([1, 2, 3, 4].map((round) => /AGENT_RUNNER_FRESH_EYES=(\d)/.exec(note(at, `env-${round}`))?.[1])).toEqual(['0', '1', '0', '1']);
    expect(at.events('fresh_eyes_round_triggered')).toMatchObject([
      { round_num: 2, every_n: 2 },
      { round_num: 4, every_n: 2 },
    ]);
  });
});

describe('the substrate fingerprint', () => {
  const hashes = (at: Project, when: 'before' | 'after') => at.events(`round_substrate_${when}`).map(({ paths_hash }) => paths_hash);

  it('tells which rounds changed the watched files, and HEAD on both sides', async () => {
    const at = project({
      agent: `${WELL}; if [ $AGENT_RUNNER_ROUND_NUM = 2 ]; then echo more >> docs/rules.md; git commit -qam rules; else echo x >> other.txt; fi`,
      runtime: { substrate_fingerprint_paths: ['docs/**/*.md', 'docs/rules.md'] },
    });
    at.write('docs/rules.md', 'rules\n');
    at.write('other.txt', 'x\n');
    at.git('add', '-A');
    at.git('commit', '-q', '-m', 'rules');
    const head = at.git('rev-parse', 'HEAD');
    await serve(at, 3);
    const [before, after] = [hashes(at, 'before'), hashes(at, 'after')];
    expect(before[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    expect(after[2]).toBe(before[2]);
    expect(before[2]).toBe(after[1]);
    expect(at.events('round_substrate_before')[1]).toMatchObject({ round_num: 2, git_head: head });
    expect(at.events('round_substrate_after')[1]).toMatchObject({ round_num: 2, git_head: at.git('rev-parse', 'HEAD') });
  });

  it('is null when nothing is watched', async () => {
    const at = project({ agent: WELL });
    await serve(at, 1);
    expect([...hashes(at, 'before'), ...hashes(at, 'after')]).toEqual([null, null]);
  });
});

describe('the prompt', () => {
  it('a file that is edited counts from the next round on', async () => {
    const at = project({ agent: NOTES, runtime: { restart_delay_s: 600 }, vcs: { dirty_action: 'ignore' } });
    const running = at.start(['serve', '--max-rounds', '2']);
    await at.event('wait_started');
    at.write('prompts/main.md', `A new task. ${TASK}`);
    await hurry(at, running);
    expect(note(at, 'prompt-1')).not.toContain('A new task.');
    expect(note(at, 'prompt-2')).toContain('A new task.');
  });

  it('a further file that is missing is left out with a word, and the round runs', async () => {
    const at = project({ agent: NOTES });
    at.edit('file = "prompts/main.md"', 'files = ["prompts/main.md", "prompts/ideas.md", "prompts/more.md"]');
    at.write('prompts/more.md', 'And more.\n');
    const { code, stderr } = await at.run(['round']);
    expect(code).toBe(0);
    expect(stderr).toContain('prompts/ideas.md cannot be read and was left out');
    expect(note(at, 'prompt-1')).toContain('And more.');
  });

  it('scar 22: the agent runs in work_dir and PWD says so, wherever serve was started', async () => {
    const at = project({
      agent: `tr "\\0" "\\n" < /proc/$$/environ | grep ^PWD= > $AGENT_RUNNER_LOG_DIR/PWD; ${NOTES}`,
      agentTable: { env: { PWD: '/elsewhere' } },
    });
    // Scar 23: a relative work_dir counts from the configuration's folder.
    expect((await at.run(['--config', at.config, 'round'], { cwd: '/' })).code).toBe(0);
    expect(note(at, 'pwd-1').trim()).toBe(at.workDir);
    // As it was given: a shell sets its own.
    expect(note(at, 'PWD').trim()).toBe(`PWD=${at.workDir}`);
  });

  it('the agent gets our variables and none of the supervisor’s world', async () => {
    const foreign = {
      CLAUDECODE: '1',
      NOTIFY_SOCKET: '/x',
      GIT_DIR: '/x',
      NODE_OPTIONS: '--no-warnings',
      AGENT_RUNNER_DEBUG: '1',
      npm_config_x: 'y',
    };
    const at = project({ agent: `env | sort > $AGENT_RUNNER_LOG_DIR/all; ${NOTES}` });
    rmSync(join(at.folder, 'go'), { force: true });
    expect((await at.run(['round'], { env: foreign })).code).toBe(0);
    const names = note(at, 'all')
      .split('\n')
      .map((line) => line.split('=')[0]);
    for (const name of Object.keys(foreign)) expect(names).not.toContain(name);
    expect(note(at, 'env-1')).toContain(`AGENT_RUNNER_LOG_DIR=${at.logDir.replace('/work/..', '')}\n`);
    expect(note(at, 'env-1')).toContain(`AGENT_RUNNER_ROUND_ID=${at.events('round_start')[0]?.round_id}\n`);
  });
});
