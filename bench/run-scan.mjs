// Time of a full look at a process table of 1,000 processes, without and with reading every environment. Target: under 50 ms.
// Usage: npx tsx bench/run-scan.mjs [processes = 1000]
import { spawn } from 'node:child_process';
import { carriesMark, listProcesses } from '../src/process/proc.ts';

const wanted = Number(process.argv[2] ?? 1000);
const present = (await listProcesses()).length;
const sleepers = Array.from({ length: Math.max(0, wanted - present) }, () => spawn('sleep', ['600'], { stdio: 'ignore' }));
await Promise.all(sleepers.map((child) => new Promise((done) => child.once('spawn', done))));

const scans = [];
const searches = [];
let processes = 0;
for (let i = 0; i < 20; i++) {
  const began = performance.now();
  const entries = await listProcesses();
  const scanned = performance.now();
  for (const entry of entries) carriesMark(entry.pid, { name: 'AGENT_RUNNER_ROUND_ID', value: 'bench' });
  scans.push(scanned - began);
  searches.push(performance.now() - scanned);
  processes = entries.length;
}
for (const child of sleepers) child.kill('SIGKILL');
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1].toFixed(1);
const round = (value) => Number(value.toFixed(1));
console.log(
  JSON.stringify({
    processes,
    scan_ms: Number(median(scans)),
    slowest_scan_ms: round(Math.max(...scans)),
    all_environments_ms: Number(median(searches)),
  }),
);
