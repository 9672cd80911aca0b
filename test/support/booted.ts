import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './wait.ts';

/** The project with its build, as it is mounted into the container. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = '/opt/agent-runner/dist/main.js';

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** Default u1, with a service manager of its own. */
  user?: 'root' | 'u1' | 'u2';
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
  timeoutMs?: number;
}

/** A machine with a real systemd as pid 1: this build under /opt/agent-runner, this Node, the users u1 (lingers) and u2. */
export interface Booted {
  name: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** A shell script; throws with what it said when it fails. Gives back its trimmed standard output. */
  sh(script: string, options?: RunOptions): Promise<string>;
  /** `systemctl show --value` of one property. */
  property(kind: 'user' | 'system', unit: string, name: string): Promise<string>;
  /** The machine is shut down; how long that took, ms. */
  shutDown(withinS: number): Promise<number>;
  /** The text of a file; works after the shutdown too. Empty when it is not there. */
  read(path: string): Promise<string>;
  remove(): Promise<void>;
}

function docker(
  args: readonly string[],
  { input, timeoutMs = 60_000 }: { input?: string | undefined; timeoutMs?: number } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(
      'docker',
      args,
      { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

let machines = 0;

/** Boots in one to two seconds. `requirePart(context, 'systemd')` comes before. */
export async function boot(): Promise<Booted> {
  const name = `agent-runner-test-${process.pid}-${++machines}`;
  const image = process.env.AGENT_RUNNER_TEST_SYSTEMD ?? '';
  const capabilities = ['SYS_ADMIN', 'SYS_PTRACE', 'SYS_NICE'].flatMap((capability) => ['--cap-add', capability]);
  const mounts = [`${ROOT}:/opt/agent-runner:ro`, `${process.execPath}:/usr/local/bin/node:ro`, '/sys/fs/cgroup:/sys/fs/cgroup:rw'];
  const started = await docker([
    ...['run', '-d', '--pull', 'never', '--name', name, '--network', 'none', ...capabilities],
    ...['--security-opt', 'seccomp=unconfined', '--security-opt', 'apparmor=unconfined', '--stop-signal', 'SIGRTMIN+3'],
    ...['--tmpfs', '/run', '--tmpfs', '/run/lock', '--tmpfs', '/tmp:exec', ...mounts.flatMap((mount) => ['-v', mount]), image],
  ]);
  if (started.code !== 0) throw new Error(`the machine does not start: ${started.stderr}`);

  const it: Booted = {
    name,
    run(argv, { user = 'u1', cwd = '/', env = {}, input, timeoutMs } = {}) {
      const runtime = { u1: '/run/user/1000', u2: '/run/user/1001', root: '' }[user];
      const all = {
        HOME: user === 'root' ? '/root' : `/home/${user}`,
        USER: user,
        ...(runtime === '' ? {} : { XDG_RUNTIME_DIR: runtime }),
        ...env,
      };
      const variables = Object.entries(all).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
      return docker(['exec', '-i', '-u', user, '-w', cwd, ...variables, name, ...argv], {
        input,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    },
    async sh(script, options) {
      const { code, stdout, stderr } = await it.run(['sh', '-ec', script], options);
      if (code !== 0) throw new Error(`${script}: exit ${code}: ${stderr}${stdout}`);
      return stdout.trim();
    },
    async property(kind, unit, wanted) {
      const options: RunOptions = kind === 'user' ? {} : { user: 'root' };
      return (await it.run(['systemctl', `--${kind}`, 'show', unit, '--property', wanted, '--value'], options)).stdout.trim();
    },
    async shutDown(withinS) {
      const begun = performance.now();
      await docker(['stop', '-t', String(withinS), name], { timeoutMs: (withinS + 20) * 1000 });
      return performance.now() - begun;
    },
    async read(path) {
      // A tar of one file: its content begins after a header of 512 bytes.
      const tar = await new Promise<Buffer>((resolve) => {
        execFile('docker', ['cp', '-L', `${name}:${path}`, '-'], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) =>
          resolve(stdout),
        );
      });
      const size = Number.parseInt(tar.toString('latin1', 124, 136), 8) || 0;
      return tar.toString('utf8', 512, 512 + size);
    },
    async remove() {
      await docker(['rm', '-f', name]);
    },
  };
  try {
    await until(
      'systemd is up',
      async () => /^(running|degraded)/.test((await it.run(['systemctl', 'is-system-running'], { user: 'root' })).stdout),
      30_000,
    );
    await until(
      'the user manager is up',
      async () => /^(running|degraded)/.test((await it.run(['systemctl', '--user', 'is-system-running'])).stdout),
      30_000,
    );
  } catch (error) {
    await it.remove();
    throw error;
  }
  return it;
}

export interface BootedProject {
  name: string;
  folder: string;
  logDir: string;
  config: string;
  unit: string;
  /** `agent-runner ARGS` in the project's folder. */
  cli(args: readonly string[], options?: RunOptions): Promise<Ran>;
  json(args: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind.
  events(kind?: string): Promise<Record<string, any>[]>;
  /** Polls until so many such events are there. */
  event(kind: string, count?: number, timeoutMs?: number): Promise<void>;
  /** Pid of serve as systemd has it; 0 when none runs. */
  servePid(kind?: 'user' | 'system'): Promise<number>;
  /** Pids of the agents that live. */
  agents(): Promise<number[]>;
  /** Lets held agents go on to their end. */
  release(): Promise<void>;
}

/** A git work tree of u1 with a fake agent. `held`: it works until `release`; else it ends at once. */
export async function bootedProject(
  machine: Booted,
  name: string,
  { held = false, runtime = '', agent = '' } = {},
): Promise<BootedProject> {
  const home = `/home/u1/${name.length > 40 ? 'p' : name.replace(/\W/g, '_')}-home`;
  const folder = join(home, name);
  const logDir = join(home, 'logs');
  const config = join(folder, 'agent-runner.toml');
  const agentPath = join(home, 'test-agent');
  const write = (path: string, text: string) =>
    machine.sh('mkdir -p "$(dirname "$FILE")"; cat >"$FILE"', { input: text, env: { FILE: path } });
  const work = held ? `until [ -e ${home}/go ]; do sleep 0.1; done` : ':';
  await write(agentPath, `#!/bin/sh\ncat >/dev/null\n${agent}\n${work}\necho '{"type":"result","is_error":false}'\n`);
  await write(
    join(folder, 'prompts/main.md'),
    `Do the next task of the plan.\n${'Keep changes small, run the tests, leave a note for the next round. '.repeat(8)}\n`,
  );
  await write(
    config,
    `[agent]\ncommand = ["${agentPath}"]\nprompt_arg_template = []\nprompt_delivery = "stdin"\n` +
      `[runtime]\nwork_dir = "."\nlog_dir = "${logDir}"\nrestart_delay_s = 1\nround_timeout_s = 60\n${runtime}\n[prompt]\nfile = "prompts/main.md"\n`,
  );
  await machine.sh(
    `chmod +x ${agentPath}; git init -q -b main; git config user.name P; git config user.email p@example.org; git add -A; git commit -qm first`,
    { cwd: folder },
  );
  const unit = `agent-runner@${name}.service`;

  const it: BootedProject = {
    name,
    folder,
    logDir,
    config,
    unit,
    cli: (args, options = {}) => machine.run(['node', PROGRAM, ...args], { cwd: folder, ...options }),
    async json(args, options) {
      const { stdout, stderr } = await it.cli([...args, '--json'], options);
      try {
        return JSON.parse(stdout);
      } catch {
        throw new Error(`no JSON: ${stdout}${stderr}`);
      }
    },
    async events(kind) {
      const month = new Date().toISOString().slice(0, 7);
      return (await machine.read(`${logDir}/events-${month}.jsonl`))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
        .filter(({ event }) => kind === undefined || event === kind);
    },
    event: (kind, count = 1, timeoutMs = 20_000) =>
      until(`${count} x ${kind}`, async () => (await it.events(kind)).length >= count, timeoutMs).then(() => {}),
    servePid: async (kind = 'user') => Number(await machine.property(kind, unit, 'MainPID')),
    async agents() {
      const { stdout } = await machine.run(['pgrep', '-f', `^/bin/sh ${agentPath}`], { user: 'root' });
      return stdout.split('\n').filter(Boolean).map(Number);
    },
    release: () => machine.sh(`touch ${home}/go`).then(() => {}),
  };
  return it;
}
