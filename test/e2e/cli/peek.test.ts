import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../../src/observe/peek/snapshot.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { cli, type TestProject, testProject } from '../../support/cli.ts';
import { testFolder } from '../../support/folder.ts';
import { peakResident } from '../../support/memory.ts';
import { startScript } from '../../support/node.ts';
import { CLI } from '../../support/project.ts';
import { until } from '../../support/wait.ts';

async function peekJson(project: TestProject, ...args: string[]): Promise<Snapshot> {
  const { code, stdout, stderr } = await cli(['peek', '--json', ...args], { cwd: project.folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const iso = (agoS: number) => new Date(Date.now() - agoS * 1000).toISOString();
const eventsFile = `events-${iso(0).slice(0, 7)}.jsonl`;
const lines = (...events: object[]) => events.map((event) => `${JSON.stringify({ ts: iso(60), ...event })}\n`).join('');

/** Everything below the folder with type, size and times, so that a write of any kind shows. */
function fingerprint(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mode, size, mtimeMs, ino } = lstatSync(join(folder, name));
      return `${name} ${mode} ${size} ${mtimeMs} ${ino}`;
    });
}

/** Round 12 is over: a time-out with an escapee. */
function afterTwelveRounds(project: TestProject): void {
  project.write('status.json', {
    round_num: 12,
    running: false,
    last_exit_code: -15,
    last_outcome: 'timeout',
    last_completed_at: iso(30),
    last_duration_s: 60,
  });
  project.write('rounds/R12-20261129T110000.log', Array.from({ length: 60 }, (_, n) => `line ${n + 1}`).join('\n'));
  project.write('rounds/R9-20261129T100000.log', 'older\n');
  project.write(
    eventsFile,
    lines(
      { event: 'round_start', round_num: 12, phase: 'build' },
      { event: 'agent_spawn', round_num: 12, timeout_s: 60 },
      { event: 'hook_failed', hook_name: 'h' },
      { event: 'agent_network_blip', round_num: 12, matched: 'dns' },
      { event: 'agent_exit', round_num: 12, exit_code: -15, duration_s: 60, timed_out: true, exit_cause: 'timeout', outcome: 'timeout' },
      {
        event: 'round_reaped',
        round_num: 12,
        round_id: 'r',
        members: [{ name: 'sh', pid: 5 }],
        escaped: [{ name: 'sh', pid: 5 }],
        signalled: [{ name: 'sh', pid: 5 }],
        survivors: [],
        container_id: null,
        duration_ms: 9,
      },
    ),
  );
  project.write('state/stopped.json', {
    reason: 'signal',
    exit_code: 0,
    at: iso(20),
    sentence: 'stopped by SIGTERM',
    remedy: null,
    log_path: null,
  });
  project.write('state/defenses.json', [{ name: 'hard wall', value: '60 s', codifies: 'x', guarded_by: 'y', current_state: 'active' }]);
}

test('an empty folder: not set up, and what to do', async () => {
  const { code, stdout, stderr } = await cli(['peek'], { cwd: testFolder() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Not set up: there is no \S+; a person is needed: there is nothing to run yet: `agent-runner init`\.\n/);
});

test('every key of the predecessor at schema 1.11 is there, and ours', async () => {
  const project = testProject('[plugins]\ndisable = ["pi"]\n');
  afterTwelveRounds(project);
  const view = await peekJson(project);
  expect(view).toMatchObject({
    schema_version: '1.11',
    project: project.folder.split('/').at(-1),
    status: { round_num: 12, running: false, last_exit_code: -15 },
    defenses: [{ name: 'hard wall', current_state: 'active' }],
    current_round: {
      round_num: 12,
      phase: 'build',
      exit_code: -15,
      timed_out: true,
      duration_so_far_s: 60,
      pid: null,
      log_tail: null,
      recent_events: [],
    },
    recent_rounds: [],
    orphan: null,
    service: { mode: 'none', active: false, pid: null, uptime_s: null, unit_file: null, rate_limit: null, system_managed: false },
    recent_events: [],
    recent_hook_failures: [{ hook_name: 'h' }],
    recent_blips: [{ matched: 'dns' }],
    recent_cgroup_growth_warnings: [],
    schedule: null,
    plugins: {
      event_kinds: [],
      context_enrichers: [],
      pre_round_hooks: [],
      post_round_hooks: [],
      detectors: [],
      owned_paths: [],
      disabled: ['pi'],
    },
    state: 'stopped',
    until: null,
    needs_human: null,
    healthy: false,
    last_receipt: { round_num: 12, words: 'ended by the time wall; 1 process cleaned up (1 had left the group), none survived' },
  });
  expect(view.current_round?.log_path).toBe(join(project.logDir, 'rounds/R12-20261129T110000.log'));
  expect(Object.keys(view.system).sort()).toEqual(
    ['agent_process_count', 'cpu_pct', 'disk_free_gb', 'disk_used_pct', 'load_1m', 'mem_available_mb', 'mem_total_mb'].sort(),
  );
  expect(view.system.mem_available_mb).toBeGreaterThan(0);
  expect(view.sentence).toMatch(
    /^Stopped \d+ s ago: stopped by SIGTERM, the last round was 12 \(timeout\) \d+ s ago; go on with `agent-runner serve`; degraded: hook h failed\.$/,
  );
});

test('--round, --log, --events', async () => {
  const project = testProject();
  afterTwelveRounds(project);
  expect((await peekJson(project, '--round', '9')).current_round).toMatchObject({
    round_num: 9,
    started_at: '2026-11-29T10:00:00.000Z',
    exit_code: null,
  });
  expect((await peekJson(project, '--round', 'latest')).current_round?.round_num).toBe(12);
  const withLog = await peekJson(project, '--log', '--events', '2');
  expect(withLog.current_round?.log_tail?.split('\n')).toEqual(Array.from({ length: 50 }, (_, n) => `line ${n + 11}`));
  expect(withLog.recent_events.map(({ event }) => event)).toEqual(['agent_exit', 'round_reaped']);
  const none = await cli(['peek', '--round', '7'], { cwd: project.folder });
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain('round 7 has left no log');
  const text = await cli(['peek', '--log'], { cwd: project.folder });
  expect(text.stdout).toContain('\nline 60');
  expect(text.stdout).not.toContain('\nline 10\n');
  expect(text.stdout).toContain('\nreceipt  round 12: ');
  // What came after it is not told beside an older round.
  expect((await cli(['peek', '--round', '9'], { cwd: project.folder })).stdout).not.toContain('receipt');
});

test('--select prints one value; a wrong path is one line and exit 1', async () => {
  const project = testProject();
  afterTwelveRounds(project);
  const select = async (path: string, ...more: string[]) => cli(['peek', '--select', path, ...more], { cwd: project.folder });
  expect(await select('defenses.0.name')).toEqual({ code: 0, stdout: 'hard wall\n', stderr: '' });
  expect(await select('defenses.0.name', '--json')).toEqual({ code: 0, stdout: '"hard wall"\n', stderr: '' });
  expect(await select('status.round_num')).toEqual({ code: 0, stdout: '12\n', stderr: '' });
  const wrong = await select('status.round');
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toContain("there is no 'round'; there are round_num");
});

test('scar 70 and field bug 15: serve lives, its pid is recycled, it is dead', async () => {
  const project = testProject();
  project.write('status.json', { round_num: 3, running: false });
  const serve = startScript('fake-serve.ts', project.logDir, 'stop');
  await until('fake serve is ready', () => serve.output().includes('ready'));
  const alive = await peekJson(project);
  expect(alive).toMatchObject({ state: 'starting', healthy: true, service: { mode: 'pid_file', active: true, pid: serve.child.pid } });
  expect(alive.service.uptime_s).toBeLessThan(60);
  expect((await cli(['peek', '--check'], { cwd: project.folder })).code).toBe(0);

  const record = { pid: serve.child.pid, create_time: 1, start_ticks: 1, boot_id: 'x' };
  project.write('serve.pid', record);
  expect(await peekJson(project)).toMatchObject({ state: 'died', service: { active: false, pid: null } });
  const check = await cli(['peek', '--check'], { cwd: project.folder });
  expect(check.code).toBe(1);
  expect(check.stdout).toMatch(/^serve \(pid \d+\) died without a word.*\n$/);
});

test('a supervisor that died during a round', async () => {
  const project = testProject();
  project.write('status.json', { round_num: 12, running: true });
  project.write('serve.pid', { pid: 999_999_999, create_time: 1 });
  project.write('round-in-flight.json', { round_num: 12, round_id: 'r', token: 'r', owner: 'o', started_at: iso(300), container: null });
  const view = await peekJson(project);
  expect(view).toMatchObject({ state: 'died', needs_human: { reason: 'died', command: 'agent-runner serve' } });
});

test('a breaker: what, which log, which command', async () => {
  const project = testProject();
  project.write('status.json', { round_num: 17, running: false });
  project.write('state/stopped.json', {
    reason: 'crash_loop',
    exit_code: 75,
    at: iso(7210),
    sentence: 'the agent failed 5 times in a row within a minute each',
    remedy: 'read the log of the last round, mend the cause, then start serve again',
    log_path: '/l/R17.log',
  });
  const { stdout } = await cli(['peek', '--config', project.config], { cwd: '/' });
  expect(stdout.split('\n')[0]).toBe(
    `Stopped for good 2 h ago by crash_loop (exit 75): the agent failed 5 times in a row within a minute each; its log is /l/R17.log; a person is needed: read the log of the last round, mend the cause, then start serve again: \`agent-runner serve --config ${project.config}\`.`,
  );
});

test('a broken configuration does not make peek blind', async () => {
  const project = testProject();
  afterTwelveRounds(project);
  writeFileSync(project.config, '[runtime]\nlog_dir = "logs"\nwork_dir = "."\n[agent\n');
  const view = await peekJson(project);
  expect(view).toMatchObject({ state: 'stopped', status: { round_num: 12 }, needs_human: { reason: 'config_broken' } });
  expect(view.sentence).toContain('agent-runner.toml cannot be used now (');
});

const STATE_FILES = [
  'status.json',
  'serve.pid',
  'round-in-flight.json',
  'orphan-state.json',
  'agent-runner.lock.holder',
  'state/wait.json',
  'state/pause.json',
  'state/needs-human.json',
  'state/streaks.json',
  'state/stopped.json',
  'state/defenses.json',
  'state/accepted-config.json',
  eventsFile,
  eventsFile.replace('events', 'metrics'),
];

test.each(['', '{', 'null', '[]', '3', '"x"', '\u0000\u0000', '{"entries":3,"reason":3,"pid":true,"round_num":"x"}'])(
  'garbage %j in every file: an answer, no exception, no write',
  async (garbage) => {
    const project = testProject();
    for (const name of STATE_FILES) project.write(name, garbage);
    const before = fingerprint(project.folder);
    const view = await peekJson(project, '--events', '5', '--log');
    expect(view.sentence).toMatch(/\.$/);
    const { code, stderr } = await cli(['peek', '--events', '5', '--log'], { cwd: project.folder });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(fingerprint(project.folder)).toEqual(before);
  },
);

test('folders, FIFOs and dangling links in place of every file: an answer, never a block', async () => {
  for (const make of [
    (path: string) => mkdirSync(path),
    (path: string) => void execFileSync('mkfifo', [path]),
    (path: string) => void execFileSync('ln', ['-s', 'nowhere', path]),
  ]) {
    const project = testProject();
    for (const name of STATE_FILES) make(join(project.logDir, name));
    make(join(project.logDir, 'round-current.log'));
    make(join(project.logDir, 'rounds/R1-20261129T110000.log'));
    const view = await peekJson(project, '--log');
    expect(view.sentence).toMatch(/\.$/);
  }
});

test('log_dir is a file, is missing, is read-only', async () => {
  const project = testProject();
  afterTwelveRounds(project);
  chmodSync(project.logDir, 0o555);
  expect((await peekJson(project)).state).toBe('stopped');
  chmodSync(project.logDir, 0o755);
  rmSync(project.logDir, { recursive: true });
  expect((await peekJson(project)).state).toBe('never_started');
  writeFileSync(project.logDir, 'a file');
  expect((await peekJson(project)).state).toBe('unreadable');
});

test('the log of an agent cannot steer the terminal', async () => {
  const project = testProject();
  afterTwelveRounds(project);
  project.write('rounds/R12-20261129T110000.log', '\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u202eend\n');
  const { stdout } = await cli(['peek', '--log'], { cwd: project.folder });
  expect(stdout).not.toMatch(/[\u001b\u0007\u202e]/);
  expect(stdout).toContain('red');
});

test('a log of events of 2 GB is read at its end alone: no slower than an empty one by half a second, in the same memory', async () => {
  const project = testProject();
  afterTwelveRounds(project);
  const events = join(project.logDir, eventsFile);
  const newest = readFileSync(events);
  // A hole of 2 GB that takes no room on the disk, and the newest events behind it.
  truncateSync(events, 2 * 1024 ** 3);
  appendFileSync(events, '\n');
  appendFileSync(events, newest);
  const child = spawn(process.execPath, [CLI, 'peek', '--json'], { cwd: project.folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  const began = systemClock.monotonic();
  const peak = await peakResident({ pid: child.pid ?? 0, child });
  expect(JSON.parse(stdout)).toMatchObject({ last_receipt: { outcome: 'timeout' } });
  expect(systemClock.monotonic() - began).toBeLessThan(5_000);
  expect(peak).toBeLessThan(100 * 1024 * 1024);
});

test('status.json and stopped.json are lost: what the events know is told, not "never started"', async () => {
  const project = testProject();
  expect(await peekText(project)).toMatch(/^Never started/);
  project.write('rounds/R7-20261129T110000.log', 'hello\n');
  expect(await peekText(project)).toMatch(/^Not running, the last round was 7;/);
  afterTwelveRounds(project);
  for (const name of ['status.json', 'state/stopped.json']) rmSync(join(project.logDir, name), { force: true });
  expect(await peekText(project)).toMatch(/^Not running, the last round was 12 \(timeout\) 1 min ago/);
  appendFileSync(
    join(project.logDir, eventsFile),
    lines({ event: 'serve_stopped', reason: 'max_rounds', exit_code: 0, rounds_completed: 12 }),
  );
  expect(await peekText(project)).toMatch(/^Stopped 1 min ago: max_rounds, the last round was 12 \(timeout\)/);
  appendFileSync(join(project.logDir, eventsFile), lines({ event: 'serve_started', version: '1', pid: 4, config_digest: '', owner: '' }));
  expect(await peekText(project)).toMatch(/^Not running, the last round was 12/);
});

test('stashes of earlier rounds are counted until they are gone, a later clean round or not; a stash of a person is not', async () => {
  const project = testProject();
  afterTwelveRounds(project);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', project.folder, '-c', 'user.name=p', '-c', 'user.email=p@localhost', ...args]);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  for (const message of ['ORPHAN R3 ts=2026-11-29T10:00:00Z', 'mine', 'ORPHAN R9 phase=build ts=2026-11-29T11:00:00Z']) {
    writeFileSync(join(project.folder, 'new.txt'), message);
    git('stash', 'push', '-q', '-u', '-m', message, '--', 'new.txt');
  }
  expect((await peekJson(project)).orphan_stashes).toBe(2);
  expect(await peekText(project)).toContain('2 stashes of earlier rounds wait: `git stash list`');
  git('stash', 'drop', '-q', 'stash@{0}');
  expect(await peekText(project)).toContain('1 stash of earlier rounds waits');
  git('stash', 'clear');
  expect(await peekText(project)).not.toContain('stash');
});

async function peekText(project: TestProject): Promise<string> {
  return (await cli(['peek'], { cwd: project.folder })).stdout;
}
