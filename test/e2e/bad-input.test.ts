import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bootId, pidNamespace, readProcess } from '../../src/process/proc.ts';
import { isAlive } from '../../src/process/stat.ts';
import { monthlyName } from '../../src/state/layout.ts';
import { systemClock } from '../../src/util/clock.ts';
import { requirePart } from '../support/parts.ts';
import { type Project, project, type Result } from '../support/project.ts';
import { until } from '../support/wait.ts';
import { fileWith } from '../unit/config/sample.ts';

const STACK = /^\s+at /m;

describe('a configuration that cannot be used', () => {
  const good = (changes: Record<string, readonly string[]>) => fileWith({ runtime: ['log_dir = "../logs"'], ...changes });
  const runtime = (line: string) => good({ runtime: ['log_dir = "../logs"', line] });

  /** What the file holds, the code that is told, and the line, 0 = any. */
  const FILES: [name: string, content: string | Uint8Array, code: string, line: number][] = [
    ['empty', '', 'AR-CFG-006', 1],
    ['comments', '# nothing\n', 'AR-CFG-006', 1],
    ['an ELF head', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 0, 0]), 'AR-CFG-005', 1],
    ['UTF-16', Buffer.from('\uFEFF[agent]', 'utf16le'), 'AR-CFG-005', 1],
    ['a byte order mark', `\uFEFF${good({})}`, 'AR-CFG-005', 1],
    ['not UTF-8', Buffer.from([0x61, 0x3d, 0x22, 0xc3, 0x28, 0x22]), 'AR-CFG-005', 1],
    ['10 MB', 'a = 1 # x\n'.repeat(1024 * 1024), 'AR-CFG-004', 1],
    ['a YAML file', 'agent:\n  command: [claude]\n', 'AR-CFG-007', 1],
    ['a JSON file', '{ "agent": {} }\n', 'AR-CFG-007', 1],
    ['a shell script', '#!/bin/sh\nexec claude\n', 'AR-CFG-007', 2],
    ['a merge conflict', `<<<<<<< HEAD\n${good({})}\n=======\n>>>>>>> x\n`, 'AR-CFG-007', 1],
    ['an open string', '[agent]\ncommand = ["claude\n', 'AR-CFG-007', 2],
    ['an open list', '[agent]\ncommand = ["claude",\n', 'AR-CFG-007', 0],
    ['an open table name', '[agent\ncommand = []\n', 'AR-CFG-007', 1],
    ['no quotes', '[agent]\nname = claude\n', 'AR-CFG-007', 2],
    ['a bare tilde', '[runtime]\nlog_dir = ~/logs\n', 'AR-CFG-007', 2],
    ['Python’s True', 'dry_run = True\n', 'AR-CFG-007', 1],
    ['a bad escape', '[runtime]\nlog_dir = "C:\\logs"\n', 'AR-CFG-007', 2],
    ['a NUL byte', "[agent]\nname = 'a\0b'\n", 'AR-CFG-005', 1],
    ['deep lists', `a = ${'['.repeat(20_000)}`, 'AR-CFG-007', 1],
    ['an endless number', `a = ${'9'.repeat(400)}\n`, 'AR-CFG-007', 1],
    ['__proto__', '__proto__.polluted = 1\n', 'AR-CFG-007', 1],
    ['a duplicate key', '[runtime]\nmax_rounds = 1\nmax_rounds = 2\n', 'AR-CFG-008', 3],
    ['a duplicate table', '[vcs]\n[agent]\n[vcs]\n', 'AR-CFG-008', 3],
    ['an array of tables', good({}).replace('[prompt]', '[[prompt]]'), 'AR-CFG-011', 0],
    ['agent as a number', `agent = 1\n${good({})}`.replace(/\[agent\]\n(.*\n)*?(?=\[)/, ''), 'AR-CFG-011', 1],
    ['a scalar for vcs', `vcs = "stash"\n${good({})}`, 'AR-CFG-011', 1],
    ['no agent', good({}).replace(/\[agent\]\n(.*\n)*?(?=\[)/, ''), 'AR-CFG-012', 0],
    ['no prompt', good({}).replace(/\[prompt\]\n.*/, ''), 'AR-CFG-012', 0],
    ['an unknown table', `${good({})}\n[agnet]\n`, 'AR-CFG-010', 0],
    ['an unknown top key', `verbose = true\n${good({})}`, 'AR-CFG-010', 1],
    ['a near key', runtime('round_timout_s = 5'), 'AR-CFG-010', 0],
    ['a key of another table', runtime('dirty_action = "stash"'), 'AR-CFG-010', 0],
    ['a string command', good({ agent: ['command = "claude"'] }), 'AR-CFG-011', 0],
    ['an empty command', good({ agent: ['command = []'] }), 'AR-CFG-011', 0],
    ['a number in the command', good({ agent: ['command = ["claude", 3]'] }), 'AR-CFG-011', 0],
    ['a NUL in the command', good({ agent: ['command = ["cla\\u0000ude"]'] }), 'AR-CFG-011', 0],
    ['a table as command', good({ agent: ['command = { a = 1 }'] }), 'AR-CFG-011', 0],
    ['a date as command', good({ agent: ['command = 1979-05-27'] }), 'AR-CFG-011', 0],
    ['env as text', good({ agent: ['env = "A=1"'] }), 'AR-CFG-011', 0],
    ['an env name with =', good({ agent: ['env = { "A=B" = "x" }'] }), 'AR-CFG-011', 0],
    ['delivery unknown', good({ agent: ['prompt_delivery = "file"'] }), 'AR-CFG-011', 0],
    ['argv without {prompt}', good({ agent: ['prompt_delivery = "argv"'] }), 'AR-CFG-019', 0],
    ['stdin with {prompt}', good({ agent: ['prompt_arg_template = ["{prompt}"]'] }), 'AR-CFG-019', 0],
    ['an unknown preset', good({ agent: ['preset = "cluade"'] }), 'AR-CFG-022', 0],
    ['timeout 0', runtime('round_timeout_s = 0'), 'AR-CFG-011', 0],
    ['timeout true', runtime('round_timeout_s = true'), 'AR-CFG-011', 0],
    ['timeout nan', runtime('round_timeout_s = nan'), 'AR-CFG-011', 0],
    ['timeout inf', runtime('round_timeout_s = inf'), 'AR-CFG-011', 0],
    ['timeout 1e300', runtime('round_timeout_s = 1e300'), 'AR-CFG-011', 0],
    ['timeout negative', runtime('round_timeout_s = -5'), 'AR-CFG-011', 0],
    ['both timeouts', runtime('round_timeout_s = 5\nround_budget_s = 5'), 'AR-CFG-016', 0],
    ['a newline in log_dir', good({ runtime: ['log_dir = "a\\nExecStart=x"'] }), 'AR-CFG-018', 0],
    ['a NUL in work_dir', runtime('work_dir = "a\\u0000b"'), 'AR-CFG-018', 0],
    ['somebody’s home', good({ runtime: ['log_dir = "~bob/x"'] }), 'AR-CFG-018', 0],
    ['an empty path', good({ runtime: ['log_dir = ""'] }), 'AR-CFG-018', 0],
    ['a regex that is open', runtime('grace_kill_ignore_patterns = ["(a"]'), 'AR-CFG-017', 0],
    ['Python’s verbose regex', runtime("grace_kill_ignore_patterns = ['(?x) a']"), 'AR-CFG-017', 0],
    ['Python’s conditional regex', runtime("grace_kill_ignore_patterns = ['(a)?(?(1)b|c)']"), 'AR-CFG-017', 0],
    ['a regex as number', runtime('grace_kill_ignore_patterns = [1]'), 'AR-CFG-011', 0],
    ['promised safety', `${good({})}\n[sandbox]\nengine = "docker"\n`, 'AR-CFG-014', 0],
    ['a limit of nothing', `${good({})}\n[limits]\nmax_cost_usd_per_day = 0\n`, 'AR-CFG-011', 0],
    ['a removed key', good({ vcs: ['orphan_action = "stash"'] }), 'AR-CFG-013', 0],
    ['a phase that is not listed', good({ 'phases.build': ['round_timeout_s = 5'] }), 'AR-CFG-020', 0],
    ['schema_version true', `schema_version = true\n${good({})}`, 'AR-CFG-011', 1],
    ['an escape code', good({ agent: ['name = 7 # \u001b[2J'] }), 'AR-CFG-007', 0],
  ];

  it('reference case 21, scar 65, scar 66, scar 67: 66 of them: 78, each problem on a line with its place and code, peek answers', async () => {
    const at = project();
    const verbs = [['round'], ['serve'], ['round', '--dry-run']];
    await inParallel(
      FILES.map(([name, content, code, line], i) => async () => {
        const file = at.write(`bad/${i}.toml`, '');
        writeFileSync(file, content);
        const answer = await at.run([...(verbs[i % 3] ?? []), '--config', file]);
        expectRefusal(name, answer, 78, code);
        const places = answer.stderr.split('\n').filter((told) => told.includes(`${file}:`) && told.includes(code));
        expect(places.length, `${name}: ${answer.stderr}`).toBeGreaterThanOrEqual(1);
        if (line > 0) expect(places[0], name).toContain(`${file}:${line}:`);
        if (i % 2 === 1) return;
        const peek = await at.run(['peek', '--config', file]);
        expect({ name, code: peek.code, stack: STACK.test(peek.stderr) }).toEqual({ name, code: 0, stack: false });
        expect(peek.stdout.split('\n')[0], name).toMatch(/\.$/);
      }),
    );
    expect(at.agents()).toEqual([]);
    expect(at.events('agent_spawn')).toEqual([]);
  });

  it('what is no file at all, or may not be read', async () => {
    const at = project();
    const fifo = join(at.folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    symlinkSync('loop', join(at.workDir, 'loop'));
    const CASES: [path: string, code: string][] = [
      [join(at.folder, 'none.toml'), 'AR-CFG-002'],
      [at.workDir, 'AR-CFG-003'],
      [fifo, 'AR-CFG-003'],
      [join(at.workDir, 'loop'), 'AR-CFG-003'],
      ['/dev/zero', 'AR-CFG-003'],
      [join(at.config, 'below.toml'), 'AR-CFG-002'],
      [`${at.folder}/${'x'.repeat(300)}`, 'AR-CFG-003'],
      [`${at.folder}/new\nline.toml`, 'AR-CFG-018'],
    ];
    await inParallel(
      CASES.map(([file, code], i) => async () => {
        expectRefusal(file, await at.run([i % 2 === 0 ? 'round' : 'serve', '--config', file]), 78, code);
        expect(await at.run(['peek', '--config', file]), file).toMatchObject({ code: 0 });
      }),
    );
  });

  it('one that this user may not read', async (context) => {
    requirePart(context, 'root');
    const at = project();
    chmodSync(at.folder, 0o755);
    chmodSync(at.config, 0o600);
    const wrapper = ['setpriv', '--reuid', 'nobody', '--clear-groups'];
    expectRefusal('unreadable', await at.run(['round'], { wrapper }), 78, 'AR-CFG-003');
    expect(await at.run(['peek'], { wrapper })).toMatchObject({ code: 0 });
  });
});

function expectRefusal(name: string, { code, stdout, stderr }: Result, exit: number, errorCode: string): void {
  expect({ name, code, stdout: stdout.length, stack: STACK.exec(stderr)?.[0] ?? '' }).toEqual({ name, code: exit, stdout: 0, stack: '' });
  expect(stderr, name).toContain(`[${errorCode}]`);
  for (const line of stderr.split('\n')) expect(line.length, name).toBeLessThan(800);
  expect(stderr.replaceAll('\n', ''), name).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
}

/** Two at once: that is what the machine has. */
async function inParallel(tasks: (() => Promise<void>)[]): Promise<void> {
  const left = [...tasks];
  const work = async () => {
    for (let task = left.shift(); task; task = left.shift()) await task();
  };
  await Promise.all([work(), work(), work()]);
}

describe('a command line that cannot be meant', () => {
  it.each([
    [['sevre'], 2],
    [['serve', '--max-round', '3'], 2],
    [['serve', '--max-rounds', '0'], 2],
    [['serve', '--max-rounds', '-1'], 2],
    [['serve', '--max-rounds', '1e3'], 2],
    [['serve', '--max-rounds', '9'.repeat(400)], 2],
    [['serve', '--max-rounds'], 2],
    [['serve', 'now'], 2],
    [['round', '--phase'], 2],
    [['round', '--phase', 'build'], 78],
    [['round', '--dry-run', '--phase', 'build'], 78],
    [['peek', '--round', 'newest'], 2],
    [['peek', '--events', '-3'], 2],
    [['peek', '--select', 'no.such.thing'], 1],
    [['peek', '--round', '99'], 1],
    [['--config'], 2],
    [['\u001b[2J'], 2],
  ])('%j: one line, exit %i', async (args, exit) => {
    const at = project();
    const { code, stdout, stderr } = await at.run(args);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toMatch(/\[AR-[A-Z]{3}-\d{3}\]/);
    expect(stderr).not.toMatch(STACK);
    if (exit === 2) expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    expect(at.events('agent_spawn')).toEqual([]);
  });
});

/** Somebody's process, with nothing to do with us. */
function stranger(): { pid: number; child: ChildProcess; lives(): boolean } {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
  const pid = child.pid as number;
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    pid,
    child,
    lives() {
      const entry = readProcess(pid);
      return entry !== null && isAlive(entry) && entry.state !== 'T';
    },
  };
}

const STATE_FILES = [
  'status.json',
  'round-context.json',
  'orphan-state.json',
  'round-in-flight.json',
  'serve.pid',
  'serve.lock.holder',
  'agent-runner.lock.holder',
  '.agent-done',
  'round-current.log',
  'rounds/R3-20200101T000000Z.log',
  'state/owner',
  'state/streaks.json',
  'state/ledger.json',
  'state/wait.json',
  'state/accounts.json',
  'state/starts.json',
  'state/acked.json',
  'state/hook-programs.json',
  'state/hooks-ack.json',
  'state/hooks-in-flight-1.json',
  'state/pause.json',
  'state/wake',
  'state/needs-human.json',
  'state/accepted-config.json',
  'state/accepted-config.toml',
  'state/config-ack.json',
  'state/stopped.json',
  'state/defenses.json',
  'state/preexisting.json',
];

describe('field bug 40, scar 64: garbage in the place of every state file', () => {
  type Make = (path: string) => void;
  const text =
    (content: string | Uint8Array): Make =>
    (path) =>
      writeFileSync(path, content);
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 + 13) % 256));

  const GARBAGE: [name: string, make: Make][] = [
    ['nothing', text('')],
    ['NULs, as after a power cut', text(Buffer.alloc(512))],
    ['a torn object', text('{"round_num": 7, "runn')],
    ['random bytes', text(bytes)],
    ['two megabytes', text('['.repeat(2 * 1024 * 1024))],
    ['a number', text('42')],
    ['null', text('null')],
    ['a list', text('[]')],
    ['an empty object', text('{}')],
    ['wrong types', text(JSON.stringify(wrongTypes()))],
    ['numbers beyond all bounds', text(JSON.stringify(hugeNumbers()).replaceAll('"1e999"', '1e999'))],
    ['a directory with something in it', (path) => void mkdirSync(join(path, 'x'), { recursive: true })],
    ['a FIFO', (path) => void execFileSync('mkfifo', [path])],
    ['a symlink loop', (path) => symlinkSync(path, path)],
    ['a dangling symlink', (path) => symlinkSync('/nowhere/at/all', path)],
    ['an endless device', (path) => symlinkSync('/dev/zero', path)],
  ];

  it.each(GARBAGE)('%s: peek answers, serve goes its way', async (name, make) => {
    const at = project();
    mkdirSync(join(at.logDir, 'rounds'), { recursive: true });
    mkdirSync(join(at.logDir, 'state'));
    for (const file of STATE_FILES) make(join(at.logDir, file));
    for (const family of ['events', 'metrics'] as const) make(join(at.logDir, monthlyName(family, systemClock.now())));

    for (const args of [['peek', '--log', '--events', '5'], ['status']]) expectAnswer(await at.run(args, { timeoutMs: 8_000 }));
    const { code, signal, stderr } = await at.run(['serve', '--once'], { timeoutMs: 15_000 });
    expect({ code, signal, stack: STACK.exec(stderr)?.[0] ?? '' }, stderr).toEqual({ code: 0, signal: null, stack: '' });
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.json('status.json')).toMatchObject({ running: false, last_outcome: 'ok' });
    expectAnswer(await at.run(['peek', '--json']));

    const aside = at.events('state_file_set_aside').map(({ path, set_aside }) => [path.slice(at.logDir.length + 1), typeof set_aside]);
    const told = [
      ['round-in-flight.json', 'string'],
      ['state/wait.json', 'string'],
      ['state/accounts.json', 'string'],
    ];
    if (name === 'a dangling symlink') expect(aside).toEqual([]);
    else expect(aside).toEqual(expect.arrayContaining(told));
  });

  it('the round number that was lost is not used again while a log tells of it', async () => {
    const at = project();
    mkdirSync(join(at.logDir, 'rounds'), { recursive: true });
    writeFileSync(join(at.logDir, 'status.json'), '{"round_num": 41');
    writeFileSync(join(at.logDir, 'rounds/R41-20261101T000000Z.log'), '');
    await at.run(['serve', '--once']);
    expect(at.events('round_start')).toMatchObject([{ round_num: 42 }]);
    expect(at.events('status_recovered')).toHaveLength(1);
    expect(readdirSync(at.logDir).some((name) => name.startsWith('status.json.corrupt-'))).toBe(true);
  });
});

function expectAnswer({ code, signal, stdout, stderr }: Result): void {
  expect({ code, signal, stack: STACK.exec(stdout + stderr)?.[0] ?? '' }, stderr).toEqual({ code: 0, signal: null, stack: '' });
  expect(stdout).not.toBe('');
}

/** Every field that any of our files has, with a value of another type. */
function wrongTypes(): Record<string, unknown> {
  return {
    round_num: 'seven',
    running: 'yes',
    pid: true,
    create_time: '1',
    start_ticks: [],
    boot_id: 7,
    round_id: 3,
    token: null,
    owner: {},
    started_at: 12,
    pid_ns: false,
    supervisor_pid: -1,
    survivors: 'all',
    container: 'docker',
    reason: ['x'],
    until: 5,
    since: {},
    entries: 'none',
    crash: 'many',
    stall: -4,
    exit_code: 'zero',
    at: [],
    accepted_digest: 5,
    digest: [],
    files: 'x',
    stashed_ref: 1,
    stash_message: 2,
    paths: 7,
  };
}

function hugeNumbers(): Record<string, unknown> {
  return {
    round_num: 1e300,
    running: true,
    pid: 2 ** 60,
    create_time: '1e999',
    start_ticks: 1e300,
    round_id: 'x',
    token: 'y',
    reason: 'crash_backoff',
    until: '9999-12-31T23:59:59.000Z',
    since: 1e300,
    crash: 1e300,
    stall: '1e999',
    exit_code: 1e300,
    survivors: [{ pid: 1e300, start_ticks: 1 }],
    entries: [{ reason: 5 }, null, 7],
    last_duration_s: '1e999',
  };
}

describe('scar 64, field bug 15: files that name a stranger', () => {
  it('nobody is signalled by pid 1, our own pid, a recycled pid, a pid without its start time or of another boot', async (context) => {
    requirePart(context, 'linux');
    const somebody = stranger();
    const here = { boot_id: bootId(), pid_ns: pidNamespace() };
    const record = { round_num: 3, round_id: 'r', token: 't', owner: 'o', started_at: '2026-11-29T10:00:00.000Z', container: null };
    const ticks = readProcess(somebody.pid)?.startTicks ?? 0;
    const CASES: object[] = [
      { ...here, pid: 1, start_ticks: readProcess(1)?.startTicks },
      { ...here, pid: somebody.pid, start_ticks: ticks + 1 },
      { ...here, pid: somebody.pid },
      { ...here, pid: somebody.pid, start_ticks: 0 },
      { ...here, boot_id: 'another-boot', pid: somebody.pid, start_ticks: ticks },
      { ...here, pid_ns: 'pid:[1]', pid: somebody.pid, start_ticks: ticks },
      { ...here, pid: process.pid, start_ticks: 5 },
      { ...here, pid: -somebody.pid, start_ticks: ticks },
      {
        ...here,
        survivors: [
          { pid: somebody.pid, start_ticks: ticks + 1 },
          { pid: 1, start_ticks: 1 },
          { pid: -1, start_ticks: 1 },
        ],
      },
    ];
    await inParallel(
      CASES.map((fields) => async () => {
        const at = project();
        mkdirSync(join(at.logDir, 'state'), { recursive: true });
        writeFileSync(join(at.logDir, 'round-in-flight.json'), JSON.stringify({ ...record, ...fields }));
        expect(await at.run(['serve', '--once']), JSON.stringify(fields)).toMatchObject({ code: 0 });
        expect(at.events('round_recovered')).toMatchObject([{ round_num: 3, reaped: [] }]);
        expect(at.events('round_start')).toMatchObject([{ round_num: 4 }]);
        expect(somebody.lives(), JSON.stringify(fields)).toBe(true);
      }),
    );
  });

  it('stop, kill, restart of serve and status believe no pid file that another process made', async (context) => {
    requirePart(context, 'linux');
    const somebody = stranger();
    const at = project();
    mkdirSync(join(at.logDir, 'state'), { recursive: true });
    const ticks = readProcess(somebody.pid)?.startTicks ?? 0;
    for (const [i, content] of [
      { pid: somebody.pid },
      { pid: somebody.pid, create_time: null },
      { pid: somebody.pid, create_time: 12.5 },
      { pid: somebody.pid, create_time: null, start_ticks: ticks + 100, boot_id: bootId() },
      { pid: somebody.pid, create_time: null, start_ticks: ticks, boot_id: 'another' },
      { pid: 1 },
      somebody.pid,
    ].entries()) {
      for (const name of ['serve.pid', 'serve.lock.holder', 'agent-runner.lock.holder'])
        writeFileSync(join(at.logDir, name), JSON.stringify(content));
      const { code, stderr } = await at.run([i % 2 === 0 ? 'stop' : 'kill'], { timeoutMs: 10_000 });
      expect(stderr).not.toMatch(STACK);
      expect(code).not.toBe(null);
      expectAnswer(await at.run(['status']));
      expect(somebody.lives(), JSON.stringify(content)).toBe(true);
    }
    expect(await at.run(['serve', '--once'])).toMatchObject({ code: 0 });
    expect(somebody.lives()).toBe(true);
  });

  it('an agent that puts a stranger into the pid file of a running serve gets nobody signalled by stop', async (context) => {
    requirePart(context, 'linux');
    const somebody = stranger();
    const at = project({ agent: 'cat >/dev/null; echo started; sleep 3' });
    const running = at.start(['serve', '--once']);
    await at.event('agent_spawn');
    for (const name of ['serve.pid', 'agent-runner.lock.holder'])
      writeFileSync(join(at.logDir, name), JSON.stringify({ pid: somebody.pid }));
    for (const verb of ['stop', 'kill']) expect((await at.run([verb], { timeoutMs: 10_000 })).stderr).not.toMatch(STACK);
    expect(somebody.lives()).toBe(true);
    expect(await running.ended).toMatchObject({ code: 0 });
  });
});

describe('what an agent plants while serve runs', () => {
  it('directories, FIFOs and links in the place of its files: serve goes on, nothing is lost silently', async () => {
    const plant = STATE_FILES.filter((name) => !name.startsWith('.') && !name.startsWith('rounds'))
      .map((name, i) => {
        const path = `"$AGENT_RUNNER_LOG_DIR/${name}"`;
        return `rm -rf ${path}; ${['mkdir -p', 'mkfifo', 'ln -s /dev/zero'][i % 3]} ${path}`;
      })
      .join('; ');
    const at = project({ agent: `cat >/dev/null; echo working; if [ "$AGENT_RUNNER_ROUND_NUM" = 1 ]; then ${plant}; fi; true` });
    expect(await at.run(['round'])).toMatchObject({ code: 0 });
    expect(at.json('status.json')).toMatchObject({ round_num: 1, last_outcome: 'ok' });
    at.setAgent(`cat >/dev/null; echo working; if [ "$AGENT_RUNNER_ROUND_NUM" = 2 ]; then ${plant}; fi; true`);
    const { code, stderr } = await at.run(['serve', '--max-rounds', '2'], { timeoutMs: 25_000 });
    expect({ code, stack: STACK.exec(stderr)?.[0] ?? '' }, stderr).toEqual({ code: 0, stack: '' });
    expect(at.outcomes()).toEqual(['ok', 'ok', 'ok']);
    expect(at.json('status.json')).toMatchObject({ round_num: 3, last_outcome: 'ok' });
    expectAnswer(await at.run(['peek']));
  });

  it('circles of links in the place of folders and of env_file end nothing by a bug, and say nothing that they do not', async () => {
    const CASES: [plant: string, code: number, told: string][] = [
      ['rm -rf ../logs; ln -s logs ../logs', 76, 'AR-SRV-002'],
      ['rm -rf ../logs; touch ../logs', 76, 'AR-SRV-002'],
      ['rm ../key.env; ln -s key.env ../key.env', 78, 'env_file'],
      ['cd ..; mv work away; ln -s work work', 78, 'AR-CHK-002'],
      ['rm -rf ../logs/state; ln -s state ../logs/state', 0, 'AR-STA-001'],
      ['rm -rf ../logs/state; touch ../logs/state', 0, 'AR-STA-001'],
    ];
    await inParallel(
      CASES.map(([plant, expected, told]) => async () => {
        const at = project({ agent: `cat >/dev/null; echo x; ${plant}`, agentTable: { env_file: '../key.env' } });
        at.write('../key.env', 'KEY=value\n', 0o600);
        const running = at.start(['serve', '--max-rounds', '9']);
        if (expected === 0) {
          await until('serve goes on', () => running.stderr().split('AR-STA-001').length > 2);
          running.child.kill('SIGTERM');
        }
        const { code, stderr } = await running.ended;
        expect({ plant, code, bug: /internal error|AR-CLI-099/.test(stderr) }, stderr).toEqual({ plant, code: expected, bug: false });
        expect(stderr).toContain(told);
      }),
    );
  });

  it('a FIFO or a directory as prompt, stop file or .agent-done blocks nobody', async () => {
    const kinds = ['mkfifo', 'mkdir'];
    await inParallel(
      kinds.flatMap((make) => [
        async () => {
          const at = project({
            agent: `cat >/dev/null; echo x; rm prompts/main.md; ${make} prompts/main.md`,
            vcs: { dirty_action: 'ignore' },
          });
          const { code, stderr } = await at.run(['serve', '--max-rounds', '3'], { timeoutMs: 10_000 });
          expect({ code, told: stderr.includes('AR-CHK-004') }, stderr).toEqual({ code: 78, told: true });
        },
        async () => {
          const at = project({ agent: `cat >/dev/null; echo x; ${make} STOP`, runtime: { stop_file: 'STOP' } });
          expect(await at.run(['serve', '--max-rounds', '3'], { timeoutMs: 10_000 })).toMatchObject({ code: 0 });
          expect(at.events('stop_file_detected')).toMatchObject([{ rounds_completed: 1 }]);
        },
        async () => {
          const at = project({ agent: `cat >/dev/null; echo x; ${make} "$AGENT_RUNNER_LOG_DIR/.agent-done"` });
          expect(await at.run(['serve', '--max-rounds', '3'], { timeoutMs: 10_000 })).toMatchObject({ code: 0 });
          expect(at.events('agent_self_terminated')).toHaveLength(1);
          expect(at.has('.agent-done')).toBe(false);
        },
      ]),
    );
  });
});

describe('places that are taken by something else', () => {
  function fileAt(at: Project, name: string): void {
    mkdirSync(at.logDir);
    writeFileSync(join(at.logDir, name), '');
  }

  it.each([
    ['log_dir is a file', (at: Project) => writeFileSync(at.logDir, '')],
    ['log_dir/state is a file', (at: Project) => fileAt(at, 'state')],
    ['log_dir/rounds is a file', (at: Project) => fileAt(at, 'rounds')],
    ['serve.lock is a directory', (at: Project) => mkdirSync(join(at.logDir, 'serve.lock'), { recursive: true })],
    ['agent-runner.lock is a directory', (at: Project) => mkdirSync(join(at.logDir, 'agent-runner.lock'), { recursive: true })],
    ['log_dir is a link to itself', (at: Project) => symlinkSync('logs', at.logDir)],
  ])('%s: one clear message, no stack, 76; peek answers', async (_name, make) => {
    const at = project();
    make(at);
    for (const verb of ['serve', 'round']) {
      if (verb === 'serve' && at.has('agent-runner.lock')) continue;
      if (verb === 'round' && at.has('serve.lock')) continue;
      const { code, stderr } = await at.run([verb], { timeoutMs: 10_000 });
      expect({ verb, code, stack: STACK.exec(stderr)?.[0] ?? '' }, stderr).toEqual({ verb, code: 76, stack: '' });
      expect(stderr).toMatch(/\[AR-(SRV|CHK|LCK|STA)-\d+\]/);
    }
    for (const args of [['round', '--dry-run'], ['pause'], ['ack', 'config']])
      expect((await at.run(args, { timeoutMs: 10_000 })).stderr, args.join(' ')).not.toContain('internal error');
    const { code, stdout } = await at.run(['peek'], { timeoutMs: 8_000 });
    expect(code).toBe(0);
    expect(stdout).not.toBe('');
  });

  it('an events file of random bytes, and one whose last line is torn, are continued on a line of their own', async () => {
    const at = project();
    mkdirSync(at.logDir);
    const events = join(at.logDir, monthlyName('events', systemClock.now()));
    const before = Buffer.concat([Buffer.from([0, 255, 10, 200, 13]), Buffer.from('{"ts":"2026-11-29T10:00:00.000Z","event":"round_st')]);
    writeFileSync(events, before);
    expectAnswer(await at.run(['peek', '--events', '5']));
    await at.run(['serve', '--once']);
    const after = readFileSync(events);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    expect(after.subarray(before.length, before.length + 2).toString()).toBe('\n{');
    expect(at.events('serve_started')).toHaveLength(1);
    expectAnswer(await at.run(['peek', '--events', '5']));
  });

  it('a socket in the place of files', async () => {
    const at = project();
    mkdirSync(join(at.logDir, 'state'), { recursive: true });
    const servers = await Promise.all(
      ['status.json', 'state/wait.json', 'serve.pid'].map(async (name) => {
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(join(at.logDir, name), resolve));
        return server;
      }),
    );
    onTestFinished(() => {
      for (const server of servers) server.close();
    });
    expectAnswer(await at.run(['peek']));
    expect(await at.run(['serve', '--once'])).toMatchObject({ code: 0 });
    expect(at.outcomes()).toEqual(['ok']);
  });
});
