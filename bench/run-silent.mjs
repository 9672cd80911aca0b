// CPU of the supervisor during a silent round, in percent of one core, with and without the idle wall. Target: under 0.1 %.
// Usage: npx tsx bench/run-silent.mjs [seconds = 60]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRun } from '../src/run/run.ts';

const seconds = Number(process.argv[2] ?? 60);
const folder = mkdtempSync(join(tmpdir(), 'agent-runner-bench-'));

/** V8 collects garbage once, some eight seconds after a process became idle; that belongs to the start, not to the silence. */
const SETTLE_MS = 12_000;

async function silent(idleTimeoutMs) {
  const stop = new AbortController();
  const run = startRun({
    argv: ['/bin/sleep', '3600'],
    env: { PATH: process.env.PATH, AGENT_RUNNER_ROUND_ID: 'bench' },
    cwd: folder,
    stdin: null,
    mark: { name: 'AGENT_RUNNER_ROUND_ID', value: 'bench' },
    log: { path: join(folder, 'round.log'), maxBytes: 256 * 1024 * 1024 },
    hardTimeoutMs: 3_600_000,
    idleTimeoutMs,
    graceAfterResultMs: 60_000,
    ignorePatterns: [],
    termGraceMs: 5_000,
    stopSignal: 'SIGTERM',
    stop: stop.signal,
  });
  await delay(SETTLE_MS);
  const cpu = process.cpuUsage();
  await delay(seconds * 1_000);
  const { user, system } = process.cpuUsage(cpu);
  const asked = performance.now();
  stop.abort('stopped');
  await run;
  const result = {
    seconds,
    idle_wall_s: idleTimeoutMs / 1000,
    cpu_ms: (user + system) / 1000,
    core_percent: (user + system) / 1e4 / seconds,
  };
  console.log(JSON.stringify({ ...result, stop_ms: Math.round(performance.now() - asked) }));
}

await silent(0);
await silent(1_800_000);
rmSync(folder, { recursive: true });
