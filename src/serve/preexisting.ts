import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import { pruneSnapshots } from '../git/prune-snapshots.ts';
import type { Repo } from '../git/repo.ts';
import { snapshotTree } from '../git/snapshot.ts';
import type { TreeState } from '../git/tree.ts';
import { type Clock, compactTime } from '../util/clock.ts';
import { messageOf } from '../util/errors.ts';
import { exitCode } from '../util/exit-codes.ts';
import type { Logger } from './log.ts';
import type { LoopEnd } from './world.ts';

const PREFIX = 'preexisting-';

interface PreexistingInput {
  loaded: LoadedConfig;
  repo: Repo;
  tree: TreeState;
  emit: Emit;
  clock: Clock;
  log: Logger;
  /** Paths that are somebody's work: see `lookBefore`. */
  preexisting: ReadonlySet<string>;
}

/**
 * A tree that is dirty before any agent ran holds somebody's work: kept as a commit object outside every branch, with the tree untouched,
 * or a reason not to start. What our own last round left behind is no such work.
 */
export async function guardPreexisting(input: PreexistingInput): Promise<LoopEnd | null> {
  const { loaded, repo, tree, emit, clock, log, preexisting } = input;
  if (tree.problem !== null || tree.dirty.length === 0) return null;
  if (loaded.config.vcs.preexisting === 'refuse' && preexisting.size > 0) {
    return {
      reason: 'preexisting_dirt',
      exitCode: exitCode('config'),
      sentence: `work_dir has ${tree.dirty.length} uncommitted file(s) and vcs.preexisting is "refuse": ${tree.dirty.slice(0, 5).join(', ')} [AR-SRV-003]`,
      remedy: 'commit or stash them, or set vcs.preexisting = "snapshot"',
      logPath: null,
      roundsCompleted: 0,
    };
  }
  try {
    const snapshot = await snapshotTree(repo, `${PREFIX}${compactTime(clock.now())}`);
    if (snapshot === null) return null;
    emit('preexisting_snapshot', { ref: snapshot.sha, ref_name: snapshot.ref, files: tree.dirty.slice(0, 20) });
    log.info({ ref: snapshot.ref }, `${tree.dirty.length} uncommitted file(s) are kept as ${snapshot.ref}`);
    const gone = await pruneSnapshots(repo, PREFIX);
    if (gone.length > 0) log.info({ gone }, `${gone.length} older snapshot(s) of uncommitted files are no longer kept`);
  } catch (error) {
    log.warn(`uncommitted files could not be kept as a snapshot: ${messageOf(error)}`);
  }
  return null;
}
