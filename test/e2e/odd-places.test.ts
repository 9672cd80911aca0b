import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../src/process/command.ts';
import { HELD, held, WELL } from '../support/fake-agents.ts';
import { requirePart } from '../support/parts.ts';
import { CLI, type Project, type ProjectOptions, project } from '../support/project.ts';
import { mountTmpfs } from '../support/tmpfs.ts';
import { until } from '../support/wait.ts';

const LEAVES_WORK = `${WELL}; echo x > "new $AGENT_RUNNER_ROUND_NUM.txt"`;

describe('odd names', () => {
  it.each([
    ['two  words'],
    [`it's "quoted"`],
    ['Größe 日本 🏠'],
    ['-leading-dash'],
    ['--help'],
    ['$(touch pwned) `touch pwned` ; & | > <'],
    ['[a-z]*?{x,y}'],
    [':(exclude)x'],
    ['back\\slash %s %n'],
  ])('work_dir %j, scar 24: with log_dir in it', async (name) => {
    const at = project({ agent: LEAVES_WORK, name, logs: name });
    const { code, stderr } = await at.run(['serve', '--max-rounds', '2']);
    expect(code, stderr).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(at.events('orphan_stashed')).toHaveLength(2);
    expect(at.git('show', '--name-only', '--format=', 'refs/stash^3')).toBe('new 2.txt');
    expect(at.log()).toContain('result');
    expect((await at.run(['peek', '--check'])).stdout).toContain('the last round was 2 (ok)');
    expect(JSON.parse((await at.run(['peek', '--json'])).stdout).status.round_num).toBe(2);
    expect((await at.run(['--config', at.config, 'round'], { cwd: '/' })).code).toBe(0);
    expect(existsSync(join(at.workDir, 'pwned')) || existsSync(join(at.folder, 'pwned'))).toBe(false);
  });

  it('scar 65: a control character in the path of the configuration, in work_dir and log_dir is refused', async () => {
    const at = project();
    for (const verb of ['round', 'serve', 'status']) {
      const { code, stderr } = await at.run([verb, '--config', 'a\nExecStart=b.toml']);
      expect(code).toBe(78);
      expect(stderr).toContain('control character');
      expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
    }
    at.edit('work_dir = "."', 'work_dir = "a\\nb"');
    at.edit('log_dir = "../logs"', 'log_dir = "a\\u0000b"');
    const { code, stderr } = await at.run(['serve']);
    expect(code).toBe(78);
    expect(stderr).toMatch(/runtime\.work_dir/);
    expect(stderr).toMatch(/runtime\.log_dir/);
  });
});

describe('an odd environment', () => {
  it('without HOME', async () => {
    const at = project({ agent: LEAVES_WORK });
    const { code, stderr } = await at.run(['serve', '--once'], { env: { HOME: undefined } });
    expect(code, stderr).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.events('orphan_stashed')).toHaveLength(1);
  });

  it.each(['/no/such/folder', '/proc', ''])('with TMPDIR=%s', async (TMPDIR) => {
    const at = project({ agent: `cat >/dev/null; echo one; echo two > /dev/stderr; echo three >&2` });
    const { code, stderr } = await at.run(['serve', '--once'], { env: { TMPDIR } });
    expect(code, stderr).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.log()).toContain('three');
  });

  it('in a working directory that is gone', async () => {
    const at = project({ agent: WELL });
    const wrapper = ['sh', '-c', 'mkdir gone; cd gone; rmdir ../gone; exec "$@"', 'sh'];
    const { code, stderr } = await at.run(['round', '--config', at.config], { wrapper });
    expect(code, stderr).toBe(0);
    const lost = await at.run(['round'], { wrapper });
    expect(lost.code).not.toBe(0);
    expect(lost.stderr).not.toContain('AR-CLI-099');
    expect(lost.stderr).not.toMatch(/^\s+at /m);
  });

  it('with almost nothing in it', async () => {
    const at = project({ agent: WELL });
    const bare = { HOME: undefined, TMPDIR: undefined, LC_ALL: undefined, AGENT_RUNNER_VALIDATE: undefined };
    expect((await at.run(['serve', '--once'], { env: bare })).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
  });
});

describe('log_dir on a full disk', () => {
  async function small(options: ProjectOptions): Promise<Project> {
    const at = project(options);
    await mountTmpfs(at.logDir, '1m');
    return at;
  }
  const fill = (at: Project) => runCommand(['sh', '-c', `cat /dev/zero > "${join(at.logDir, 'fill')}"`]);
  const empty = (at: Project) => rmSync(join(at.logDir, 'fill'));

  it('scar 49: one that fills up in the middle of a round costs no round, trips no breaker, and serve goes on when there is space', async (context) => {
    requirePart(context, 'tmpfs');
    const at = await small({
      agent: `${WELL}; [ $AGENT_RUNNER_ROUND_NUM -gt 1 ] || cat /dev/zero > "$AGENT_RUNNER_LOG_DIR/fill" 2>/dev/null; exit 0`,
    });
    const serve = at.start(['serve', '--max-rounds', '2']);
    await until('serve waits', () => serve.stderr().includes('the disk of log_dir'), 40_000);
    expect((await at.run(['peek'])).stdout).toContain('the disk of log_dir');
    empty(at);
    await at.run(['wake']);
    expect((await serve.ended).code).toBe(0);
    expect(at.json('state/streaks.json')).toMatchObject({ crash: 0, environment: 0 });
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(at.events('disk_low')).toMatchObject([{ of: 'log_dir', severity: 'critical' }]);
    expect(at.events('disk_recovered')).toHaveLength(1);
    expect(at.events('serve_stopped')).toMatchObject([{ rounds_completed: 2 }]);
    expect(at.agents()).toEqual([]);
  });

  it('field bug 10: one that is full from the start: 76 for round, in one line, and nothing is started', async (context) => {
    requirePart(context, 'tmpfs');
    const at = await small({ agent: WELL });
    await fill(at);
    const { code, stderr } = await at.run(['round']);
    expect(code).toBe(76);
    expect(stderr).toMatch(/STARTUP FAIL: log_dir_writable: .*ENOSPC/);
    const serve = await at.run(['serve', '--once']);
    expect(serve.code).toBe(76);
    expect(serve.stderr).toContain('ENOSPC');
    expect(serve.stderr).not.toMatch(/^\s+at /m);
    empty(at);
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
  });

  it("field bug 10: the agent's own output fills it: the agent is not stopped by that", async (context) => {
    requirePart(context, 'tmpfs');
    const at = await small({
      agent: 'cat >/dev/null; head -c 4000000 /dev/zero | tr "\\0" x; echo; echo done > finished.txt',
      vcs: { dirty_action: 'ignore' },
    });
    const { code } = await at.run(['round'], { timeoutMs: 40_000 });
    expect(code).toBe(0);
    expect(readFileSync(join(at.workDir, 'finished.txt'), 'utf8')).toBe('done\n');
    expect(at.agents()).toEqual([]);
  });
});

describe('log_dir that may not be written', () => {
  it('on a read-only mount: 76 for round and serve, in one line, and peek still tells', async (context) => {
    requirePart(context, 'tmpfs');
    const at = project({ agent: WELL });
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    expect((await runCommand(['mount', '--bind', at.logDir, at.logDir])).code).toBe(0);
    onTestFinished(async () => void (await runCommand(['umount', '-l', at.logDir])));
    expect((await runCommand(['mount', '-o', 'remount,ro,bind', at.logDir])).code).toBe(0);
    const round = await at.run(['round']);
    expect(round.code).toBe(76);
    expect(round.stderr).toMatch(/STARTUP FAIL: log_dir_writable: .*EROFS/);
    const serve = await at.run(['serve', '--once']);
    expect(serve.code).toBe(76);
    expect(serve.stderr).toContain('EROFS');
    expect(serve.stderr).not.toMatch(/^\s+at /m);
    expect((await at.run(['peek', '--check'])).stdout).toContain('the last round was 1 (ok)');
  });

  it('for this user: 76, and who may write it', async (context) => {
    requirePart(context, 'root', 'setpriv');
    const at = project({ agent: WELL });
    const asSomebody: [string, ...string[]] = ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'];
    if ((await runCommand([...asSomebody, 'test', '-r', CLI])).code !== 0) context.skip(`${CLI} cannot be read by another user`);
    mkdirSync(at.logDir, { mode: 0o755 });
    chmodSync(at.folder, 0o755);
    for (const path of [at.workDir, join(at.workDir, '.git'), String(at.env.HOME), String(at.env.TMPDIR)]) chownSync(path, 12_345, 12_345);
    const round = await at.run(['round'], { wrapper: asSomebody });
    expect(round.code, round.stderr).toBe(76);
    expect(round.stderr).toMatch(/STARTUP FAIL: log_dir_writable: .*EACCES/);
    const serve = await at.run(['serve', '--once'], { wrapper: asSomebody });
    expect(serve.code).toBe(76);
    expect(serve.stderr).toMatch(/EACCES/);
    expect(statSync(at.logDir).uid).toBe(0);
  });
});

describe('odd streams', () => {
  const TWO = ['serve', '--max-rounds', '2'] as const;

  it.each([
    ['stderr closed', 'exec "$@" 2>&-'],
    ['stdout and stderr closed', 'exec "$@" >&- 2>&-'],
    ['all three closed', 'exec "$@" <&- >&- 2>&-'],
    ['stderr on a full disk', 'exec "$@" 2>/dev/full'],
    ['stdout on a full disk', 'exec "$@" >/dev/full'],
    [
      'stderr into a pipe that nobody reads any more',
      '{ "$@" 2>&1 1>&3; echo $? > "$AGENT_RUNNER_TEST_CODE"; } 3>/dev/null | :; exit $(cat "$AGENT_RUNNER_TEST_CODE")',
    ],
  ])('field bug 10: serve runs on with %s', async (_words, script) => {
    const at = project({ agent: WELL });
    const { code } = await at.run(TWO, { wrapper: ['sh', '-c', script, 'sh'], env: { AGENT_RUNNER_TEST_CODE: join(at.folder, 'code') } });
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(at.json('state/stopped.json')).toMatchObject({ reason: 'max_rounds' });
  });

  it('field bug 10: and when the reader of its stderr leaves on the way, without a spin', async () => {
    const at = project({ agent: WELL, runtime: { restart_delay_s: 1 } });
    const serve = at.start(['serve', '--max-rounds', '3']);
    await at.event('round_end');
    serve.child.stderr?.destroy();
    serve.child.stdout?.destroy();
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok', 'ok']);
  });

  it('peek into a pipe that is closed early says nothing more', async () => {
    const at = project({ agent: WELL });
    await at.run(['round']);
    const code = join(at.folder, 'code');
    const { stderr } = await at.run(['peek', '--json', '--events', '50'], {
      wrapper: ['sh', '-c', '{ "$@"; echo $? > "$AGENT_RUNNER_TEST_CODE"; } | :', 'sh'],
      env: { AGENT_RUNNER_TEST_CODE: code },
    });
    expect(stderr).toBe('');
    expect(readFileSync(code, 'utf8').trim()).toBe('0');
  });

  it('peek onto a full disk fails', async () => {
    const at = project({ agent: WELL });
    await at.run(['round']);
    expect((await at.run(['peek'], { wrapper: ['sh', '-c', 'exec "$@" >/dev/full', 'sh'] })).code).toBe(1);
  });
});

describe('a terminal', () => {
  /** Starts `verb` at a terminal with an agent in the middle of its turn. */
  async function atTerminal(at: Project, verb = 'serve', ...before: string[]) {
    const serve = await held(at, [verb], {
      wrapper: ['python3', resolve(import.meta.dirname, '../support/terminal.py'), at.folder, ...before],
    });
    const says = (what: string) => writeFileSync(join(at.folder, what), what === 'type' ? '\x03' : '');
    return {
      serve,
      says,
      exit: () => until('serve ends', () => existsSync(join(at.folder, 'exit')) && readFileSync(join(at.folder, 'exit'), 'utf8')),
    };
  }
  const shown = (at: Project) => readFileSync(join(at.folder, 'terminal'), 'utf8');

  it('shows the guards and lines for people', async (context) => {
    requirePart(context, 'python3');
    const at = project({ agent: HELD });
    const { says, exit } = await atTerminal(at);
    expect(shown(at)).toContain('hard wall');
    says('type');
    await until('it drains', () => shown(at).includes('draining'));
    expect(shown(at)).not.toContain('{"level"');
    at.release();
    expect(await exit()).toBe('0');
  });

  it('Ctrl-C lets the round finish, Ctrl-C again ends it', async (context) => {
    requirePart(context, 'python3');
    const at = project({ agent: HELD });
    const { says, exit } = await atTerminal(at);
    says('type');
    await until('it drains', () => shown(at).includes('draining'));
    expect(at.agents().length).toBeGreaterThan(0);
    says('type');
    expect(await exit()).toBe('0');
    expect(at.outcomes()).toEqual(['stopped']);
    expect(at.agents()).toEqual([]);
  });

  it('that hangs up drains: the round finishes, no further one starts', async (context) => {
    requirePart(context, 'python3');
    const at = project({ agent: HELD });
    const { says, exit } = await atTerminal(at);
    says('hang-up');
    await until('serve drains', () => at.json('state/wait.json')?.reason === 'draining');
    expect(at.agents().length).toBeGreaterThan(0);
    at.release();
    expect(await exit()).toBe('0');
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.events('serve_stopped')).toMatchObject([{ reason: 'signal' }]);
  });

  it('that hangs up ends a single round by the ladder, with its own exit code', async (context) => {
    requirePart(context, 'python3');
    const at = project({ agent: HELD });
    const { says, exit } = await atTerminal(at, 'round');
    says('hang-up');
    expect(await exit()).toBe('130');
    expect(at.outcomes()).toEqual(['stopped']);
    expect(at.agents()).toEqual([]);
  });

  it('that hangs up under nohup is nothing to serve', async (context) => {
    requirePart(context, 'python3', 'nohup');
    const at = project({ agent: HELD });
    const { says, exit } = await atTerminal(at, 'serve', 'nohup');
    says('hang-up');
    at.release();
    await until('a second round', () => at.outcomes().length >= 2);
    expect(at.has('state/wait.json')).toBe(false);
    await at.run(['stop']);
    expect(await exit()).toBe('0');
  });

  it('nohup without a terminal: SIGHUP ends nothing', async (context) => {
    requirePart(context, 'nohup');
    const at = project({ agent: HELD });
    const serve = await held(at, ['serve', '--max-rounds', '2'], { wrapper: ['nohup'] });
    serve.child.kill('SIGHUP');
    at.release();
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
  });
});
