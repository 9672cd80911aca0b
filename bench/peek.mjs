// How fast the command line answers: `--version` and `peek` against `node -e 0`, and `peek` on a 1 GB event log against an empty one.
// Interleaved, medians, one run: the ratios hold on a busy machine too. `node bench/peek.mjs [rounds] [--json]`
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const ROUNDS = Number(process.argv[2] ?? 25) || 25;
const GIB = 1024 ** 3;

/** A project whose log_dir looks as after many rounds, with an event log of at least `bytes`. */
function project(folder, bytes) {
  const logs = join(folder, 'logs');
  mkdirSync(join(logs, 'rounds'), { recursive: true });
  mkdirSync(join(logs, 'state'));
  writeFileSync(join(folder, 'agent-runner.toml'), '[agent]\ncommand = ["claude"]\n[runtime]\nwork_dir = "."\nlog_dir = "logs"\n');
  writeFileSync(
    join(logs, 'status.json'),
    JSON.stringify({ round_num: 1, running: false, last_outcome: 'ok', last_completed_at: '2026-11-29T11:00:00.000Z' }),
  );
  writeFileSync(join(logs, 'rounds', 'R1-20261129T110000.log'), 'hello\n'.repeat(1000));
  if (bytes === 0) return folder;
  const at = openSync(join(logs, 'events-2026-11.jsonl'), 'a');
  const lines = [
    { ts: '2026-11-29T11:00:00.000Z', event: 'round_start', round_num: 1, phase: null },
    { ts: '2026-11-29T11:00:00.000Z', event: 'agent_spawn', round_num: 1, timeout_s: 1800 },
    {
      ts: '2026-11-29T11:00:00.000Z',
      event: 'agent_exit',
      round_num: 1,
      exit_code: 0,
      duration_s: 3,
      timed_out: false,
      exit_cause: 'clean',
      outcome: 'ok',
    },
    {
      ts: '2026-11-29T11:00:00.000Z',
      event: 'round_reaped',
      round_num: 1,
      round_id: 'r',
      members: [],
      escaped: [],
      signalled: [],
      survivors: [],
      container_id: null,
      duration_ms: 1,
    },
  ];
  const block = Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`.repeat(2000));
  for (let written = 0; written < bytes; written += block.length) writeSync(at, block);
  closeSync(at);
  return folder;
}

function milliseconds(args, cwd) {
  const since = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
  return performance.now() - since;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const scratch = mkdtempSync(join(tmpdir(), 'agent-runner-bench-'));
try {
  const empty = project(join(scratch, 'empty'), 0);
  const full = project(join(scratch, 'full'), GIB);
  const cases = {
    'node -e 0': () => milliseconds(['-e', '0'], empty),
    '--version': () => milliseconds([MAIN, '--version'], empty),
    'peek, empty log': () => milliseconds([MAIN, 'peek'], empty),
    'peek, 1 GB log': () => milliseconds([MAIN, 'peek'], full),
    'peek --json, 1 GB log': () => milliseconds([MAIN, 'peek', '--json'], full),
  };
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    // The first round only warms the disk cache.
    for (const [name, run] of Object.entries(cases)) {
      const ms = run();
      if (round > 0) times[name].push(ms);
    }
  }
  const medians = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
  const base = medians['node -e 0'];
  const targets = [
    ['--version / node -e 0', medians['--version'] / base, 1.6],
    ['peek / node -e 0', medians['peek, empty log'] / base, 2.5],
    ['peek 1 GB / node -e 0', medians['peek, 1 GB log'] / base, 2.5],
    ['peek 1 GB / peek empty', medians['peek, 1 GB log'] / medians['peek, empty log'], 1.2],
  ];
  if (process.argv.includes('--json')) console.log(JSON.stringify({ medians, ratios: Object.fromEntries(targets) }, null, 2));
  else {
    for (const [name, ms] of Object.entries(medians)) console.log(`${name.padEnd(24)} ${ms.toFixed(1).padStart(7)} ms`);
    for (const [name, ratio, target] of targets)
      console.log(`${name.padEnd(24)} ${ratio.toFixed(2).padStart(7)}    target < ${target}${ratio < target ? '' : '   MISSED'}`);
  }
  if (targets.some(([, ratio, target]) => ratio >= target)) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
