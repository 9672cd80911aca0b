// Overhead of a supervised round over a bare shell loop that runs the same agent between the same two looks of git, and the resident
// memory of `serve` early and late. Both loops run side by side in one go, so that a slow machine slows both.
// Usage: node bench/rounds.mjs [rounds]   (default 30; 300 for the memory figure). Needs a build.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const rounds = Number(process.argv[2] ?? 30);
const cli = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'agent-runner-bench-'));
const agent = join(scratch, 'agent.sh');
writeFileSync(agent, '#!/bin/sh\ncat >/dev/null\necho \'{"type":"result","is_error":false}\'\n', { mode: 0o755 });

try {
  const ours = repository('ours');
  const bare = repository('bare');
  const [supervised, shell] = await Promise.all([serve(ours), loop(bare)]);
  const perRound = (ms) => ms / rounds - 1000;
  const row = (name, value) => console.log(`${name.padEnd(44)} ${value}`);
  row('rounds', String(rounds));
  row('bare loop, ms a round without the delay', perRound(shell).toFixed(1));
  row('serve, ms a round without the delay', perRound(supervised.ms).toFixed(1));
  row('overhead, ms a round', (perRound(supervised.ms) - perRound(shell)).toFixed(1));
  for (const [round, kb] of supervised.memory) row(`resident memory at round ${round}, MB`, (kb / 1024).toFixed(1));
  row('CPU of serve alone, ms a round', (supervised.cpuMs / rounds).toFixed(1));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function repository(name) {
  const folder = join(scratch, name);
  mkdirSync(join(folder, 'prompts'), { recursive: true });
  writeFileSync(join(folder, 'prompts', 'main.md'), 'Work on the next task, in small steps. '.repeat(20));
  writeFileSync(
    join(folder, 'agent-runner.toml'),
    `[agent]\ncommand = ["${agent}"]\nprompt_arg_template = []\nprompt_delivery = "stdin"\n[runtime]\nwork_dir = "."\nlog_dir = "../${name}-logs"\nrestart_delay_s = 1\n[prompt]\nfile = "prompts/main.md"\n`,
  );
  execFileSync('git', ['init', '-q', folder]);
  execFileSync('git', ['-C', folder, 'add', '-A']);
  execFileSync('git', ['-C', folder, '-c', 'user.name=b', '-c', 'user.email=b@localhost', 'commit', '-q', '-m', 'first']);
  return folder;
}

/** Wall time from the first `round_start` to the last `round_end`, plus one delay, so that both loops count `rounds` delays. */
function serve(folder) {
  const child = spawn(process.execPath, [cli, 'serve', '--max-rounds', String(rounds)], { cwd: folder, stdio: 'ignore' });
  const memory = new Map();
  let cpuMs = 0;
  const timer = setInterval(() => {
    const logs = `${folder}-logs`;
    try {
      const round = JSON.parse(readFileSync(join(logs, 'status.json'), 'utf8')).round_num;
      const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
      cpuMs = (Number(stat[11]) + Number(stat[12])) * 10;
      if (round === 10 || round === rounds - 1 || round % 100 === 0) memory.set(round, rss);
    } catch {
      // Not begun yet, or over.
    }
  }, 200);
  return new Promise((resolve) => {
    child.on('exit', () => {
      clearInterval(timer);
      const logs = `${folder}-logs`;
      const events = readdirSync(logs)
        .filter((name) => name.startsWith('events-'))
        .flatMap((name) => readFileSync(join(logs, name), 'utf8').trim().split('\n'))
        .map((line) => JSON.parse(line));
      const at = (list) => list.map(({ ts }) => Date.parse(ts));
      const starts = at(events.filter(({ event }) => event === 'round_start'));
      const ends = at(events.filter(({ event }) => event === 'round_end'));
      resolve({ ms: ends.at(-1) - starts[0] + 1000, memory, cpuMs });
    });
  });
}

function loop(folder) {
  const script = `i=0; while [ $i -lt ${rounds} ]; do git status --porcelain=v2 --branch -z >/dev/null; '${agent}' < prompts/main.md > out.log 2>&1; git status --porcelain=v2 --branch -z >/dev/null; sleep 1; i=$((i+1)); done`;
  const startedAt = performance.now();
  const child = spawn('sh', ['-c', script], { cwd: folder, stdio: 'ignore' });
  return new Promise((resolve) => child.on('exit', () => resolve(performance.now() - startedAt)));
}
