import { runCommand } from '../process/command.ts';
import type { Repo } from './repo.ts';

/** Older gits ignore GIT_CONFIG_COUNT, by which filters of the repository are switched off: what an agent planted would run. */
const OLDEST = [2, 31] as const;

/** Why this machine's git must not be used, or null. Asked once per repository; a git that does not answer is told by the call after. */
export async function versionProblem(repo: Repo): Promise<string | null> {
  if (repo.memory.versionChecked) return null;
  const { stdout } = await runCommand(['git', '--version'], { env: repo.env });
  const found = oldVersion(stdout);
  repo.memory.versionChecked = found === null;
  return found === null ? null : `git ${found} is too old: ${OLDEST.join('.')} or newer is needed`;
}

/** The version in the words of `git --version` when it is older than we can use; null when it is fine or cannot be read. */
export function oldVersion(words: string): string | null {
  const [text, major, minor] = /(\d+)\.(\d+)(?:\.\d+)*/.exec(words) ?? [];
  if (text === undefined) return null;
  const isOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  return isOld ? text : null;
}
