import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readAgentDone, readCidfile } from '../../src/container/control-dir.ts';
import { containersByLabel } from '../../src/container/engine.ts';
import { containerEvidence } from '../../src/container/evidence.ts';
import { processesInContainer } from '../../src/container/leftovers.ts';
import { type Container, prepareContainer } from '../../src/container/prepare.ts';
import { removeFolder } from '../../src/container/private-dir.ts';
import { stopContainer } from '../../src/container/stop.ts';
import { containerVerdict } from '../../src/container/verdict.ts';
import { systemClock } from '../../src/util/clock.ts';

/**
 * A supervisor's use of src/container/ as an ordinary user with rootless podman: bundled and run as that user by the test, prints one
 * JSON object. Argument: a folder of the user's.
 */
const folder = process.argv[2] ?? '';
const [workDir, logDir] = [join(folder, 'work'), join(folder, 'log')];
for (const path of [workDir, logDir]) mkdirSync(path, { recursive: true });
const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
const PODMAN = ['podman', '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'];
const IMAGE = 'agent-runner-test/busybox:1';
let rounds = 0;

function start(options: string[], command: string[]) {
  const prefix = [...PODMAN, 'run', '--rm', '--network', 'none', '--pull', 'never', ...options, IMAGE];
  rounds += 1;
  const roundId = `round-${process.pid}-${rounds}`;
  const prepared = prepareContainer({
    argv: [...prefix, ...command],
    prefixLength: prefix.length,
    roundId,
    owner: 'rootless-test',
    workDir,
    logDir,
    env: { ...env, AGENT_RUNNER_ROUND_ID: roundId },
    hostEnv: { ...process.env, XDG_STATE_HOME: join(folder, 'state') },
  });
  if (prepared === null) throw new Error('not a container run');
  const [file = '', ...args] = prepared.argv;
  const client = spawn(file, args, { cwd: workDir, env: prepared.container.env, detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
  const end = new Promise<number | null>((resolve) => client.on('exit', resolve));
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-(client.pid ?? Number.NaN), name);
    } catch {
      // It is gone.
    }
  };
  return { container: prepared.container, end, signal };
}

async function left(container: Container, id: string | null) {
  const containers = await containersByLabel(container, `agent-runner.round=${container.roundId}`);
  return { containers, processes: id === null ? [] : processesInContainer(id) };
}

const results: Record<string, unknown> = {};

for (const [name, options] of Object.entries({ plain: [], keepId: ['--userns=keep-id'], uid: ['-u', '1000:1000'] })) {
  const asked = start(options, ['sh', '-c', 'echo enough > /run/agent-runner/.agent-done; mkdir -p /run/agent-runner/x/y; exit 0']);
  const code = await asked.end;
  const stop = await stopContainer(asked.container, { graceS: 1, clock: systemClock, interrupted: false });
  const done = readAgentDone(asked.container.controlDir ?? '');
  removeFolder(asked.container.folder ?? '');
  results[name] = { code, done, stop: { ok: stop.ok, acted: stop.acted } };
}

const deaf = start([], ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done']);
while (readCidfile(deaf.container.cidfile ?? '').id === null) await systemClock.sleep(20);
await systemClock.sleep(500);
const began = systemClock.monotonic();
deaf.signal('SIGTERM');
await Promise.race([deaf.end, systemClock.sleep(1_000)]);
deaf.signal('SIGKILL');
const stopped = await stopContainer(deaf.container, { graceS: 0, clock: systemClock, interrupted: true });
results.deaf = { ...stopped, ms: systemClock.monotonic() - began, left: await left(deaf.container, stopped.containerId) };

const late: unknown[] = [];
for (const delay of [60, 100, 140, 180, 240]) {
  const client = start([], ['sleep', '300']);
  await systemClock.sleep(delay);
  client.signal('SIGKILL');
  await client.end;
  const report = await stopContainer(client.container, { graceS: 0, clock: systemClock, interrupted: true });
  await systemClock.sleep(200);
  late.push({ delay, ok: report.ok, detail: report.detail, left: await left(client.container, report.containerId) });
}
results.late = late;

const verdicts: Record<string, string> = {};
for (const [name, command] of Object.entries({ says127: ['sh', '-c', 'exit 127'], noProgram: ['no-such-program'] })) {
  const client = start([], command);
  const code = await client.end;
  verdicts[name] = containerVerdict(code, false, await containerEvidence(client.container, code, systemClock));
}
results.verdicts = verdicts;
results.folderGone = !existsSync(join(folder, 'state', 'agent-runner', 'rootless-test', `round-${process.pid}-1`));
console.log(JSON.stringify(results));
