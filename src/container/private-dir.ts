import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { RunnerError } from '../util/errors.ts';
import { contains } from './real-path.ts';

/** One round's own folder on the host: 0700 and out of reach of the container, except for `control`, which is bound into it. */
export interface RoundFolder {
  path: string;
  /** Does not exist yet: the engine refuses to start when it does. */
  cidfile: string;
  control: string;
}

/**
 * Makes `<base>/<owner>/<roundId>/`. The base is `$XDG_STATE_HOME/agent-runner` or `~/.local/state/agent-runner` (a disk: what an agent
 * writes into its control directory must not fill memory), else a folder of ours in the temporary directory. `avoid`: work_dir, log_dir
 * and every mounted path: there the agent could forge the container id.
 */
export function makeRoundFolder(owner: string, roundId: string, avoid: readonly string[], env: NodeJS.ProcessEnv): RoundFolder {
  const base = privateBase(avoid, env);
  const path = join(base, requireName(owner), requireName(roundId));
  rmSync(path, { recursive: true, force: true });
  const control = join(path, 'control');
  mkdirSync(path, { recursive: true, mode: 0o700 });
  mkdirSync(control);
  // The container's user is whoever `-u` or the user namespace says. Nobody else on the host gets here: the folders above are 0700.
  chmodSync(control, 0o777);
  return { path, cidfile: join(path, 'cid'), control };
}

/** Removes what rounds of this owner left behind, except `keep`. A supervisor that was killed could not do it itself. Makes nothing. */
export function removeRoundFolders(owner: string, keep: readonly string[], env: NodeJS.ProcessEnv): void {
  for (const candidate of candidates(env)) {
    const facts = lstatSync(candidate, { throwIfNoEntry: false });
    if (!facts?.isDirectory() || facts.uid !== process.getuid?.()) continue;
    const folder = join(candidate, requireName(owner));
    for (const name of namesIn(folder)) {
      if (!keep.includes(name)) removeFolder(join(folder, name));
    }
  }
}

/** Best effort: a rootless container may have made folders of a sub-uid that we cannot empty; they lie in a 0700 folder and hurt nobody. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // See above.
  }
}

function privateBase(avoid: readonly string[], env: NodeJS.ProcessEnv): string {
  const problems: string[] = [];
  for (const candidate of candidates(env)) {
    try {
      mkdirSync(candidate, { recursive: true, mode: 0o700 });
      // A symlink in somebody's place, or a folder that another user made in a shared /tmp, is not ours to trust.
      const facts = lstatSync(candidate);
      if (!facts.isDirectory() || facts.uid !== process.getuid?.()) throw new Error('it belongs to somebody else');
      if ((facts.mode & 0o077) !== 0) chmodSync(candidate, 0o700);
      const real = realpathSync(candidate);
      const reached = avoid.find((path) => contains(path, real));
      if (reached !== undefined) throw new Error(`it lies in ${reached}, where the agent can write`);
      return real;
    } catch (error) {
      problems.push(`${candidate}: ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new RunnerError({
    code: 'AR-CON-020',
    message: `no private folder for container ids: ${problems.join('; ')}`,
    remedy: 'set XDG_STATE_HOME to a folder of your own outside work_dir, log_dir and every mounted path',
    exit: 'environment',
  });
}

function candidates(env: NodeJS.ProcessEnv): string[] {
  const state = env.XDG_STATE_HOME?.startsWith('/') ? env.XDG_STATE_HOME : join(homeOf(env), '.local', 'state');
  return [join(state, 'agent-runner'), join(tmpdir(), `agent-runner-${process.getuid?.() ?? 0}`)];
}

function homeOf(env: NodeJS.ProcessEnv): string {
  if (env.HOME?.startsWith('/')) return env.HOME;
  try {
    return userInfo().homedir;
  } catch {
    // A bare uid of a container has no entry in the password file.
    return homedir();
  }
}

function requireName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) throw new TypeError(`not a name for a folder: ${JSON.stringify(name)}`);
  return name;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
