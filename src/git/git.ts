import { type CallOptions, type CallResult, callGit } from './call.ts';
import type { Override } from './config-values.ts';
import { gitlinks, nestedRepos } from './gitlinks.ts';
import { localConfig } from './local-config.ts';
import type { Location } from './locate.ts';
import { locationOf, type Repo } from './repo.ts';

/** What git itself says, so that callers need to know one form of it. */
const NOT_A_REPOSITORY: CallResult = {
  code: 128,
  stdout: '',
  stderr: 'fatal: not a git repository (or any of the parent directories): .git',
  truncated: false,
};

/**
 * One git command at the top of the work tree, with everything that the repository could make it run switched off. Rejects with
 * AR-GIT-001 (time-out), -002 (another repository now) or -003 (no git).
 */
export async function git(repo: Repo, args: readonly string[], options: CallOptions = {}): Promise<CallResult> {
  const location = locationOf(repo);
  if (location === null) return NOT_A_REPOSITORY;
  return callGit(repo, location, args, await overridesFor(repo, location), options);
}

/** Those of the submodules too: git looks into them in processes of its own, which inherit what we pass. */
async function overridesFor(repo: Repo, location: Location): Promise<readonly Override[]> {
  const { overrides } = await localConfig(repo, location);
  const links = await gitlinks(repo, location);
  if (links.length === 0) return overrides;
  const all = new Map(overrides);
  for (const { nested } of nestedRepos(repo, location, links)) {
    const inner = locationOf(nested);
    if (inner) for (const [key, value] of await overridesFor(nested, inner)) all.set(key, value);
  }
  return [...all];
}
