import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunnerError } from '../util/errors.ts';
import { type CallOptions, type CallResult, complaint } from './call.ts';
import { git } from './git.ts';
import { copyIfThere } from './index-copy.ts';
import { allExcept, logDirToExclude, PATHSPEC_FROM_INPUT } from './pathspec.ts';
import { locationOf, type Repo } from './repo.ts';
import { treeState } from './tree.ts';

export interface Snapshot {
  /** Full SHA of the commit object. */
  sha: string;
  /** Full name of what keeps it alive. */
  ref: string;
  files: string[];
}

/** Who made the commit, when the machine has no git identity. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'agent-runner',
  GIT_AUTHOR_EMAIL: 'agent-runner@localhost',
  GIT_COMMITTER_NAME: 'agent-runner',
  GIT_COMMITTER_EMAIL: 'agent-runner@localhost',
};
/** Other work trees of the repository may take a snapshot under the same name at the same moment. */
const MAX_NAMES = 20;

/**
 * Keeps the work tree as it is now, untracked files included, in a commit object under `refs/agent-runner/<name>` (`-2`, `-3` ... when
 * the name is taken). Neither files nor index nor the list of stashes change; works before the first commit. What is ignored, our
 * log_dir and changes inside nested repositories are not in it. Null when there is nothing to keep; rejects with AR-GIT-004 (or what
 * `git` rejects with) when it could not be made, or not be read back whole.
 */
export async function snapshotTree(repo: Repo, name: string): Promise<Snapshot | null> {
  const tree = await treeState(repo);
  if (tree.problem !== null) throw snapshotFailed(tree.problem.message);
  if (tree.entries.length === 0) return null;
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-index-'));
  try {
    const nested = tree.entries.filter(({ kind }) => kind === 'nested').map(({ path }) => path);
    const input = allExcept([...(await logDirToExclude(repo)), ...nested]);
    const sha = await commitOf(repo, join(folder, 'index'), input, tree.head, `agent-runner snapshot: ${name}`);
    const ref = await nameIt(repo, sha, `refs/agent-runner/${name}`);
    await must(repo, ['cat-file', '-e', `${sha}^{tree}`], { read: true });
    // The objects of every new file too, not the commit alone.
    await must(repo, ['rev-list', '--objects', '--quiet', sha, ...(tree.head === null ? [] : [`^${tree.head}`]), '--'], { read: true });
    return { sha, ref, files: tree.dirty };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function commitOf(repo: Repo, indexFile: string, input: Buffer, head: string | null, message: string): Promise<string> {
  const location = locationOf(repo);
  // The copy carries git's knowledge of unchanged files: without it every file would be read.
  if (location !== null) copyIfThere(join(location.gitDir, 'index'), indexFile);
  const slow = { indexFile, timeoutMs: repo.timeouts.commit };
  await must(repo, ['-c', 'core.safecrlf=false', 'add', '--all', ...PATHSPEC_FROM_INPUT], { ...slow, input });
  const tree = (await must(repo, ['write-tree'], slow)).stdout.trim();
  const parent = head === null ? [] : ['-p', head];
  return (await must(repo, ['commit-tree', tree, ...parent, '-m', message], { env: IDENTITY })).stdout.trim();
}

async function nameIt(repo: Repo, ref: string, wanted: string): Promise<string> {
  for (let i = 1; ; i += 1) {
    const name = i === 1 ? wanted : `${wanted}-${i}`;
    // The empty old value: only if there is none of this name, so that no earlier snapshot is lost.
    const result = await git(repo, ['update-ref', name, ref, '']);
    if (result.code === 0) return name;
    if (i === MAX_NAMES || !/already exists/.test(result.stderr)) throw snapshotFailed(complaint(result));
  }
}

async function must(repo: Repo, args: readonly string[], options: CallOptions): Promise<CallResult> {
  const result = await git(repo, args, options);
  if (result.code !== 0) throw snapshotFailed(complaint(result));
  return result;
}

function snapshotFailed(reason: string): RunnerError {
  return new RunnerError({
    code: 'AR-GIT-004',
    message: `the work tree could not be kept in a commit object: ${reason}`,
    remedy: 'commit or stash the changes yourself, or mend what git complains of',
    exit: 'environment',
  });
}
