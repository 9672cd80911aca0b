// `npm run demo`: the main job, for real, in a scratch git repository: four rounds of the bundled scripted agent (a commit, a dirty
// tree, a crash, a hang with a helper that is hard to kill), then what each guard did and `peek`. Leaves nothing behind.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist', 'main.js');
const scratch = mkdtempSync(join(tmpdir(), 'agent-runner-demo-'));
const repository = join(scratch, 'project');
const logs = join(scratch, 'logs');
const git = (...args) =>
  execFileSync('git', ['-C', repository, '-c', 'user.name=Demo', '-c', 'user.email=demo@localhost', ...args], { encoding: 'utf8' });

try {
  process.exitCode = await demo();
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

async function demo() {
  mkdirSync(join(repository, 'prompts'), { recursive: true });
  execFileSync('git', ['init', '-q', '-b', 'main', repository]);
  writeFileSync(join(repository, 'agent-runner.toml'), configuration());
  writeFileSync(join(repository, 'prompts', 'main.md'), prompt());
  git('add', '.');
  git('commit', '-q', '-m', 'A scratch project for the demo');

  console.log(
    `A scratch repository, four rounds of a scripted agent: commit, dirty tree, crash, hang.\n$ agent-runner serve --max-rounds 4\n`,
  );
  const served = await run(['serve', '--max-rounds', '4']);
  console.log('\nWhat each guard did:');
  for (const line of story(events())) console.log(`  ${line}`);
  console.log(
    `\nThe repository now:\n${indent(git('log', '--oneline'))}${indent(git('stash', 'list'))}${indent(git('status', '--short'))}`,
  );

  const quiet = await heartbeatStopped();
  console.log(`Left running: ${quiet ? 'nothing' : 'A HELPER IS STILL ALIVE'}\n\n$ agent-runner peek`);
  const peeked = await run(['peek']);
  const outcomes = events()
    .filter(({ event }) => event === 'agent_exit')
    .map(({ outcome }) => outcome);
  const asPlanned = JSON.stringify(outcomes) === JSON.stringify(['ok', 'ok', 'crash', 'timeout']);
  if (!asPlanned) console.log(`The rounds did not go as planned: ${outcomes.join(', ')}`);
  return served === 0 && peeked === 0 && quiet && asPlanned ? 0 : 1;
}

function configuration() {
  return `[agent]
preset = "demo"
sigterm_grace_s = 1
env = { DEMO_AGENT_SCRIPT = "commit,dirty,crash,hang" }

[runtime]
work_dir = "."
log_dir = ${JSON.stringify(logs)}
round_timeout_s = 3
restart_delay_s = 1

[prompt]
file = "prompts/main.md"
`;
}

function prompt() {
  return `Write one line into journal.md and commit it.\n\n${'You start with a fresh memory each round: read journal.md first, leave a note for the next round, and keep each change small. '.repeat(5)}\n`;
}

/** Runs the built command line in the repository, its output shown as it comes. */
function run(args) {
  const child = spawn(process.execPath, [cli, ...args], { cwd: repository, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

function events() {
  return readdirSync(logs)
    .filter((name) => /^events-.*\.jsonl$/.test(name))
    .sort()
    .flatMap((name) => readFileSync(join(logs, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line));
}

function story(all) {
  const words = {
    round_start: (e) => `round ${e.round_num} starts`,
    agent_exit: (e) => `  the agent ended after ${e.duration_s} s (${e.exit_cause}): ${e.outcome}`,
    round_reaped: (e) => {
      const names = (list) => list.map(({ name, pid }) => `${name} (${pid})`).join(', ');
      const left = e.members.length === 0 ? 'nobody was left' : `ended ${names(e.signalled)}`;
      const escaped = e.escaped.length === 0 ? '' : `; had escaped the group: ${names(e.escaped)}`;
      return `  receipt: ${left}${escaped}; survivors: ${e.survivors.length === 0 ? 'none' : names(e.survivors)}`;
    },
    dirty_detected: (e) => `  the tree is dirty: ${e.files.join(', ')}`,
    orphan_stashed: (e) => `  its changes are kept as stash ${e.ref.slice(0, 10)}`,
    round_timeout_kill: () => '  the hard wall ended it',
    max_rounds_reached: (e) => `${e.rounds_completed} rounds are done`,
  };
  return all.flatMap((event) => words[event.event]?.(event) ?? []);
}

function indent(text) {
  return text.trim() === ''
    ? ''
    : `${text
        .trim()
        .split('\n')
        .map((line) => `  ${line}`)
        .join('\n')}\n`;
}

/** The helper of the hanging round writes a heartbeat ten times a second for as long as it lives. */
async function heartbeatStopped() {
  const file = join(logs, 'demo-heartbeat');
  if (!existsSync(file)) return false;
  const before = readFileSync(file, 'utf8');
  await delay(500);
  return readFileSync(file, 'utf8') === before;
}
