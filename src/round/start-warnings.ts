import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { git } from '../git/git.ts';
import { locationOf, type Repo } from '../git/repo.ts';
import { packageRoot } from '../util/package.ts';
import { profilesToCheck } from './checks/profiles.ts';

/** What lets rounds run and is a mistake all the same, one line each: where the logs are, and a prompt that nobody has written yet. */
export async function startWarnings(loaded: LoadedConfig, repo: Repo): Promise<string[]> {
  return [await exposedLogs(loaded, repo), ...unwrittenPrompts(loaded)].filter((line) => line !== null);
}

/**
 * Our own look at the tree leaves log_dir out; the agent's does not. Null where log_dir lies outside the work tree or is ignored, and
 * where git does not answer: the start-up checks tell that.
 */
async function exposedLogs({ config }: LoadedConfig, repo: Repo): Promise<string | null> {
  const { log_dir: logDir } = config.runtime;
  try {
    if (!(await logsAreExposed(repo, logDir))) return null;
  } catch {
    return null;
  }
  return `log_dir ${logDir} lies in the work tree and git does not ignore it: an agent commits it or cleans it away; add it to .gitignore, or put it elsewhere`;
}

/** Whether `git add` and `git clean` of an agent reach the logs. Rejects with what `git` rejects with. */
export async function logsAreExposed(repo: Repo, logDir: string): Promise<boolean> {
  const top = locationOf(repo)?.top;
  const inside = top === undefined ? '..' : relative(top, existsSync(logDir) ? realpathSync(logDir) : logDir);
  if (inside === '..' || inside.startsWith('../')) return false;
  // Of something in it: a pattern `logs/` means folders only, and there may be none yet.
  const { code } = await git(repo, ['check-ignore', '-q', '--', join(inside, 'events')], { read: true });
  return code === 1;
}

/** The part of init's prompt that asks to be replaced, as it was. */
function unwrittenPrompts(loaded: LoadedConfig): string[] {
  const task =
    textOf(join(packageRoot(), 'src', 'config', 'presets', 'prompt.md'))
      .split('\n# ')[0]
      ?.trim() ?? '';
  const files = new Set(profilesToCheck(loaded).flatMap(({ profile }) => profile.prompt.files));
  return [...files]
    .filter((file) => task !== '' && textOf(file).includes(task))
    .map((file) => `${file} still has the task that 'agent-runner init' wrote: say there what the agent shall do`);
}

/** Empty for what cannot be read: a check tells that. */
function textOf(file: string): string {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
