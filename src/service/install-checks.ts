import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { homeFolder } from '../config/paths.ts';
import { everyAgent } from '../config/profile.ts';
import type { Config } from '../config/schema.ts';
import { commandsOf } from '../hooks/commands.ts';
import { startable } from '../hooks/programs.ts';
import { runCommand } from '../process/command.ts';
import { resolveBinary } from '../round/argv.ts';
import { RunnerError } from '../util/errors.ts';
import { complaintOf, noManager, systemctl } from './systemctl.ts';
import { instanceOf } from './unit-text.ts';
import type { UnitKind } from './units.ts';

/** Throws AR-SVC-001 unless the manager answers. Degraded and starting ones do. */
export async function requireManager(kind: UnitKind): Promise<void> {
  const result = await systemctl(kind, ['is-system-running']);
  const state = result.stdout.trim();
  if (state === '' || state === 'offline' || state === 'unknown')
    throw noManager(kind, state === '' ? complaintOf(result) : `its state is ${state}`);
}

/** Why a user service would end at logout, or null. */
export async function lingerProblem(): Promise<RunnerError | null> {
  const username = ownName();
  if (existsSync(`/var/lib/systemd/linger/${username}`)) return null;
  const { stdout } = await runCommand(['loginctl', 'show-user', username, '--property=Linger', '--value']);
  if (stdout.trim() === 'yes') return null;
  return new RunnerError({
    code: 'AR-SVC-002',
    message: `lingering is off for ${username}: the service would end at logout and not start at boot`,
    remedy: `sudo loginctl enable-linger ${username}`,
  });
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

/** Whom a system service runs as. Throws AR-SVC-005 unless we are root, AR-SVC-006 when that would be root as well. */
export async function systemUser(
  workDir: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ user: string; group: string; home: string }> {
  if (process.geteuid?.() !== 0) {
    throw new RunnerError({
      code: 'AR-SVC-005',
      message: 'a system service is installed by root',
      remedy: 'run the same command with sudo',
    });
  }
  const { SUDO_USER: caller } = env;
  const owner = statSync(workDir, { throwIfNoEntry: false })?.uid ?? 0;
  const wanted = caller && caller !== 'root' ? caller : String(owner);
  const fields = (await runCommand(['getent', 'passwd', wanted])).stdout.trim().split(':');
  const [user, , uid, gid = '', , home = '/'] = fields;
  if (!user || uid === '0') {
    throw new RunnerError({
      code: 'AR-SVC-006',
      message: `it is not known whom the service should run as: ${caller ? `SUDO_USER is ${caller}` : `${workDir} belongs to root`}`,
      remedy: 'call it with sudo from the account that the agents should have, or give work_dir to that account',
    });
  }
  const group = (await runCommand(['getent', 'group', gid])).stdout.split(':')[0];
  return { user, group: group || gid, home };
}

/** PATH for agents: that of whoever installs, without what npm puts in front of it for the time of one command. */
export function servicePath(path: string | undefined, home: string | null, isFolder: (path: string) => boolean): string {
  const given = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !/\/node_modules\/|\/_npx\//.test(`${folder}/`));
  const more = [dirname(process.execPath), ...(home === null ? [] : [join(home, '.local/bin'), join(home, 'bin')])].filter(isFolder);
  return [...new Set([...given, ...more])].join(delimiter);
}

/** What the agents need setuid programs for, in words, or null. NoNewPrivileges would take it from them. Pure. */
export function needsPrivileges({ agent, phases }: Config): string | null {
  const agents = everyAgent({ agent, phases });
  const words = agents.flatMap(({ exec_prefix: prefix, command }) => [...prefix, ...command]).map((word) => word.split('/').at(-1) ?? word);
  const found = words.find((word) => SETUID.has(word));
  return found === undefined ? null : `the configuration uses ${found}`;
}

/** podman without root maps users by the setuid program newuidmap. */
const SETUID = new Set(['sudo', 'doas', 'su', 'runuser', 'pkexec', 'podman', 'buildah', 'fusermount', 'newuidmap']);

/** Agents and hooks that the service would not find, as warnings. */
export function agentWarnings(config: Config, path: string): string[] {
  const { runtime } = config;
  const agents = everyAgent(config);
  const programs = new Set(agents.map(({ exec_prefix: prefix, command }) => [...prefix, ...command][0] ?? ''));
  const missing = [...programs].filter((program) => resolveBinary(program, path, runtime.work_dir) === null);
  const reach = { workDir: runtime.work_dir, logDir: runtime.log_dir, path };
  const hooks = commandsOf({ config }).filter(({ argv }) => startable(argv, reach) === null);
  const words = (program: string, key: string) =>
    `${program} is not on the PATH that the service will have; write its absolute path into ${key}`;
  return [
    ...missing.map((program) => words(program, 'agent.command')),
    ...hooks.map(({ kind, argv }) => words(argv[0], kind === 'notify' ? 'notify.command' : `hooks.${kind}`)),
  ];
}

/** The file for secrets, and whether others may read it. */
export function envFileOf(kind: UnitKind, project: string, env: NodeJS.ProcessEnv = process.env): { path: string; warning: string | null } {
  const folder = kind === 'system' ? '/etc' : (env.XDG_CONFIG_HOME ?? join(homeFolder() ?? '/', '.config'));
  const path = join(folder, 'agent-runner', `${instanceOf(project)}.env`);
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return { path, warning: (mode & 0o077) === 0 ? null : `${path} can be read by others: chmod 600 '${path}'` };
}
