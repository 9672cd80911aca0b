// CPU and memory of the supervisor while an agent floods its output. Usage: npx tsx bench/run-output.mjs [megabytes = 1000] [kind ...]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startRun } from '../src/run/run.ts';

const [megabytes = '1000', ...kinds] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'agent-runner-bench-'));
const agent = resolve(import.meta.dirname, '../test/agents/flood.py');

/** The interpreter comes first, so that the shebang's own search is not measured. */
async function flood(kind, lines) {
  let seen = 0;
  const path = join(folder, `${kind}-${lines}.log`);
  const cpu = process.cpuUsage();
  const began = performance.now();
  let peak = 0;
  const memory = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 100);
  const report = await startRun({
    argv: ['/usr/bin/env', 'python3', agent, kind, megabytes],
    env: { PATH: process.env.PATH, AGENT_RUNNER_ROUND_ID: 'bench' },
    cwd: folder,
    stdin: null,
    mark: { name: 'AGENT_RUNNER_ROUND_ID', value: 'bench' },
    log: { path, maxBytes: 256 * 1024 * 1024 },
    hardTimeoutMs: 300_000,
    idleTimeoutMs: 0,
    graceAfterResultMs: 0,
    ignorePatterns: [],
    termGraceMs: 1000,
    stopSignal: 'SIGTERM',
    lines,
    onLine: () => {
      seen++;
    },
  });
  clearInterval(memory);
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    JSON.stringify({
      kind,
      lines,
      output_mb: Math.round(report.outputBytes / 1e6),
      lines_seen: seen,
      cpu_s: (user + system) / 1e6,
      user_s: user / 1e6,
      wall_s: (performance.now() - began) / 1000,
      peak_rss_mb: Math.round(peak / 1e6),
      log_mb: Math.round(statSync(path).size / 1e6),
      dropped_mb: Math.round(report.droppedBytes / 1e6),
      end: report.end,
    }),
  );
  rmSync(path);
}

const wanted = kinds.length > 0 ? kinds : ['text', 'json', 'line'];
for (const kind of wanted) for (const lines of ['json', 'all']) await flood(kind, lines);
rmSync(folder, { recursive: true });
