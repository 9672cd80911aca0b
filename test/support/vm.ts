import { execFile } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CLI, type StoredEvent } from './project.ts';

/** What one scenario left: how the command line ended, and all that it wrote down. */
export interface Scenario {
  exit: number;
  events: StoredEvent[];
  /** `state/defenses.json`, when `serve` ran. */
  guards: { name: string; value: string; current_state: string }[];
  /** What the scenario printed itself. */
  text: string;
}

const BOOT_MS = 150_000;

/**
 * Boots the machine of test/support/vm.sh once, with the built command line and these shell scripts, which run one after another as the
 * ordinary user `agent` in a delegated control group. In each, `round TOML AGENT ARGS...` makes a project and runs `agent-runner ARGS`.
 */
export async function scenarios(folder: string, scripts: Record<string, string>): Promise<Record<string, Scenario>> {
  cpSync(dirname(CLI), join(folder, 'dist'), { recursive: true });
  cpSync(resolve(dirname(CLI), '../package.json'), join(folder, 'package.json'));
  const names = Object.keys(scripts);
  for (const [index, name] of names.entries()) writeFileSync(join(folder, `${index}.sh`), `. /payload/kit.sh\n${scripts[name]}\n`);
  writeFileSync(join(folder, 'kit.sh'), KIT);
  writeFileSync(join(folder, 'run.sh'), RUN);
  const console = await boot(folder);
  return Object.fromEntries(names.map((name, index) => [name, scenarioIn(console, index)]));
}

/** As a service manager delegates: the folder and two files belong to the user, the processes start in it. */
const RUN = `echo "+memory +pids" > /sys/fs/cgroup/cgroup.subtree_control
n=0
while [ -e /payload/$n.sh ]; do
  unit=/sys/fs/cgroup/agent-runner@$n.service
  mkdir $unit
  chown agent $unit $unit/cgroup.procs $unit/cgroup.subtree_control
  mkdir -m 777 /tmp/$n
  sh -c 'echo $$ > $1/cgroup.procs; exec /bin/setpriv --reuid=1000 --regid=1000 --clear-groups sh /payload/$2.sh' sh $unit $n > /tmp/$n/text 2>&1
  echo "VM $n exit $?"
  sed "s/^/VM $n text /" /tmp/$n/text
  cat /tmp/$n/logs/events-*.jsonl 2>/dev/null | sed "s/^/VM $n event /"
  test -e /tmp/$n/logs/state/defenses.json && tr -d '\\n' < /tmp/$n/logs/state/defenses.json | sed "s/^/VM $n guards /" && echo
  echo "VM $n left $(find $unit -mindepth 1 -type d | tr '\\n' ' ')"
  n=$((n+1))
done
`;

const KIT = `cd /tmp/$(basename "$0" .sh)
export HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1 AGENT_RUNNER_VALIDATE=1
mkdir home work work/prompts
agent_runner() {
  toml=$1 agent=$2; shift 2
  printf '#!/bin/sh\\ncat >/dev/null\\n%s\\n' "$agent" > agent.sh; chmod +x agent.sh
  printf '[agent]\\ncommand = ["%s/agent.sh"]\\nprompt_arg_template = []\\nprompt_delivery = "stdin"\\n[runtime]\\nwork_dir = "."\\nlog_dir = "../logs"\\nrestart_delay_s = 1\\nround_timeout_s = 60\\n%b[prompt]\\nfile = "prompts/main.md"\\n' "$PWD" "$toml" > work/agent-runner.toml
  i=0; while [ $i -lt 20 ]; do echo "Do the next task of the plan, keep changes small." >> work/prompts/main.md; i=$((i+1)); done
  cd work; git init -q; git add -A; git -c user.name=P -c user.email=p@example.org commit -qm first
  exec node /payload/dist/main.js "$@"
}
`;

function boot(folder: string): Promise<string> {
  const script = resolve(import.meta.dirname, 'vm.sh');
  const args = ['run', process.env.AGENT_RUNNER_TEST_VM ?? '', folder, String(BOOT_MS / 1000)];
  return new Promise((done, fail) => {
    execFile(script, args, { maxBuffer: 16 * 1024 * 1024, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error) fail(new Error(`${error.message}\n${stderr}\n${stdout}`));
      else done(stdout);
    });
  });
}

function scenarioIn(text: string, index: number): Scenario {
  const lines = (kind: string) => {
    const head = `VM ${index} ${kind} `;
    return text
      .split(/\r?\n/)
      .filter((line) => line.startsWith(head))
      .map((line) => line.slice(head.length));
  };
  return {
    exit: Number(lines('exit')[0] ?? Number.NaN),
    events: lines('event').map((line) => JSON.parse(line) as StoredEvent),
    guards: JSON.parse(lines('guards')[0] ?? '[]'),
    text: [...lines('text'), `left: ${lines('left')[0] ?? '?'}`].join('\n'),
  };
}
