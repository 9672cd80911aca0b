// Memory of `serve` over thousands of rounds: real git, real processes, a clock that leaps over the delay between two rounds.
// Usage: node bench/soak.mjs [rounds = 2000] [--mock] [--json]     --mock: rounds without a process of their own
// About 20 rounds a second on a machine with nothing else to do. Looks 20 times, and at round 10; the heap is collected for each look.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const rounds = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 2000);
const mock = process.argv.includes('--mock') ? ['mock'] : [];
const scratch = mkdtempSync(join(tmpdir(), 'agent-runner-soak-'));

try {
  // Bundled as scripts/build.mjs does it: what is measured is what is shipped.
  const bundle = join(scratch, 'serve.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('soak-serve.ts', import.meta.url))],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    define: { AGENT_RUNNER_VERSION: '"0.0.0"' },
    banner: { js: "import { createRequire as soakRequire } from 'node:module'; const require = soakRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  const args = [join(repository(), 'agent-runner.toml'), String(rounds), String(Math.max(1, Math.floor(rounds / 20))), ...mock];
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', bundle, ...args], { encoding: 'utf8', cwd: scratch });
  if (status !== 0) throw new Error(`serve ended with ${status}: ${stderr}`);
  if (process.argv.includes('--json')) process.stdout.write(stdout);
  else
    table(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function table(looks) {
  const mb = (bytes) => (bytes / 1024 ** 2).toFixed(2).padStart(9);
  console.log('   round  resident  heap used     heap  external  listeners');
  for (const look of looks) {
    const numbers = [look.rss, look.heap_used, look.heap_total, look.external].map(mb).join(' ');
    console.log(`${String(look.round).padStart(8)} ${numbers} ${String(look.listeners).padStart(9)}  ${JSON.stringify(look.resources)}`);
  }
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
