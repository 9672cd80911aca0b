import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { messageOf, RunnerError } from '../util/errors.ts';
import { type CallResult, complaint } from './call.ts';
import { git } from './git.ts';
import { gitlinks, nestedRepos } from './gitlinks.ts';
import { type Bytes, bytesOf, isWithin, shown, toBuffer } from './names.ts';
import { parseStatus, type StatusEntry } from './porcelain.ts';
import { locationOf, type Repo } from './repo.ts';
import { versionProblem } from './version.ts';

interface TreeProblem {
  kind: 'not_a_repo' | 'dubious_ownership' | 'git_too_old' | 'timeout' | 'failed';
  message: string;
}

/** One path that differs from HEAD. */
export interface DirtyEntry {
  path: Bytes;
  /** The old path of a rename. */
  from: Bytes | null;
  /** True when the index differs from HEAD here. */
  staged: boolean;
  /**
   * `nested`: a repository of its own, or changes inside a submodule: neither a stash nor a commit can take it up.
   * `gitlink`: a submodule at another commit: a commit can.
   */
  kind: 'tracked' | 'untracked' | 'unmerged' | 'nested' | 'gitlink';
  /** Changes with the content, as far as size, times and mode tell. */
  state: string;
}

export interface TreeState {
  /** Null before the first commit, or with a problem. */
  head: string | null;
  /** Paths from the top of the work tree, the new one of a rename; our own log_dir is not among them. */
  dirty: string[];
  /** The same as long as neither HEAD nor the content of a dirty path changed, nested repositories included. */
  fingerprint: string;
  problem: TreeProblem | null;
  entries: readonly DirtyEntry[];
}

/**
 * `--ignore-submodules=dirty`: git would start itself in each submodule, with what their configuration names; we look there ourselves.
 * Without `--no-ahead-behind` git would walk the history up to the upstream branch.
 */
const STATUS = [
  'status',
  '--porcelain=v2',
  '--branch',
  '-z',
  '--untracked-files=all',
  '--ignore-submodules=dirty',
  '--find-renames',
  '--no-ahead-behind',
] as const;
const MAX_BYTES = 64 * 1024 * 1024;
/** So many dirty files are looked at for the fingerprint (about 3 microseconds each); the others count by name and git's own record. */
const MAX_STATS = 5_000;

/** HEAD and dirt of the work tree in one git call (one more for each nested repository). Never rejects: see `problem`. */
export async function treeState(repo: Repo): Promise<TreeState> {
  try {
    return await lookAt(repo);
  } catch (error) {
    const timedOut = error instanceof RunnerError && error.code === 'AR-GIT-001';
    return withProblem({ kind: timedOut ? 'timeout' : 'failed', message: messageOf(error) });
  }
}

async function lookAt(repo: Repo): Promise<TreeState> {
  const tooOld = await versionProblem(repo);
  if (tooOld !== null) return withProblem({ kind: 'git_too_old', message: tooOld });
  const result = await git(repo, STATUS, { read: true, maxBytes: MAX_BYTES });
  const location = locationOf(repo);
  if (result.code !== 0 || location === null) return withProblem(problemOf(result));
  const { head, entries: found } = parseStatus(result.stdout);
  const logs = logDirIn(repo, location.top);
  const mine = logs === null ? found : found.filter(({ path }) => !isWithin(path, logs));

  const hash = createHash('sha256').update(head ?? '-');
  const entries = mine.map((entry, i): DirtyEntry => {
    const state = `${entry.detail} ${i < MAX_STATS ? lookOf(location.top, entry.path) : ''}`;
    hash.update(`\0${entry.path}\0${entry.from ?? ''}\0${state}`);
    return { path: entry.path, from: entry.from, staged: !/^[.?]/.test(entry.xy), kind: kindOf(entry), state };
  });

  const known = entries.filter(({ kind }) => kind === 'nested' || kind === 'gitlink').map(({ path }) => path);
  const inside = [...new Set([...(await gitlinks(repo, location)), ...known])];
  for (const { path, nested } of nestedRepos(repo, location, inside)) {
    const inner = await treeState(nested);
    hash.update(`\0${path}\0${inner.fingerprint}`);
    if (inner.dirty.length > 0 && !known.includes(path)) {
      entries.push({ path, from: null, staged: false, kind: 'nested', state: inner.fingerprint });
    }
  }
  return { head, dirty: entries.map(({ path }) => shown(path)), fingerprint: hash.digest('hex'), problem: null, entries };
}

function kindOf({ kind, xy, gitlink, path }: StatusEntry): DirtyEntry['kind'] {
  if (kind === 'unmerged') return 'unmerged';
  if (kind === 'untracked') return path.endsWith('/') ? 'nested' : 'untracked';
  // What was added to the index a stash takes up, a submodule's commit too.
  return gitlink && xy[0] === '.' ? 'gitlink' : 'tracked';
}

function lookOf(top: string, path: Bytes): string {
  try {
    const stat = lstatSync(Buffer.concat([Buffer.from(`${top}/`), toBuffer(path)]), { bigint: true });
    return `${stat.size} ${stat.mtimeNs} ${stat.mode}`;
  } catch {
    return 'gone';
  }
}

/** log_dir relative to the top of the work tree, or null when it lies elsewhere. It need not exist yet. */
export function logDirIn(repo: Repo, top: string): Bytes | null {
  const path = relative(top, realpathOf(repo.logDir));
  return path === '' || path === '..' || path.startsWith('../') ? null : bytesOf(path);
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realpathOf(parent), basename(path));
  }
}

function problemOf(result: CallResult): TreeProblem {
  const message = complaint(result);
  if (/dubious ownership|unsafe repository/.test(result.stderr)) return { kind: 'dubious_ownership', message };
  if (/not a git repository|must be run in a work tree/.test(result.stderr)) return { kind: 'not_a_repo', message };
  return { kind: 'failed', message };
}

function withProblem(problem: TreeProblem): TreeState {
  return { head: null, dirty: [], fingerprint: '', problem, entries: [] };
}
