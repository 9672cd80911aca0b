import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandResult, runCommand } from '../../../src/process/command.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { until } from '../../support/wait.ts';

/** The shell writes pids of its children here; each must be gone at the end of its test. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-runner-command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sh = (script: string, options: Parameters<typeof runCommand>[1] = {}) =>
  runCommand(['sh', '-c', script], { env: { PATH: process.env.PATH, F: folder }, ...options });
const pidIn = (name: string) => Number(readFileSync(join(folder, name), 'utf8'));
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const isGone = (name: string) => until(`${name} is gone`, () => !isAlive(pidIn(name)), 3_000);
async function timed(run: Promise<CommandResult>): Promise<CommandResult & { ms: number }> {
  const start = systemClock.monotonic();
  const result = await run;
  return { ...result, ms: systemClock.monotonic() - start };
}

describe('runCommand', () => {
  it('gives exit code, output, and a signal as such', async () => {
    expect(await sh('echo out; echo err >&2; exit 3')).toEqual({
      code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      timedOut: false,
      truncated: false,
      spawnError: null,
    });
    expect(await sh('kill -KILL $$')).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('gives bytes that are not UTF-8 back unharmed as latin1', async () => {
    const { stdout } = await sh("printf 'caf\\351'", { encoding: 'latin1' });
    expect(stdout).toBe('caf\xe9');
  });

  it('hands down exactly the environment it was given, /dev/null as input, and a session of its own', async () => {
    const { stdout } = await runCommand(['/bin/sh', '-c', 'env | grep -v ^_= ; cat; ps -o sid= -p $$ | tr -d " "; echo $$'], {
      env: { A: '1', PATH: process.env.PATH },
    });
    const lines = stdout
      .trim()
      .split('\n')
      .filter((line) => !/^(PWD|SHLVL|OLDPWD)=/.test(line));
    expect(lines.slice(0, 2).sort()).toEqual(['A=1', `PATH=${process.env.PATH}`]);
    expect(lines[2]).toBe(lines[3]);
  });

  it('scar 7: a time-out ends the whole group, also what ignores TERM after its leader has obeyed', async () => {
    const result = await timed(
      sh('sleep 300 & echo $! > $F/obeys; (trap "" TERM; exec sleep 300) & echo $! > $F/ignores; trap "exit 9" TERM; wait', {
        timeoutMs: 300,
        killAfterMs: 300,
      }),
    );
    expect(result).toMatchObject({ timedOut: true, code: 9 });
    expect(result.ms).toBeLessThan(2_500);
    await isGone('obeys');
    await isGone('ignores');
  });

  it('a leader that ignores TERM gets KILL', async () => {
    const result = await timed(sh('trap "" TERM; while :; do sleep 0.05; done', { timeoutMs: 200, killAfterMs: 200 }));
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL', code: null });
    expect(result.ms).toBeLessThan(2_000);
  });

  it('a member that uses its grace is not killed before it is over', async () => {
    const result = await sh(
      '(trap "sleep 0.4; echo done > $F/cleaned; exit" TERM; echo $$ > $F/x; sleep 300 & wait) & trap "exit 0" TERM; wait',
      {
        timeoutMs: 300,
        killAfterMs: 3_000,
      },
    );
    expect(result.timedOut).toBe(true);
    expect(readFileSync(join(folder, 'cleaned'), 'utf8')).toBe('done\n');
  });

  it('field bug 1: a background process that holds the pipe is not waited for, and not killed', async () => {
    const result = await timed(sh('sleep 300 & echo $! > $F/background; echo answer'));
    expect(result).toMatchObject({ code: 0, stdout: 'answer\n', timedOut: false });
    expect(result.ms).toBeLessThan(2_000);
    expect(isAlive(pidIn('background'))).toBe(true);
    process.kill(pidIn('background'), 'SIGKILL');
  });

  it('an end in time stays one, though the time-out passes while a held pipe is drained', async () => {
    const result = await sh('sleep 300 & echo $! > $F/background; exit 4', { timeoutMs: 250 });
    process.kill(pidIn('background'), 'SIGKILL');
    expect(result).toMatchObject({ code: 4, timedOut: false });
  });

  it('keeps at most maxBytes of each stream, reads the rest, and says so', async () => {
    const result = await sh('head -c 3000000 /dev/zero | tr "\\0" x; head -c 10 /dev/zero | tr "\\0" y >&2', { maxBytes: 1000 });
    expect(result).toMatchObject({ code: 0, truncated: true, stderr: 'y'.repeat(10) });
    expect(result.stdout).toBe('x'.repeat(1000));
    expect(await sh('printf 12345', { maxBytes: 5 })).toMatchObject({ truncated: false, stdout: '12345' });
  });

  it('passes input on, and field bug 5: a command that does not read it (EPIPE) does no harm', async () => {
    expect(await sh('cat', { input: 'text\n' })).toMatchObject({ stdout: 'text\n' });
    for (let i = 0; i < 20; i += 1) expect(await sh('exit 7', { input: Buffer.alloc(8 * 1024 * 1024) })).toMatchObject({ code: 7 });
  });

  it.each<[string, () => Promise<CommandResult>, string]>([
    ['a missing program', () => runCommand(['/nonexistent/program']), 'ENOENT'],
    ['a missing cwd', () => runCommand(['true'], { cwd: '/nonexistent' }), 'ENOENT'],
    ['no permission', () => runCommand(['/etc/passwd']), 'EACCES'],
    ['field bug 4: an argument of 128 KiB', () => runCommand(['true', 'x'.repeat(131_072)]), 'E2BIG'],
    ['a NUL in an argument', () => runCommand(['true', 'a\0b']), 'EINVAL'],
  ])('never rejects and never hangs: %s', async (_, run, errno) => {
    expect(await run()).toMatchObject({ code: null, spawnError: errno, timedOut: false });
  });

  it('ends by an abort signal, also one that came before', async () => {
    const controller = new AbortController();
    const running = sh('exec sleep 300', { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ signal: 'SIGTERM', timedOut: false });
    expect(await timed(sh('exec sleep 300', { signal: controller.signal }))).toMatchObject({ signal: 'SIGTERM', timedOut: false });
  });
});
