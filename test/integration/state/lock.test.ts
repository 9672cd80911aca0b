import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/process/command.ts';
import { describeHolder, readHolder, removeHolder, writeHolder } from '../../../src/state/holder.ts';
import { acquireLock } from '../../../src/state/lock.ts';
import { RunnerError } from '../../../src/util/errors.ts';
import { testFolder } from '../../support/folder.ts';
import { startScript } from '../../support/node.ts';
import { requirePart } from '../../support/parts.ts';
import { until } from '../../support/wait.ts';

const PYTHON = `
import fcntl, sys, time
f = open(sys.argv[1], 'w')
try:
    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    print('held', flush=True)
    sys.exit(0)
print('got', flush=True)
time.sleep(float(sys.argv[2]))
`;

async function pythonTries(path: string): Promise<string> {
  return (await runCommand(['python3', '-c', PYTHON, path, '0'])).stdout.trim();
}

/** Runs hold-lock.ts; its child is ended with the test. */
async function startHolder(path: string) {
  const holder = startScript('hold-lock.ts', path);
  const pid = await until('the lock is taken', () => /locked (\d+)/.exec(holder.output())?.[1]);
  onTestFinished(() => {
    process.kill(Number(pid), 'SIGKILL');
  });
  return holder;
}

describe('acquireLock', () => {
  it('reference case 23: is exclusive within a process, until released; a second release does nothing', async () => {
    const path = join(testFolder(), 'serve.lock');
    const lock = await acquireLock(path);
    expect(lock).not.toBeNull();
    expect(await acquireLock(path)).toBeNull();
    lock?.release();
    const again = await acquireLock(path);
    expect(again).not.toBeNull();
    lock?.release();
    expect(await acquireLock(path)).toBeNull();
    again?.release();
    expect(existsSync(path)).toBe(true);
  });

  it('excludes the fcntl.flock of Python, and is excluded by it', async (context) => {
    requirePart(context, 'python3');
    const path = join(testFolder(), 'agent-runner.lock');
    const lock = await acquireLock(path);
    expect(await pythonTries(path)).toBe('held');
    lock?.release();
    expect(await pythonTries(path)).toBe('got');

    // Python tries once: a look of ours at that moment would be the holder. So it says itself when it has the lock.
    const python = spawn('python3', ['-uc', PYTHON, path, '30'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const gone = new Promise((done) => python.once('exit', done));
    try {
      const said = await new Promise((done) => python.stdout.once('data', (chunk) => done(String(chunk).trim())));
      expect(said).toBe('got');
      expect(await acquireLock(path)).toBeNull();
    } finally {
      python.kill('SIGKILL');
      await gone;
    }
    const after = await acquireLock(path);
    expect(after).not.toBeNull();
    after?.release();
  });

  it('reference case 23, field bug 15: ends with the process however it dies, although a child of it lives on', async () => {
    const path = join(testFolder(), 'serve.lock');
    const holder = await startHolder(path);
    expect(await acquireLock(path)).toBeNull();
    expect(describeHolder(`${path}.holder`)).toMatch(new RegExp(`^held by PID ${holder.child.pid}, age \\d+s, cmd: .`));
    holder.child.kill('SIGKILL');
    await holder.ended;
    const lock = await acquireLock(path);
    expect(lock).not.toBeNull();
    expect(describeHolder(`${path}.holder`)).toBe(`stale sidecar, holder PID ${holder.child.pid} no longer alive`);
    lock?.release();
  });

  it('does not take a lock file that somebody replaced for the lock', async () => {
    const path = join(testFolder(), 'serve.lock');
    const old = await acquireLock(path);
    rmSync(path);
    const fresh = await acquireLock(path);
    expect(fresh).not.toBeNull();
    expect(await acquireLock(path)).toBeNull();
    old?.release();
    expect(await acquireLock(path)).toBeNull();
    fresh?.release();
  });

  it('works for a path with spaces, quotes, unicode and a leading dash', async () => {
    const folder = join(testFolder(), `-a b'"ü`);
    mkdirSync(folder);
    const lock = await acquireLock(join(folder, 'serve.lock'));
    expect(lock).not.toBeNull();
    lock?.release();
  });

  it('names util-linux when there is no flock program', async () => {
    const path = join(testFolder(), 'serve.lock');
    const before = process.env.PATH;
    process.env.PATH = '/nonexistent';
    try {
      await expect(acquireLock(path)).rejects.toMatchObject({ code: 'AR-LCK-001', remedy: expect.stringContaining('util-linux') });
    } finally {
      process.env.PATH = before;
    }
  });

  it('is an error of the environment where the file cannot be opened', async () => {
    const folder = testFolder();
    await expect(acquireLock(join(folder, 'gone', 'serve.lock'))).rejects.toMatchObject({ code: 'AR-LCK-003', exit: 'environment' });
    symlinkSync('elsewhere', join(folder, 'serve.lock'));
    await expect(acquireLock(join(folder, 'serve.lock'))).rejects.toBeInstanceOf(RunnerError);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });

  it('says what the file system answers when it does not lock', async () => {
    const folder = testFolder();
    const shim = join(folder, 'flock');
    writeFileSync(shim, '#!/bin/sh\necho "flock: 3: Operation not supported" >&2\nexit 1\n', { mode: 0o755 });
    const before = process.env.PATH;
    process.env.PATH = `${folder}:${before}`;
    try {
      await expect(acquireLock(join(folder, 'serve.lock'))).rejects.toMatchObject({
        code: 'AR-LCK-002',
        message: expect.stringContaining('Operation not supported'),
      });
    } finally {
      process.env.PATH = before;
    }
  });
});

describe('reference case 23: the four phrases about a holder', () => {
  it('missing, unreadable, stale, held', () => {
    const path = join(testFolder(), 'agent-runner.lock.holder');
    expect(describeHolder(path)).toBe('holder unknown, sidecar missing');
    for (const junk of ['', 'x', '[]', '{"pid":true}', '{"pid":1}', '{"pid":-5}', '{"pid":"7"}']) {
      writeFileSync(path, junk);
      expect(describeHolder(path), junk).toBe('holder info unreadable');
    }
    writeFileSync(path, JSON.stringify({ pid: 99_999_999, started_at: '2026-01-01T00:00:00.000Z', cmdline: 'x' }));
    expect(describeHolder(path)).toBe('stale sidecar, holder PID 99999999 no longer alive');
    writeHolder(path);
    expect(describeHolder(path)).toMatch(new RegExp(`^held by PID ${process.pid}, age 0s, cmd: `));
    removeHolder(path);
    expect(describeHolder(path)).toBe('holder unknown, sidecar missing');
  });

  it('scar 69: the command line is redacted first and cut to 80 second', () => {
    const path = join(testFolder(), 'x.holder');
    const before = process.argv;
    process.argv = ['node', 'agent-runner', 'x'.repeat(50), `--token=sk-ant-${'abc123'.repeat(20)}`];
    writeHolder(path);
    process.argv = before;
    const holder = readHolder(path);
    if (typeof holder === 'string') throw new Error(holder);
    expect(holder.cmdline).toBe(`node agent-runner ${'x'.repeat(50)} --token=[re`);
    expect(holder.cmdline.length).toBe(80);
  });
});
