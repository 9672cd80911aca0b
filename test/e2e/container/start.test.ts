import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contained, RESULT } from '../../support/contained.ts';
import { requireEngine } from '../../support/engines.ts';

/** Says how many bytes of its prompt arrived. */
const COUNTS = `echo "prompt: $(wc -c | tr -d ' ') bytes"; ${RESULT}`;

describe.each(['docker', 'podman'] as const)('%s: a round in a container', (name) => {
  it('scar 18: an agent with -i gets its whole prompt by standard input, works in the tree and is told its round', async (context) => {
    const engine = requireEngine(context, name);
    const at = contained(engine, {
      script: `${COUNTS}; echo "$AGENT_RUNNER_ROUND_NUM $AGENT_RUNNER_LOG_DIR"; grep round_num "$AGENT_RUNNER_LOG_DIR/round-context.json"; echo new > made.txt`,
      prompt: `Do it.\n${'x'.repeat(200_000)}`,
      vcs: { dirty_action: 'auto_commit' },
    });
    const result = await at.run(['round']);
    expect(result.code, result.stderr).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(Number(/prompt: (\d+) bytes/.exec(at.log())?.[1])).toBeGreaterThan(200_000);
    expect(at.log()).toContain('1 /run/agent-runner');
    expect(at.log()).toContain('"round_num": 1');
    expect(at.git('show', 'HEAD:made.txt')).toBe('new');
    const [receipt] = at.events('round_reaped');
    expect(receipt).toMatchObject({ survivors: [], signalled: [] });
    expect(receipt?.container_id).toMatch(/^[0-9a-f]{64}$/);
    expect(at.events('round_container_orphan_risk')).toEqual([]);
    expect(await at.containers()).toEqual([]);
    expect(at.has('round-in-flight.json')).toBe(false);
    expect(execFileSync('find', [join(at.env.HOME as string, '.local/state'), '-type', 'f'], { encoding: 'utf8' })).toBe('');
    expect((await at.run(['peek'])).stdout).toContain(`container ${String(receipt?.container_id).slice(0, 12)} ended`);
  });
});

describe('field bug 27: what no container could survive is refused at the start', () => {
  it.for<[string, string, string, Parameters<typeof contained>[1]]>([
    ['without -i', 'AR-CON-001', 'stdin_container_interactive', { options: ['--rm'] }],
    ['with -i switched off', 'AR-CON-001', 'stdin_container_interactive', { options: ['--rm', '-i', '--interactive=false'] }],
    ['with -t', 'AR-CON-002', 'container_terminal', { options: ['--rm', '-it'] }],
    ['with -d', 'AR-CON-003', 'container_detached', { options: ['--rm', '-i', '-d'] }],
    ['with log_dir in a mount', 'AR-CON-004', 'control_plane_outside_container', { logs: 'logs' }],
    ['exec', 'AR-CON-006', 'container_exec', { verb: ['exec'] }],
    ['compose run', 'AR-CON-006', 'container_exec', { verb: ['compose', 'run'] }],
    ['an image that is not there', 'AR-CON-007', 'container_image', { image: ['agent-runner-test/absent:1'] }],
  ])('%s: %s', async ([, code, check, options], context) => {
    const engine = requireEngine(context, 'docker');
    const at = contained(engine, options);
    const { code: exit, stderr } = await at.run(['serve', '--once']);
    expect(exit, stderr).toBe(78);
    expect(stderr).toContain(`[${code}]`);
    expect(stderr).toContain(`FAIL: ${check}: `);
    expect(stderr).toContain('how-to-fix: ');
    expect(at.events('round_start')).toEqual([]);
    expect(await at.containers()).toEqual([]);
  });

  it('field bug 31: a linked worktree whose repository is not mounted; with the mount that the message names it works', async (context) => {
    const engine = requireEngine(context, 'docker');
    const main = contained(engine, { script: `cat >/dev/null; git status --short && ${RESULT}`, image: ['agent-runner-test/git:1'] });
    const tree = join(main.folder, 'tree');
    main.git('worktree', 'add', '-q', tree);
    const refused = await main.run(['round'], { cwd: tree });
    expect(refused.code).toBe(78);
    const mount = /add "-v", "([^"]+)" to agent.exec_prefix/.exec(refused.stderr)?.[1];
    expect(refused.stderr).toContain('[AR-CON-005]');
    execFileSync('sed', [
      '-i',
      `s|"-w", |"-v", "${mount}", "-e", "GIT_CONFIG_COUNT=1", "-e", "GIT_CONFIG_KEY_0=safe.directory", "-e", "GIT_CONFIG_VALUE_0=*", "-w", |`,
      join(tree, 'agent-runner.toml'),
    ]);
    const works = await main.run(['round'], { cwd: tree });
    expect(works.code, works.stderr + main.log()).toBe(0);
  });

  it("the base's prefix holds for every phase, and each phase is checked for itself", async (context) => {
    const engine = requireEngine(context, 'docker');
    const phases = (agent: string) => `[phases]\nlist = ["build", "review"]\n[phases.review.agent]\n${agent}\n`;
    const more = phases('command = ["sh", "-c", "cat >/dev/null; echo review in $AGENT_RUNNER_LOG_DIR"]');
    const at = contained(engine, { more, script: `cat >/dev/null; echo build in $AGENT_RUNNER_LOG_DIR; ${RESULT}` });
    const done = await at.run(['serve', '--max-rounds', '2']);
    expect(done.code, done.stderr).toBe(0);
    expect(at.log(1)).toContain('build in /run/agent-runner');
    expect(at.log(2)).toContain('review in /run/agent-runner');

    const wrong = contained(engine, {
      options: ['--rm'],
      agentTable: { prompt_delivery: 'argv', prompt_arg_template: ['{prompt}'] },
      more: phases('prompt_delivery = "stdin"\nprompt_arg_template = []'),
    });
    const refused = await wrong.run(['round', '--dry-run']);
    expect(refused.code).toBe(78);
    expect(refused.stdout).toContain('stdin_container_interactive:review: ');
    expect(refused.stdout).not.toContain('stdin_container_interactive: ');
  });
});

it('what works and hurts later is told once, by serve, round and --dry-run, and stops nothing', async (context) => {
  const engine = requireEngine(context, 'docker');
  const at = contained(engine, { options: ['-i', '-e', 'API_KEY=hunter2hunter2', '-e', 'NOT_SET'] });
  const serve = await at.run(['serve', '--max-rounds', '2']);
  expect(serve.code).toBe(0);
  for (const code of ['AR-CON-010', 'AR-CON-011', 'AR-CON-012', 'AR-CON-013', 'AR-CON-014', 'AR-CON-015'])
    expect(serve.stderr.split(`[${code}]`), code).toHaveLength(2);
  expect(serve.stderr).not.toContain('hunter2');
  const dry = await at.run(['round', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('[AR-CON-010]') });
  expect(await at.containers(), 'without --rm they stay, ended').toHaveLength(2);
  expect(await at.living()).toEqual([]);
});
