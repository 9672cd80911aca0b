// In the virtual machine, as root: runs the built command line for each entry of /script/rounds.json as an ordinary user in a delegated control
// group, and prints what each left as one line of JSON.
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VmResult, VmRound } from '../support/vm-rounds.ts';

const CGROUPS = '/sys/fs/cgroup';
const USER = 1000;
const AS_USER = ['/bin/setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'];
const JOIN = 'echo $$ > "$1"/cgroup.procs; shift; exec "$@"';

writeFileSync(join(CGROUPS, 'cgroup.subtree_control'), '+memory +pids');
const rounds = JSON.parse(readFileSync('/script/rounds.json', 'utf8')) as Record<string, VmRound>;
const results: Record<string, VmResult> = {};
for (const [name, round] of Object.entries(rounds)) results[name] = run(name, round);
console.log(JSON.stringify(results));

function run(name: string, { toml, agent, args }: VmRound): VmResult {
  const unit = join(CGROUPS, `agent-runner@${name}.service`);
  mkdirSync(unit);
  for (const path of [unit, join(unit, 'cgroup.procs'), join(unit, 'cgroup.subtree_control')]) chownSync(path, USER, USER);
  const folder = `/tmp/${name}`;
  const workDir = join(folder, 'work');
  const env = { PATH: '/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', AGENT_RUNNER_VALIDATE: '1' };
  makeProject(folder, workDir, toml, agent);
  for (const git of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=P', '-c', 'user.email=p@example.org', 'commit', '-qm', 'first'],
  ])
    execFileSync(AS_USER[0] as string, [...AS_USER.slice(1), 'git', ...git], { cwd: workDir, env, stdio: 'ignore' });
  const command = [...AS_USER, process.execPath, '/script/dist/main.js', ...args];
  const before = oomKills();
  const ran = spawnSync('/bin/sh', ['-c', JOIN, 'sh', unit, ...command], { cwd: workDir, env, encoding: 'utf8' });
  const logs = join(folder, 'logs');
  const guards = join(logs, 'state/defenses.json');
  return {
    exit: ran.status ?? -1,
    output: (ran.stdout + ran.stderr).slice(-4000),
    events: readdirSync(logs)
      .filter((file) => file.startsWith('events-'))
      .flatMap((file) => readFileSync(join(logs, file), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line)),
    guards: existsSync(guards) ? JSON.parse(readFileSync(guards, 'utf8')) : [],
    oomKills: oomKills() - before,
    left: readdirSync(unit, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name),
  };
}

function oomKills(): number {
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1]);
}

function makeProject(folder: string, workDir: string, toml: string, agent: string): void {
  mkdirSync(join(workDir, 'prompts'), { recursive: true });
  mkdirSync(join(folder, 'logs'));
  const program = join(folder, 'agent.sh');
  writeFileSync(program, `#!/bin/sh\ncat >/dev/null\n${agent}\n`, { mode: 0o755 });
  writeFileSync(join(workDir, 'prompts/main.md'), 'Do the next task of the plan, keep changes small.\n'.repeat(20));
  writeFileSync(
    join(workDir, 'agent-runner.toml'),
    `[agent]\ncommand = ["${program}"]\nprompt_arg_template = []\nprompt_delivery = "stdin"\n[prompt]\nfile = "prompts/main.md"\n` +
      `[runtime]\nwork_dir = "."\nlog_dir = "../logs"\nrestart_delay_s = 1\nround_timeout_s = 60\n${toml}`,
  );
  execFileSync('chown', ['-R', String(USER), folder]);
}
