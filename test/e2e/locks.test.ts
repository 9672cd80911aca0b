import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HELD, held, WELL } from '../support/fake-agents.ts';
import { requirePart } from '../support/parts.ts';
import { CLI, kill, type Project, project } from '../support/project.ts';
import { until } from '../support/wait.ts';

describe('reference case 23: one at a time', () => {
  it('a second serve exits 1 and says who is there; the first one does not notice', async () => {
    const at = project({ agent: HELD });
    const serve = await held(at, ['serve']);
    const second = await at.run(['serve', '--once']);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`held by PID ${serve.pid}, age `);
    expect(second.stderr).toContain('[AR-SRV-001]');
    expect(at.events('serve_started')).toHaveLength(1);
    expect(JSON.parse((await at.run(['status', '--json'])).stdout)).toMatchObject({ active: true, pid: serve.pid });
    serve.child.kill('SIGTERM');
    at.release();
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
  });

  it('also when an agent has removed the lock file', async () => {
    const at = project({ agent: HELD });
    const serve = await held(at, ['serve']);
    rmSync(join(at.logDir, 'serve.lock'));
    const second = await at.run(['serve', '--once']);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`it is pid ${serve.pid}, and its lock file was removed`) });
    at.release();
    serve.child.kill('SIGTERM');
    expect((await serve.ended).code).toBe(0);
    expect(at.events('round_start')).toHaveLength(1);
  });

  it('a serve whose log_dir was removed gives way to the one that has begun there since', async () => {
    const at = project({ agent: HELD });
    const first = await held(at, ['serve']);
    rmSync(at.logDir, { recursive: true });
    const second = at.start(['serve']);
    await until('the second serve has its lock', () => at.has('serve.lock.holder'));
    at.release();
    expect(await first.ended).toMatchObject({ code: 1 });
    expect(first.stderr()).toContain('[AR-SRV-001]');
    expect(at.json('serve.pid')).toMatchObject({ pid: second.pid });
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
  });

  it('a second round exits 76 and says who is there, beside a round and beside a serve', async () => {
    for (const verb of ['round', 'serve'] as const) {
      const at = project({ agent: HELD });
      const first = await held(at, [verb]);
      const second = await at.run(['round']);
      expect(second.code).toBe(76);
      expect(second.stderr).toMatch(new RegExp(`held by PID ${first.pid}, age \\d+s, cmd: .*main\\.js ${verb}`));
      expect(at.events('round_start')).toHaveLength(1);
      at.release();
      first.child.kill('SIGTERM');
      await first.ended;
    }
  });

  it('scar 49: serve waits for a round that a person runs, as for any unfit environment, and is no crash loop', async () => {
    const at = project({ agent: HELD });
    const round = await held(at, ['round']);
    const serve = at.start(['serve', '--max-rounds', '1']);
    await until('serve was refused', () => (at.json('state/streaks.json')?.environment ?? 0) !== 0);
    expect(at.json('state/streaks.json')).toMatchObject({ crash: 0 });
    expect(serve.stderr()).toContain(`held by PID ${round.pid}`);
    at.release();
    expect((await round.ended).code).toBe(0);
    expect((await serve.ended).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok', 'ok']);
    expect(at.json('state/streaks.json')).toMatchObject({ environment: 0, crash: 0 });
  });

  it.each([
    [
      'stale sidecar, holder PID 999999 no longer alive',
      JSON.stringify({ pid: 999_999, started_at: '2026-01-01T00:00:00Z', cmdline: 'x' }),
    ],
    ['holder unknown, sidecar missing', null],
    ['holder info unreadable', '{"pid":'],
  ])('a lock without a truthful side file: %s', async (words, sidecar) => {
    const at = project({ agent: WELL });
    mkdirSync(at.logDir);
    await flockHolds(join(at.logDir, 'agent-runner.lock'));
    if (sidecar !== null) writeFileSync(join(at.logDir, 'agent-runner.lock.holder'), sidecar);
    const { code, stderr } = await at.run(['round']);
    expect(code).toBe(76);
    expect(stderr).toContain(words);
  });
});

describe('a Python process that holds a lock by fcntl.flock', () => {
  it('excludes serve and round, and lets them in when it dies', async (context) => {
    requirePart(context, 'python3');
    const at = project({ agent: WELL });
    mkdirSync(at.logDir);
    const server = await pythonHolds(join(at.logDir, 'serve.lock'));
    expect(await at.run(['serve', '--once'])).toMatchObject({ code: 1, stderr: expect.stringContaining('AR-SRV-001') });
    server.kill('SIGKILL');
    await until('serve gets in', async () => (await at.run(['serve', '--once'])).code === 0);

    const rounder = await pythonHolds(join(at.logDir, 'agent-runner.lock'));
    expect((await at.run(['round'])).code).toBe(76);
    rounder.kill('SIGKILL');
    await until('round gets in', async () => (await at.run(['round'])).code === 0);
  });

  it('cannot get the locks that we hold', async (context) => {
    requirePart(context, 'python3');
    const at = project({ agent: HELD });
    const serve = await held(at, ['serve']);
    for (const name of ['serve.lock', 'agent-runner.lock']) expect(await pythonTries(join(at.logDir, name)), name).toBe('held');
    serve.child.kill('SIGTERM');
    at.release();
    await serve.ended;
    for (const name of ['serve.lock', 'agent-runner.lock']) expect(await pythonTries(join(at.logDir, name)), name).toBe('free');
  });
});

describe('locks are not inherited', () => {
  it('an agent has no descriptor of the state folder but its own output', async () => {
    const at = project({ agent: HELD });
    const serve = await held(at, ['serve']);
    for (const pid of at.agents()) {
      const open = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
        } catch {
          return [];
        }
      });
      expect(open.filter((path) => path.startsWith(at.logDir))).toEqual([]);
    }
    serve.child.kill('SIGTERM');
    at.release();
    await serve.ended;
  });

  it('an agent that outlives a killed serve does not hold its lock: the next serve starts and ends it first', async () => {
    const at = project({ agent: `trap "" TERM HUP; ${HELD}` });
    const serve = await held(at, ['serve']);
    const orphan = Number(at.json('round-in-flight.json')?.pid);
    serve.child.kill('SIGKILL');
    await serve.ended;
    expect(at.agents()).toContain(orphan);
    at.setAgent(WELL);
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    expect(at.agents()).toEqual([]);
    expect(at.events('round_recovered')[0]?.reaped.map(({ pid }: { pid: number }) => pid)).toContain(orphan);
    expect(at.outcomes()).toEqual(['ok']);
  });
});

describe('inside a round', () => {
  const inside = (verbs: string[]) => `cat >/dev/null
for verb in ${verbs.join(' ')}; do
  "${process.execPath}" "${CLI}" $(echo $verb | tr , ' ') > "$AGENT_RUNNER_LOG_DIR/said-$verb" 2>&1; echo $? > "$AGENT_RUNNER_LOG_DIR/code-$verb"
done
echo done`;
  const told = (at: Project, verb: string) => ({
    code: Number(readFileSync(join(at.logDir, `code-${verb}`), 'utf8')),
    text: readFileSync(join(at.logDir, `said-${verb}`), 'utf8'),
  });

  it("round, serve and a person's words are refused; looking is allowed", async () => {
    const refusedVerbs = ['round', 'serve', 'ack,all', 'reload', 'pause', 'resume', 'wake', 'stop', 'kill'];
    const at = project({ agent: inside([...refusedVerbs, 'peek', 'status']), runtime: { round_timeout_s: 60 } });
    expect((await at.run(['serve', '--once'])).code).toBe(0);
    for (const verb of refusedVerbs) {
      expect(told(at, verb).text, verb).toContain('AR-CLI-004');
      expect(told(at, verb).code, verb).not.toBe(0);
    }
    expect(told(at, 'peek').text).toMatch(/^Round 1 has been running/);
    expect(told(at, 'status')).toMatchObject({ code: 0 });
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.events('round_start')).toHaveLength(1);
  });

  it('another project may be worked on', async () => {
    const other = project({ agent: WELL });
    const at = project({ agent: `cat >/dev/null; "${process.execPath}" "${CLI}" --config "${other.config}" round; echo "nested $?"` });
    expect((await at.run(['round'])).code).toBe(0);
    expect(other.outcomes()).toEqual(['ok']);
    expect(readFileSync(join(at.logDir, 'round-current.log'), 'utf8')).toContain('nested 0');
  });
});

/** Resolves when util-linux' flock has the lock. */
async function flockHolds(path: string): Promise<void> {
  const child = spawn('flock', [path, 'sh', '-c', 'echo held; exec sleep 600'], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  onTestFinished(() => kill(-(child.pid as number)));
  await new Promise((resolve) => child.stdout.once('data', resolve));
}

/** Resolves when Python has the lock. */
async function pythonHolds(path: string): Promise<ChildProcess> {
  const script =
    'import fcntl, sys, time\nf = open(sys.argv[1], "a")\nfcntl.flock(f, fcntl.LOCK_EX)\nprint("held", flush=True)\ntime.sleep(600)';
  const child = spawn('python3', ['-c', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => kill(child.pid as number));
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await until('Python has the lock', () => text.includes('held'));
  return child;
}

async function pythonTries(path: string): Promise<string> {
  const script =
    'import fcntl, sys\nf = open(sys.argv[1], "a")\ntry:\n  fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\n  print("free")\nexcept BlockingIOError:\n  print("held")';
  const child = spawn('python3', ['-c', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return text.trim();
}
