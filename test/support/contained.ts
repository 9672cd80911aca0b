import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { askEngine, containersByLabel, type EngineAccess, inspectContainer } from '../../src/container/engine.ts';
import { type Engine, IMAGE } from './engines.ts';
import { type Project, type ProjectOptions, project } from './project.ts';

/** What a turn that ended well prints last, for projects with the adapter of claude. */
export const RESULT = 'echo \'{"type":"result","is_error":false}\'';
/** Ignores every polite signal. */
export const DEAF = 'trap "" TERM INT HUP; echo started; while :; do sleep 0.2; done';
/** Between TERM and KILL one second instead of five: what a CLI with a cooperative stop may be given. */
export const QUICK = { adapter: 'claude', sigterm_grace_s: 1 };

export interface ContainedOptions extends ProjectOptions {
  /** Shell script of the agent, run by the image's own shell. Default: reads its prompt and ends well. */
  script?: string;
  /** In place of the engine's usual words before `run`. */
  before?: string[];
  /** Between `run` and the image, besides what every run gets. Default `--rm -i`. */
  options?: string[];
  image?: string[];
  /** In place of the shell with the script. */
  command?: string[];
  /** In place of `run`. */
  verb?: string[];
}

export interface ContainedProject extends Project {
  access: EngineAccess;
  owner(): string;
  /** Ids of this project's containers in any state. */
  containers(): Promise<string[]>;
  /** Those of them that run. */
  living(): Promise<string[]>;
  /** Private folders of rounds that are still there. */
  folders(): string[];
  configText(): string;
  /** Removes a file under log_dir. */
  remove(name: string): void;
  /** Makes an ordinary user the owner of everything. */
  handTo(user: string): void;
}

/** A project whose agent runs in a container of its own, with the work tree at /work. Its containers go with the test. */
export function contained(engine: Engine, options: ContainedOptions = {}): ContainedProject {
  const { script = `cat >/dev/null; ${RESULT}`, image = [IMAGE], command = ['sh', '-c', script], ...rest } = options;
  const before = options.before ?? engine.before;
  const prefix = [
    ...before,
    ...(options.verb ?? ['run']),
    ...engine.options,
    ...(options.options ?? ['--rm', '-i']),
    ...['-v', '{work_dir}:/work', '-w', '/work'],
    ...image,
  ];
  const at = project({ ...rest, agentTable: { ...QUICK, command, exec_prefix: prefix, ...options.agentTable } });
  // An engine's client that is another user must get there.
  chmodSync(at.folder, 0o711);
  chmodSync(at.workDir, 0o777);
  chmodSync(at.env.TMPDIR as string, 0o777);
  if (process.env.DOCKER_HOST !== undefined) at.env.DOCKER_HOST = process.env.DOCKER_HOST;
  const env = Object.fromEntries(Object.entries({ ...process.env, ...at.env }).filter((entry): entry is [string, string] => !!entry[1]));
  const access: EngineAccess = { runtime: engine.runtime, control: engine.before, env, cwd: '/' };
  const ownerFile = join(at.logDir, 'state', 'owner');
  const it: ContainedProject = {
    ...at,
    access,
    owner: () => (existsSync(ownerFile) ? readFileSync(ownerFile, 'utf8').trim() : ''),
    async containers() {
      const of = it.owner();
      if (of === '') return [];
      const ids = await containersByLabel(access, `agent-runner.owner=${of}`);
      if (ids === 'unknown') throw new Error('the engine does not answer');
      return ids;
    },
    folders() {
      const folder = join(at.env.HOME as string, '.local/state/agent-runner', it.owner());
      return existsSync(folder) ? readdirSync(folder) : [];
    },
    configText: () => readFileSync(at.config, 'utf8'),
    remove: (name) => rmSync(join(at.logDir, name)),
    handTo: (user) => void execFileSync('chown', ['-R', user, at.folder]),
    async living() {
      const states = await Promise.all((await it.containers()).map((id) => inspectContainer(access, id)));
      return states.flatMap((state) => (state !== null && state !== 'unknown' && state.status === 'running' ? [state.id] : []));
    },
  };
  onTestFinished(async () => {
    const left = await it.containers();
    if (left.length === 0) return;
    await askEngine(access, ['kill', ...left]);
    await askEngine(access, ['rm', '--force', ...left], 15_000);
  });
  return it;
}
