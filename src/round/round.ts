import { accountOf, agentIdentity, profileFor } from '../config/profile.ts';
import { type TreeState, treeState } from '../git/tree.ts';
import type { Sampler } from '../host/sampler.ts';
import type { NamedProcess } from '../run/types.ts';
import { tryWriteJson } from '../state/atomic.ts';
import { clearInFlight } from '../state/in-flight.ts';
import { recordInternalError } from '../state/internal-errors.ts';
import { sweepState } from '../state/sweep.ts';
import { messageOf, RunnerError } from '../util/errors.ts';
import { superviseBody } from './ceiling.ts';
import { failureLine, runBattery } from './checks/battery.ts';
import { closeRound } from './close.ts';
import { pathsHash } from './fingerprint.ts';
import { guardHost } from './guard-host.ts';
import { afterRound, beforeAgent } from './hooks.ts';
import { endLeftovers } from './leftovers.ts';
import { holdRoundLock } from './lock.ts';
import { sampleRound } from './metrics.ts';
import { type OpenRound, openRound } from './open.ts';
import type { Outcome } from './outcome.ts';
import { recoverInFlight } from './recover.ts';
import { survivorNames } from './survivors.ts';
import type { RoundRequest, RoundResult, RoundWorld } from './types.ts';
import { noticePersonsWork } from './world.ts';

/**
 * One round, in this order: start-up battery, lock, end of a dead supervisor's round, number and durable intent, the body, outcome,
 * dirty tree, status. Whatever happens the lock is given back and somebody is told.
 */
export async function runRound(world: RoundWorld, request: RoundRequest): Promise<RoundResult> {
  try {
    return await checkedRound(world, request);
  } catch (error) {
    // A bug of ours counts as a crash: as an unfit environment it would be tried for ever.
    if (!(error instanceof RunnerError)) return refused(request, 'crash', [bugLine(world, error)]);
    // A disk that is full or gone before the agent starts costs this try; what no waiting mends is the caller's to tell.
    if (error.exit !== 'environment') throw error;
    return refused(request, 'environment', [lineOf(error)]);
  }
}

async function checkedRound(world: RoundWorld, request: RoundRequest): Promise<RoundResult> {
  const { emit, paths, repo, env } = world;
  const before = await treeState(repo);
  const battery = await runBattery(request.loaded, before, env);
  if (battery.verdict !== 'pass') {
    const problems = battery.failures.map(failureLine);
    emit('smoke_check_failed', { reason: problems.join('; ') });
    return refused(request, battery.verdict === 'permanent' ? 'config_broken' : 'environment', problems);
  }

  const lock = await holdRoundLock(paths);
  if (!lock.held) {
    const words = `another round is running here: ${lock.by} [AR-LCK-004]; wait until it has ended, or end it by 'agent-runner kill'`;
    return refused(request, 'environment', [words]);
  }
  try {
    sweepState(paths, (found) => emit('state_file_set_aside', found));
    const { survivors, notes } = await endLeftovers(world, request.loaded);
    if (survivors.length > 0) return refused(request, 'environment', [survivorsLine(survivors), ...notes], survivors);
    noticePersonsWork(world, before);
    const result = await guardedRound(world, request, before);
    return { ...result, problems: [...notes, ...result.problems] };
  } finally {
    lock.release();
  }
}

async function guardedRound(world: RoundWorld, request: RoundRequest, found: TreeState): Promise<RoundResult> {
  const { emit, env, body } = world;
  const { loaded, stop } = request;
  const globs = loaded.config.runtime.substrate_fingerprint_paths;
  const open = openRound(world, request);
  const substrate = async (head: string | null) => ({
    round_num: open.roundNum,
    git_head: head,
    paths_hash: await pathsHash(loaded.config.runtime.work_dir, globs),
  });
  let sampler: Sampler | null = null;
  const host = guardHost(world, request, open);
  const warnings: string[] = [];
  try {
    const before = await beforeAgent(world, request, open, found);
    if (before === null) return notStarted(world, request, open);
    emit('round_substrate_before', await substrate(before.head));
    const report = await superviseBody(
      body,
      {
        loaded,
        profile: open.profile,
        roundNum: open.roundNum,
        roundId: open.roundId,
        owner: open.owner,
        freshEyes: open.freshEyes,
        contextJson: open.contextJson,
        logPath: open.logPath,
        leaf: open.leaf,
        env,
        emit,
        warn: (line) => warnings.push(line),
        onContainer: (container) => open.contained(container),
        hurry: host.hurry,
        onSpawned(identity) {
          open.spawned(identity);
          host.spawned(identity);
          sampler = sampleRound(world, open.roundNum, identity);
        },
      },
      { stops: [stop, host.stop], budgetMs: open.profile.runtime.round_timeout_s * 1000, emit, clock: world.clock },
    );
    const result = await closeRound(world, request, open, before, report, await host.close());
    emit('round_substrate_after', await substrate(result.head));
    const whole = { ...result, problems: [...result.problems, ...warnings] };
    await afterRound(world, request, open, before.head, report, whole);
    return whole;
  } catch (error) {
    return await abandoned(world, request, open, error);
  } finally {
    await host.close();
    void (sampler as Sampler | null)?.stop();
  }
}

/** serve was told to stop while a pre_round hook ran: no agent is started any more, the number is spent. */
function notStarted({ paths, emit }: RoundWorld, request: RoundRequest, { roundNum, phase, logPath, status }: OpenRound): RoundResult {
  tryWriteJson(paths.status, { ...status, running: false });
  clearInFlight(paths);
  emit('round_end', { round_num: roundNum });
  return { ...refused(request, 'stopped', []), roundNum, phase, logPath };
}

/** The body could not even be started, or a bug of ours cut the round short: the number is spent, the record says so, nobody is left. */
async function abandoned(world: RoundWorld, request: RoundRequest, open: OpenRound, error: unknown): Promise<RoundResult> {
  const { emit, paths, clock } = world;
  const { roundNum, phase, logPath } = open;
  const known = error instanceof RunnerError;
  world.leftDirty = null;
  // A container that could not be ended then has no record: the next round looks for it by its label.
  world.orphans.done = false;
  const line = known ? lineOf(error) : bugLine(world, error);
  const { survivors } = known ? { survivors: [] } : await recoverInFlight(paths, emit, clock);
  tryWriteJson(paths.status, { ...open.status, running: false });
  if (survivors.length === 0) clearInFlight(paths);
  if (known) emit('smoke_check_failed', { reason: line });
  emit('round_end', { round_num: roundNum });
  const outcome: Outcome = !known ? 'crash' : error.exit === 'config' ? 'config_broken' : 'environment';
  return { ...refused(request, outcome, [line], survivors), roundNum, phase, logPath };
}

function refused(request: RoundRequest, outcome: Outcome, problems: string[], survivors: NamedProcess[] = []): RoundResult {
  const { agent, fallback } = profileFor(request.loaded.config, request.phase ?? null, request.fallback);
  return {
    outcome,
    roundNum: null,
    phase: null,
    durationMs: 0,
    moved: false,
    turn: null,
    identity: agentIdentity(agent),
    account: accountOf(agent),
    fallback,
    logPath: null,
    head: null,
    tail: '',
    survivors,
    problems,
  };
}

function lineOf({ message, code }: RunnerError): string {
  return `${message} [${code}]`;
}

function bugLine({ paths, clock }: RoundWorld, error: unknown): string {
  const trace = recordInternalError(paths, error, clock);
  return `internal error: ${messageOf(error)}${trace === null ? '' : `; trace in ${trace}`} [AR-CLI-099]`;
}

function survivorsLine(survivors: readonly NamedProcess[]): string {
  return `what ran in a round before is still alive: ${survivorNames(survivors)}; no new round starts beside them [AR-RUN-006]`;
}
