// Resident memory of `serve` over thousands of real rounds: real processes, real git, a clock that leaps over the delay between two
// rounds. Usage: node bench/soak.mjs [rounds] [--mock]   (default 2000; about 8 rounds a second; --mock: no process, 10,000 rounds in a minute)
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const mock = process.argv.includes('--mock');
const rounds = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 2000);
const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'agent-runner-soak-'));

try {
  const folder = repository();
  const bundle = join(root, `dist.soak-${process.pid}.mjs`);
  // As `npm run build` makes it: what is measured is what is shipped.
  await build({
    stdin: { contents: entry(folder), resolveDir: join(root, 'src'), loader: 'ts' },
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    define: { AGENT_RUNNER_VERSION: '"soak"' },
    banner: { js: "import { createRequire as soakRequire } from 'node:module'; const require = soakRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  try {
    const options = process.env.SOAK_NODE_OPTIONS?.split(' ') ?? [];
    const child = spawn(process.execPath, ['--expose-gc', ...options, bundle], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
    process.exitCode = await new Promise((resolve) => child.on('exit', resolve));
  } finally {
    rmSync(bundle, { force: true });
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function repository() {
  const folder = join(scratch, 'project');
  const agent = join(scratch, 'agent.sh');
  writeFileSync(agent, '#!/bin/sh\ncat >/dev/null\necho \'{"type":"result","is_error":false}\'\n', { mode: 0o755 });
  mkdirSync(join(folder, 'prompts'), { recursive: true });
  writeFileSync(join(folder, 'prompts', 'main.md'), 'Work on the next task, in small steps. '.repeat(20));
  writeFileSync(
    join(folder, 'agent-runner.toml'),
    `[agent]\ncommand = ["${agent}"]\nprompt_arg_template = []\nprompt_delivery = "stdin"\n[runtime]\nwork_dir = "."\nlog_dir = "../logs"\nrestart_delay_s = 7\n[prompt]\nfile = "prompts/main.md"\n`,
  );
  execFileSync('git', ['init', '-q', folder]);
  execFileSync('git', ['-C', folder, 'add', '-A']);
  execFileSync('git', ['-C', folder, '-c', 'user.name=b', '-c', 'user.email=b@localhost', 'commit', '-q', '-m', 'first']);
  return folder;
}

function entry(folder) {
  return `
import './cli/small-heap.ts';
import { readFileSync } from 'node:fs';
import v8 from 'node:v8';
import { startConfig } from './config/in-use.ts';
import { agentBody } from './round/agent-body.ts';
import { serve } from './serve/serve.ts';
import { NOBODY } from './serve/notifier.ts';
import { openLog } from './serve/log.ts';
import { systemClock } from './util/clock.ts';

let leapt = 0;
const clock = {
  now: () => systemClock.now() + leapt,
  monotonic: () => systemClock.monotonic() + leapt,
  async sleep(ms, signal) {
    if (ms > 5500 && ms <= 7000) { leapt += ms; return; }
    return systemClock.sleep(ms, signal);
  },
};
const EVERY = ${Math.max(1, Math.floor(rounds / 20))};
let n = 0;
const mb = (bytes) => (bytes / 1048576).toFixed(2).padStart(7);
console.log('  round     rss  heapUsed (after gc)  heapTotal external  buffers   rss after gc  resources');
const began = systemClock.monotonic();
function tell() {
  const rss = process.memoryUsage.rss();
  const full = process.env.SOAK_GC === '1';
  if (full) globalThis.gc();
  const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  console.log(String(n).padStart(7), mb(rss), mb(heapUsed), ' '.repeat(10), mb(heapTotal), mb(external), mb(arrayBuffers), mb(process.memoryUsage.rss()), JSON.stringify(count(process.getActiveResourcesInfo())), ((systemClock.monotonic() - began) / 1000).toFixed(0) + ' s');
  if (process.env.SOAK_SNAPSHOT && process.env.SOAK_SNAPSHOT.split(',').includes(String(n))) v8.writeHeapSnapshot('/tmp/soak-' + n + '.heapsnapshot');
}
function count(list) { const c = {}; for (const x of list) c[x] = (c[x] ?? 0) + 1; return c; }
const emptyRun = (input) => ({
  run: { end: 'exit', leader: null, exitCode: 0, signal: null, spawnError: null, problem: null, durationMs: 61_000, outputBytes: 100, droppedBytes: 0, leafMemory: null, memoryExceededBytes: null, logError: null, resultSeen: true, tail: 'done', receipt: { members: [], escaped: [], signalled: [], leftovers: [], survivors: [], survivorIdentities: [], containerId: null, durationMs: 1, leaf: null } },
  turn: { finished: true, success: true, error: null, usage: null }, identity: 'agent.sh', container: null,
});
const body = async (input) => {
  n += 1;
  if (process.env.SOAK_ROUND_GC) globalThis.gc({ type: process.env.SOAK_ROUND_GC });
  if (n % EVERY === 0 || n === 10) tell();
  return ${mock ? 'emptyRun(input)' : 'agentBody(input)'};
};
const log = await openLog(clock, 'silent', false, false);
const code = await serve({
  start: startConfig(${JSON.stringify(join(folder, 'agent-runner.toml'))}),
  body, once: false, park: false, maxRounds: ${rounds}, clock, env: process.env, log, banner() {}, notifier: NOBODY,
  isShuttingDown: async () => false,
  prepared: { leaves: null, facts: { cgroup: false, reason: 'bench' } },
});
process.exitCode = code;
`;
}
