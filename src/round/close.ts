import { accountOf } from '../config/profile.ts';
import { resolveDirty } from '../git/dirty.ts';
import { changedExecutables, executableFingerprint } from '../git/harden.ts';
import { removeOrphanState } from '../git/orphan-state.ts';
import { type TreeState, treeState } from '../git/tree.ts';
import { tryWriteJson } from '../state/atomic.ts';
import { clearInFlight } from '../state/in-flight.ts';
import { removeFile } from '../state/remove.ts';
import { isoTime } from '../util/clock.ts';
import { seconds } from '../util/duration.ts';
import { answeredConfig } from './answered-config.ts';
import type { RoundBodyReport } from './body.ts';
import { CONSEQUENCES } from './consequences.ts';
import type { HostReport } from './guard-host.ts';
import { killedByKernel } from './killed-by-kernel.ts';
import { seenOffline } from './offline.ts';
import type { OpenRound } from './open.ts';
import { outcomeOf } from './outcome.ts';
import { type FinishedRound, legacyExitCode, recordRun, recordTurn, recordWall } from './record.ts';
import type { Status } from './status.ts';
import type { RoundRequest, RoundResult, RoundWorld } from './types.ts';
import { rememberPreexisting } from './world.ts';

/** A breaker's event carries so much of the log's end, characters (the predecessor's 2,000; cut again after redaction). */
const TAIL_IN_EVENT = 4000;
/** `dirty_detected` names so many files and no more. */
const FILES_IN_EVENT = 20;

/** Everything after the body: the outcome and its record, the tree, the status; the in-flight record goes when nobody survived. */
export async function closeRound(
  world: RoundWorld,
  { loaded }: RoundRequest,
  open: OpenRound,
  before: TreeState,
  report: RoundBodyReport,
  host: HostReport,
): Promise<RoundResult> {
  const { emit, clock, repo, paths } = world;
  const { run, container } = report;
  const survivors = [...run.receipt.survivors, ...(container?.survivor ? [container.survivor] : [])];
  const after = await treeState(repo);
  const moved = after.problem === null && (after.head !== before.head || after.fingerprint !== before.fingerprint);
  const plain = outcomeOf({
    end: run.end,
    exitCode: run.exitCode,
    durationMs: run.durationMs,
    outputBytes: run.outputBytes,
    leftovers: (run.receipt.leftovers.length > 0 || container?.leftRunning === true) && run.end === 'exit',
    moved,
    turn: report.turn,
    oomKilled: container?.verdict === 'oom_killed' || killedByKernel(run, host.memory.account),
    containerFailed: container?.verdict === 'container_error',
  });
  const { outcome, turn } = seenOffline(plain, report.turn, world.isOffline ?? (() => false));
  const finished: FinishedRound = {
    ...report,
    turn,
    roundNum: open.roundNum,
    roundId: open.roundId,
    phase: open.phase,
    account: accountOf(open.profile.agent),
    outcome,
    graceS: loaded.config.runtime.max_grace_after_result_s,
    idleS: loaded.config.runtime.idle_timeout_s,
    memory: host.memory,
    memoryMaxMb: loaded.config.limits.round_memory_max_mb,
    logPath: open.logPath,
  };
  recordRun(emit, finished);
  recordTurn(emit, finished);
  if (survivors.length > 0) {
    open.survived(run.receipt.survivorIdentities);
    emit('survivors_remain', { round_num: open.roundNum, round_id: open.roundId, survivors, attempt: 1 });
  }

  const { dirtLeft, committed } = await dealWithTree(world, loaded, open, after, CONSEQUENCES[outcome].tree === 'resolve');
  world.leftDirty = after.problem === null ? new Set(dirtLeft ? after.entries.map(({ path }) => path) : []) : null;
  recordWall(emit, finished);
  if (host.left !== null) emit('temp_left_behind', { round_num: open.roundNum, ...host.left });

  const status: Status = {
    ...open.status,
    running: false,
    last_completed_at: isoTime(clock.now()),
    last_exit_code: legacyExitCode(run.exitCode, run.signal),
    last_duration_s: seconds(run.durationMs),
    last_outcome: outcome,
    last_dirty: dirtLeft,
  };
  const unwritten = tryWriteJson(paths.status, status);
  if (unwritten !== null) {
    // A full disk: the old one says that the round runs, and the block that it takes is enough for the new one.
    removeFile(paths.status);
    tryWriteJson(paths.status, status);
  }
  if (survivors.length === 0) clearInFlight(paths);
  emit('round_end', { round_num: open.roundNum });
  return {
    outcome,
    roundNum: open.roundNum,
    phase: open.phase,
    durationMs: run.durationMs,
    moved,
    turn,
    identity: report.identity,
    account: accountOf(open.profile.agent),
    fallback: open.profile.fallback,
    logPath: open.logPath,
    head: committed ?? after.head,
    tail: run.tail.slice(-TAIL_IN_EVENT),
    survivors,
    problems: [...problemsOf(run, unwritten), ...hostProblems(run, host), ...(container?.problems ?? [])],
  };
}

/** The agent's work counts also when our disk is full; the next round's checks will say that it is. */
function problemsOf({ problem, spawnError, logError }: RoundBodyReport['run'], unwritten: string | null): string[] {
  const start = problem === null ? spawnError : `${problem.message} [${problem.code}]`;
  const log = logError === null ? null : `the log of the round is not whole: ${logError}`;
  return [start, log, unwritten].filter((line) => line !== null);
}

/** Why the machine's guards ended the round. */
function hostProblems({ end }: RoundBodyReport['run'], { memory, disk }: HostReport): string[] {
  if (end === 'disk' && disk !== null) return [`the round was ended before it filled the disk: ${disk.message} [AR-RUN-011]`];
  return end === 'memory' && memory.end !== null ? [`the round was ended for memory: ${memory.end.message} [AR-RUN-012]`] : [];
}

/** Does with the agent's dirt what the configuration says: whether some of it is still there, and the new HEAD where it was committed. */
async function dealWithTree(
  world: RoundWorld,
  { config: { vcs }, path: configPath }: RoundRequest['loaded'],
  { roundNum, phase }: OpenRound,
  tree: TreeState,
  resolve: boolean,
): Promise<{ dirtLeft: boolean; committed: string | null }> {
  const { repo, emit, clock, paths, preexisting } = world;
  if (tree.problem !== null) {
    emit('dirty_check_failed', { round_num: roundNum, reason: tree.problem.message });
    return { dirtLeft: true, committed: null };
  }
  const dirty = new Set<string>(tree.entries.map(({ path }) => path));
  const known = [...preexisting].join('\0');
  const theirs = answeredConfig(paths, configPath, repo.workDir);
  if (theirs !== null) preexisting.add(theirs);
  for (const path of preexisting) if (!dirty.has(path)) preexisting.delete(path);
  if ([...preexisting].join('\0') !== known) rememberPreexisting(paths, preexisting);
  const hooksTrusted = await gitIsTrusted(world, roundNum);
  if (dirty.size === preexisting.size) {
    removeOrphanState(paths.orphanState);
    return { dirtLeft: false, committed: null };
  }
  const files = tree.dirty.filter((_, i) => !preexisting.has(tree.entries[i]?.path ?? ''));
  emit('dirty_detected', { round_num: roundNum, files: files.slice(0, FILES_IN_EVENT) });
  if (!resolve) return { dirtLeft: true, committed: null };
  const { kind, ref } = await resolveDirty(repo, {
    action: vcs.dirty_action,
    roundNum,
    phase,
    tree,
    preexisting,
    idempotencyS: vcs.stash_idempotency_s,
    hooksTrusted,
    paths,
    emit,
    clock,
  });
  return { dirtLeft: kind !== 'stashed' && kind !== 'committed', committed: kind === 'committed' ? ref : null };
}

/** Whether git's hooks and filters are still those from before any agent ran; a change is told once and for good. */
async function gitIsTrusted({ repo, emit, gitTrust }: RoundWorld, roundNum: number): Promise<boolean> {
  if (gitTrust.tampered) return false;
  try {
    const now = await executableFingerprint(repo);
    if (now === gitTrust.fingerprint) return true;
    gitTrust.tampered = true;
    emit('git_config_tampered', { round_num: roundNum, paths: changedExecutables(gitTrust.fingerprint, now) });
  } catch {
    // A git that does not answer is told by the look at the tree; meanwhile nothing of the repository's is executed.
  }
  return false;
}
