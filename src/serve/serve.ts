import { mkdirSync } from 'node:fs';
import type { ConfigStep } from '../config/in-use.ts';
import { openEvents } from '../events/writer.ts';
import { openRepo } from '../git/repo.ts';
import { treeState } from '../git/tree.ts';
import { prepareLeaves } from '../process/isolation.ts';
import type { RoundBody } from '../round/body.ts';
import { type BatteryVerdict, failureLine, runBattery } from '../round/checks/battery.ts';
import { holdRoundLock } from '../round/lock.ts';
import { pruneRoundLogs } from '../round/prune.ts';
import { type Recovery, recoverInFlight } from '../round/recover.ts';
import { runRound } from '../round/round.ts';
import { secretsRedactor } from '../round/secrets.ts';
import type { RoundWorld } from '../round/types.ts';
import { lookBefore } from '../round/world.ts';
import { tryWriteJson } from '../state/atomic.ts';
import { describeHolder, removeHolder, writeHolder } from '../state/holder.ts';
import { type Layout, layout } from '../state/layout.ts';
import { acquireLock } from '../state/lock.ts';
import { readOwner } from '../state/owner.ts';
import { keepPidFile, removePidFile, writePidFile } from '../state/pid-file.ts';
import { removeFile } from '../state/remove.ts';
import { readStopped, readStreaks } from '../state/serve-state.ts';
import { sweepState } from '../state/sweep.ts';
import { type Clock, isoTime } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { exitCode } from '../util/exit-codes.ts';
import { version } from '../util/package.ts';
import { watchControl } from './control.ts';
import { type Defense, defenses } from './defenses.ts';
import { keepConfig } from './keep-config.ts';
import type { Logger } from './log.ts';
import { type LoopEnd, runLoop } from './loop.ts';
import { guardPreexisting } from './preexisting.ts';
import { listenForSignals, type StopSignals } from './signals.ts';
import { keepWait } from './wait.ts';

export interface ServeRequest {
  /** The configuration to begin with. */
  start: ConfigStep;
  body: RoundBody;
  once: boolean;
  maxRounds: number | null;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  log: Logger;
  /** Shows the guards that are real on this host. */
  banner(guards: readonly Defense[]): void;
}

/**
 * Boots and runs the loop; resolves with the exit code. In this order: lock, signal handlers, what a stale run left behind, the dead
 * supervisor's round, start-up checks, pid file, the loop. The pid file goes before the lock does.
 */
export async function serve(request: ServeRequest): Promise<number> {
  const paths = layout(request.start.inUse.loaded.config.runtime.log_dir);
  makeLogDir(paths);
  const signals = stopSignals(request);
  const lock = await acquireLock(paths.serveLock);
  if (lock === null) {
    signals.dispose();
    throw new RunnerError({
      code: 'AR-SRV-001',
      message: `another serve runs for ${paths.logDir}: ${describeHolder(`${paths.serveLock}.holder`)}`,
      remedy: 'stop it with `agent-runner stop`, or give this one a log_dir of its own',
    });
  }
  writeHolder(`${paths.serveLock}.holder`);
  try {
    return await serveLocked(request, paths, signals);
  } finally {
    signals.dispose();
    removePidFile(paths.servePid);
    removeHolder(`${paths.serveLock}.holder`);
    lock.release();
  }
}

async function serveLocked(request: ServeRequest, paths: Layout, signals: StopSignals): Promise<number> {
  const { clock, log, env } = request;
  let hide = secretsRedactor(request.start.inUse.loaded, env);
  const { emit } = openEvents(paths.logDir, clock, { redact: (text) => hide(text) });
  sweepState(paths, (found) => {
    emit('state_file_set_aside', found);
    log.warn(found, 'a state file held nothing usable and was set aside');
  });
  const config = keepConfig({ start: request.start, paths, clock, emit, log });
  const loaded = config.current();
  signals.onReload(() => config.requestReload());
  const control = watchControl(paths);
  try {
    for (const path of [paths.agentDone, paths.wake]) removeFile(path);
    pruneRoundLogs(paths.logDir, loaded.config.runtime.round_log_retention, emit);
    const deliberateRestart = readStopped(paths) !== null;
    removeFile(paths.stopped);
    if (deliberateRestart) removeFile(paths.streaks);
    const owner = readOwner(paths);
    writePidFile(paths.servePid);

    const recovery = await recoverDeadRound(paths, emit);
    if (recovery.roundNum !== null)
      log.warn({ round_num: recovery.roundNum }, 'the supervisor before died during a round: what lived of it was ended');
    emit('serve_started', { version: version(), pid: process.pid, config_digest: loaded.digest, owner });

    const repo = openRepo(loaded.config.runtime.work_dir, { logDir: paths.logDir, clock });
    const { leaves, facts: leaf } = await prepareLeaves();
    const guards = defenses(loaded, { hasProc: process.platform === 'linux', hasFifo: true, leaf });
    tryWriteJson(`${paths.state}/defenses.json`, guards, { durable: false });
    request.banner(guards);

    const before = await lookBefore(repo, paths, recovery.roundNum !== null);
    const tree = await treeState(repo);
    const end =
      brokenAtStart(await runBattery(loaded, tree, env)) ??
      (await guardPreexisting({ loaded, repo, tree, emit, clock, log, preexisting: before.preexisting })) ??
      (await (async () => {
        const world: RoundWorld = {
          body: request.body,
          repo,
          paths,
          emit,
          clock,
          env,
          leaves,
          ...before,
        };
        return runLoop(
          {
            paths,
            clock,
            emit,
            log,
            signals,
            control,
            config,
            wait: keepWait(paths, clock, emit, { deliberateRestart }),
            round(round) {
              hide = secretsRedactor(round.loaded, env);
              keepPidFile(paths.servePid);
              return runRound(world, round);
            },
            endSurvivors: async () => (await recoverDeadRound(paths, emit)).survivors,
            random: Math.random,
            once: request.once,
            maxRounds: request.maxRounds ?? loaded.config.runtime.max_rounds,
          },
          readStreaks(paths),
        );
      })());
    tellEnd(end, paths, clock, log);
    emit('serve_stopped', { reason: end.reason, exit_code: end.exitCode, rounds_completed: end.roundsCompleted });
    return end.exitCode;
  } finally {
    control.close();
  }
}

/** Listened to from the first moment on: nothing that is begun afterwards is cut short by a default. */
function stopSignals({ log }: ServeRequest): StopSignals {
  return listenForSignals({
    onDrain: (signal) => log.info({ signal }, 'draining: the round in flight may finish, then serve stops; a second signal ends it now'),
    onEnd: (signal) => log.warn({ signal }, 'ending the round in flight now'),
  });
}

function makeLogDir(paths: Layout): void {
  try {
    mkdirSync(paths.rounds, { recursive: true });
    mkdirSync(paths.state, { recursive: true });
  } catch (cause) {
    throw new RunnerError({
      code: 'AR-SRV-002',
      message: `log_dir ${paths.logDir} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`,
      remedy: 'correct [runtime] log_dir, or give this user write permission there',
      exit: 'environment',
      cause,
    });
  }
}

/** Under the round lock: a manual `agent-runner round` may be running, and then its round is not dead. */
async function recoverDeadRound(paths: Layout, emit: RoundWorld['emit']): Promise<Recovery> {
  const lock = await holdRoundLock(paths);
  if (!lock.held) return { roundNum: null, configDigest: null, survivors: [] };
  try {
    return await recoverInFlight(paths, emit);
  } finally {
    lock.release();
  }
}

function brokenAtStart(battery: BatteryVerdict): LoopEnd | null {
  if (battery.verdict !== 'permanent') return null;
  return {
    reason: 'config_broken',
    exitCode: exitCode('config'),
    sentence: battery.failures.map(failureLine).join('\n'),
    remedy: 'mend what the check names, then start serve again',
    logPath: null,
    roundsCompleted: 0,
  };
}

/** The last words: on disk for `peek`, on stderr for whoever looks there. */
function tellEnd(end: LoopEnd, paths: Layout, clock: Clock, log: Logger): void {
  const unwritten = tryWriteJson(paths.stopped, {
    reason: end.reason,
    exit_code: end.exitCode,
    at: isoTime(clock.now()),
    sentence: end.sentence,
    remedy: end.remedy,
    log_path: end.logPath,
  });
  if (unwritten !== null) log.warn(unwritten);
  const words = [`serve stops: ${end.sentence}`, end.remedy, end.logPath === null ? null : `log: ${end.logPath}`]
    .filter(Boolean)
    .join('; ');
  log[end.exitCode === 0 ? 'info' : 'error']({ reason: end.reason, exit_code: end.exitCode }, words);
}
