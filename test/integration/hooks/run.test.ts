import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type HookCall, runHook } from '../../../src/hooks/run.ts';
import { type TestHooks, testHooks } from '../../support/hooks.ts';
import { kill } from '../../support/project.ts';
import { until } from '../../support/wait.ts';

const call = (at: TestHooks, argv: readonly [string, ...string[]], more: Partial<HookCall> = {}): HookCall => ({
  kind: 'pre_round',
  name: 'tried',
  argv,
  payload: { hook: 'pre_round' },
  workDir: at.workDir,
  timeoutMs: 5_000,
  ...more,
});
/** A zombie whose parent does not care is dead. */
const lives = (pid: number) => existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
const records = (at: TestHooks) => readdirSync(join(at.folder, 'logs/state')).filter((name) => name.startsWith('hooks-in-flight'));

it('gets one line of JSON, the cleaned environment with its mark, and work_dir; what it prints comes back', async () => {
  const at = testHooks();
  const script = at.script('hook', `cat; env > "${at.folder}/env"; pwd; ls "${at.folder}/logs/state"`);
  const end = await runHook(at.world, call(at, [script]));
  const [json, folder, record] = end.stdout.split('\n');
  expect(JSON.parse(json ?? '')).toEqual({ hook: 'pre_round' });
  expect(folder).toBe(at.workDir);
  expect(record).toBe(`hooks-in-flight-${process.pid}.json`);
  expect(end.failure).toBeNull();
  expect(at.read('env')).toMatch(/^AGENT_RUNNER_HOOK_ID=[0-9a-f-]{36}$/m);
  expect(at.read('env')).toContain('OWN=kept');
  expect(at.read('env')).not.toMatch(/NOTIFY_SOCKET|AGENT_RUNNER_ROUND_ID/);
  expect(records(at)).toEqual([]);
});

it.each([
  ['exits with 3', 'echo "no such branch" >&2; exit 3', 'exit_status', 'exited with 3'],
  ['is killed by somebody', 'kill -KILL $$', 'signal', 'was ended by SIGKILL'],
])('%s', async (_what, text, type, message) => {
  const at = testHooks();
  const { failure } = await runHook(at.world, call(at, [at.script('hook', text)]));
  expect(failure).toMatchObject({ error_type: type, error_message: message });
  if (type === 'exit_status') expect(failure?.traceback).toBe('no such branch');
});

it('a program that cannot be started is a failure like any other', async () => {
  const at = testHooks();
  expect((await runHook(at.world, call(at, [join(at.folder, 'none')]))).failure).toMatchObject({ error_type: 'not_started' });
});

it('one that hangs is ended with its group, and with a child that left the group and ignores TERM', async () => {
  const at = testHooks();
  const inner = at.script('inner', `trap '' TERM; echo $$ > "${at.folder}/pid"; while :; do sleep 0.1; done`);
  const script = at.script('hook', `setsid "${inner}" & trap '' TERM; while :; do sleep 0.1; done`);
  const since = performance.now();
  const { failure } = await runHook(at.world, call(at, [script], { timeoutMs: 500 }));
  expect(performance.now() - since).toBeLessThan(4_000);
  expect(failure).toMatchObject({ error_type: 'timeout', error_message: 'did not end within 0.5 s and was ended' });
  expect(lives(Number(at.read('pid')))).toBe(false);
});

it('one that leaves a daemon which holds its output does not hold the loop, and the daemon is left alone', async () => {
  const at = testHooks();
  const script = at.script('hook', `sleep 30 & echo $! > "${at.folder}/pid"; echo '{}'`);
  const since = performance.now();
  const end = await runHook(at.world, call(at, [script]));
  const pid = Number(at.read('pid'));
  onTestFinished(() => kill(pid));
  expect(performance.now() - since).toBeLessThan(3_000);
  expect(end).toMatchObject({ failure: null, stdout: '{}\n' });
  expect(lives(pid)).toBe(true);
});

it('100 MB of output are read and not kept', async () => {
  const at = testHooks();
  const before = process.memoryUsage().rss;
  const end = await runHook(at.world, call(at, [at.script('hook', 'head -c 100000000 /dev/zero')], { timeoutMs: 20_000 }));
  expect(end).toMatchObject({ failure: null, truncated: true });
  expect(end.stdout.length).toBe(64 * 1024);
  expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
});

it('one that does not read its input, a large one, is no failure', async () => {
  const at = testHooks();
  const payload = { text: 'x'.repeat(500_000) };
  expect((await runHook(at.world, call(at, [at.script('hook', 'exit 0')], { payload }))).failure).toBeNull();
});

it('is given up at once when it is told to', async () => {
  const at = testHooks();
  const stop = new AbortController();
  const script = at.script('hook', `echo $$ > "${at.folder}/pid"; sleep 30`);
  const ending = runHook(at.world, call(at, [script], { signal: stop.signal, timeoutMs: 30_000 }));
  await until('it runs', () => at.read('pid') !== '');
  const since = performance.now();
  stop.abort();
  expect((await ending).failure).toMatchObject({ error_type: 'given_up' });
  expect(performance.now() - since).toBeLessThan(1_000);
});
