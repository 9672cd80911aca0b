import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerCpuMeter } from '../../../src/container/cgroup-cpu.ts';
import { readAgentDone, writeRoundContext } from '../../../src/container/control-dir.ts';
import { imageExists } from '../../../src/container/engine.ts';
import { removeFolder } from '../../../src/container/private-dir.ts';
import { stopContainer } from '../../../src/container/stop.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { type Bench, ENGINE_NAMES, IMAGE, openBench, requireEngine, runningId } from '../../support/engines.ts';
import { until } from '../../support/wait.ts';

let bench: Bench;
beforeAll(() => {
  bench = openBench();
});
afterAll(() => bench.close());

const AS_AGENT = ['--rm', '-i', '-u', '1000:1000'];
const inShell = (script: string) => ['sh', '-c', script];

describe.each(['docker', 'podman'] as const)('%s: what the agent sees and may do', (name) => {
  it('a prompt on standard input arrives with -i, and does not without', async (context) => {
    const engine = requireEngine(context, name);
    const prompt = `${'x'.repeat(100_000)}\nend of prompt`;
    expect((await bench.start(engine, ['tail', '-n', '1'], { options: ['--rm', '-i'], stdin: prompt }).end).stdout).toBe('end of prompt');
    expect((await bench.start(engine, ['tail', '-n', '1'], { options: ['--rm'], stdin: prompt }).end).stdout).toBe('');
  });

  it('reads its round context in the control directory and asks the loop to end there, as an ordinary user', async (context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(
      engine,
      inShell('echo "all done" > "$AGENT_RUNNER_LOG_DIR/.agent-done"; echo "$AGENT_RUNNER_LOG_DIR $AGENT_RUNNER_ROUND_NUM"'),
      {
        options: AS_AGENT,
      },
    );
    writeRoundContext(client.container.controlDir ?? '', '{"round_num":7}');
    expect((await client.end).stdout.trim()).toBe('/run/agent-runner 7');
    expect(readAgentDone(client.container.controlDir ?? '')).toEqual({ done: true, reason: 'all done' });

    const reader = bench.start(engine, inShell('sleep 0.5; cat $AGENT_RUNNER_LOG_DIR/round-context.json'), { options: AS_AGENT });
    writeRoundContext(reader.container.controlDir ?? '', '{"round_num":7}');
    expect((await reader.end).stdout).toBe('{"round_num":7}');
    expect(readAgentDone(reader.container.controlDir ?? '')).toEqual({ done: false });
  });

  it.for([
    ['a link out of the container', 'ln -s /etc/passwd $AGENT_RUNNER_LOG_DIR/.agent-done'],
    ['a FIFO', 'mkfifo $AGENT_RUNNER_LOG_DIR/.agent-done'],
    ['a folder', 'mkdir $AGENT_RUNNER_LOG_DIR/.agent-done'],
    ['8 KiB', 'head -c 8192 /dev/zero > $AGENT_RUNNER_LOG_DIR/.agent-done'],
    ['a device', 'mknod $AGENT_RUNNER_LOG_DIR/.agent-done c 1 5 || mkfifo $AGENT_RUNNER_LOG_DIR/.agent-done'],
  ])('%s in place of .agent-done is refused', async ([, script = ''], context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(engine, inShell(script), { options: ['--rm'] });
    await client.end;
    expect(readAgentDone(client.container.controlDir ?? '')).toMatchObject({ done: false, refused: expect.any(String) });
  });

  it('cannot reach the log_dir, the id or anything else of the host, even as root', async (context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(
      engine,
      inShell(
        'for f in "$LOG" "$CID" "$CID/.."; do ls -d "$f" 2>/dev/null && echo reached; done; ls /run/agent-runner/..; cat /proc/self/mountinfo | grep -c " /run/agent-runner "',
      ),
      {
        options: ['--rm', '-e', `LOG=${bench.logDir}`, '-e', `CID=${bench.folder}/state`],
      },
    );
    const { stdout } = await client.end;
    expect(stdout).not.toContain('reached');
    expect(stdout.trim().endsWith('1')).toBe(true);
    const folder = client.container.folder ?? '';
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(dirname(folder))).mode & 0o777).toBe(0o700);
    expect(readFileSync(client.container.cidfile ?? '', 'utf8')).toMatch(/^[0-9a-f]{64}\s*$/);
  });

  it('works with a read-only root, a tmpfs on /run, an own mount there, and SELinux labels asked for', async (context) => {
    const engine = requireEngine(context, name);
    const script = inShell('echo yes > /run/agent-runner/.agent-done; echo $?');
    for (const options of [['--read-only'], ['--tmpfs', '/run'], ['-v', `${bench.workDir}:/work:Z`]]) {
      const client = bench.start(engine, script, { options: ['--rm', ...options] });
      expect((await client.end).stdout.trim(), options.join(' ')).toBe('0');
      expect(readAgentDone(client.container.controlDir ?? ''), options.join(' ')).toMatchObject({ done: true });
    }
    const own = bench.start(engine, script, { options: ['--rm', '-v', `${bench.workDir}:/run/agent-runner`] });
    expect((await own.end).stdout.trim()).toBe('0');
    expect(own.container.controlDir).toBeNull();
  });

  it('its folder goes when it is told to, whatever the agent left in it', async (context) => {
    const engine = requireEngine(context, name);
    const client = bench.start(
      engine,
      inShell('mkdir -p /run/agent-runner/a/b; touch /run/agent-runner/a/b/c; chmod 000 /run/agent-runner/a'),
      { options: AS_AGENT },
    );
    await client.end;
    removeFolder(client.container.folder ?? '');
    expect(existsSync(client.container.folder ?? '')).toBe(false);
  });

  it('says whether an image is there', async (context) => {
    const engine = requireEngine(context, name);
    expect(await imageExists(bench.access(engine), IMAGE)).toBe(true);
    expect(await imageExists(bench.access(engine), 'agent-runner-test/absent:1')).toBe(false);
    expect(await imageExists({ ...bench.access(engine), control: ['false'] }, IMAGE)).toBeNull();
    expect(existsSync(join(bench.logDir, 'events'))).toBe(false);
  });
});

it.for(ENGINE_NAMES)("%s: the container's CPU time is seen from outside: busy and idle differ", async (name, context) => {
  const engine = requireEngine(context, name);
  const [busy, idle] = [bench.start(engine, inShell('while :; do :; done')), bench.start(engine, ['sleep', '300'])];
  for (const client of [busy, idle]) await until('it runs', () => runningId(bench, engine, client));
  const meters = [await containerCpuMeter(busy.container), await containerCpuMeter(idle.container)];
  const before = meters.map((meter) => meter?.() ?? Number.NaN);
  await systemClock.sleep(1_000);
  const used = meters.map((meter, index) => (meter?.() ?? Number.NaN) - (before[index] ?? 0));
  console.log(`${name}: CPU in 1 s: busy ${Math.round(used[0] ?? 0)} ms, idle ${Math.round(used[1] ?? 0)} ms`);
  expect(used[0]).toBeGreaterThan(100);
  expect(used[1]).toBeLessThan(20);
  for (const client of [busy, idle]) {
    client.signal('SIGKILL');
    expect(await stopContainer(client.container, { graceS: 0, clock: systemClock, interrupted: true })).toMatchObject({ ok: true });
  }
  // A rootless engine removes the control group a moment after it has told of the end.
  await until('nothing is measured of a container that is gone', () => (meters[0]?.() ?? null) === null);
});
