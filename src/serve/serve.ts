import { keepLedger } from '../budget/keep.ts';
import type { ConfigStep } from '../config/in-use.ts';
import { openEvents } from '../events/writer.ts';
import { openRepo } from '../git/repo.ts';
import { treeState } from '../git/tree.ts';
import type { Words } from '../hooks/announcer.ts';
import { openDiskBook } from '../host/disk/book.ts';
import { watchWayOut } from '../host/route.ts';
import type { PreparedLeaves } from '../process/isolation.ts';
import type { RoundBody } from '../round/body.ts';
import { runBattery } from '../round/checks/battery.ts';
import { runRound } from '../round/round.ts';
import { secretsRedactor } from '../round/secrets.ts';
import type { RoundWorld } from '../round/types.ts';
import { lookBefore } from '../round/world.ts';
import { type Layout, layout } from '../state/layout.ts';
import { keepPidFile } from '../state/pid-file.ts';
import { readStreaks } from '../state/serve-state.ts';
import { sweepState } from '../state/sweep.ts';
import type { Clock } from '../util/clock.ts';
import { type Accounts, keepAccounts } from './accounts/accounts.ts';
import { openAdmission } from './admission.ts';
import { watchControl } from './control.ts';
import type { Defense } from './defenses.ts';
import { writeGuards } from './guards.ts';
import { asTheOnlyServe } from './hold.ts';
import { keepConfig } from './keep-config.ts';
import { brokenAtStart, tellEnd } from './last-words.ts';
import { type Logger, logRoundStarts } from './log.ts';
import { runLoop } from './loop.ts';
import type { Notifier } from './notifier.ts';
import { mustPark, parked, restartCommand } from './park.ts';
import { guardPreexisting } from './preexisting.ts';
import { keepStarts } from './schedule/starts.ts';
import { tellSchedule } from './schedule/tell.ts';
import { listenForSignals, type StopSignals } from './signals.ts';
import { wordsAtStart } from './start-words.ts';
import { takeOver } from './take-over.ts';
import { openUserPrograms, type UserPrograms } from './user-programs.ts';
import { keepWait } from './wait.ts';
import type { LoopEnd, LoopWorld } from './world.ts';

export interface ServeRequest {
  /** The configuration to begin with. */
  start: ConfigStep;
  body: RoundBody;
  once: boolean;
  ignoreSchedule: boolean;
  /** Stay up and idle, instead of exiting, after an end on purpose (70, 75, 78). */
  park: boolean;
  maxRounds: number | null;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  log: Logger;
  /** Shows the guards that are real on this host. */
  banner(guards: readonly Defense[]): void;
  /** Whoever started us; told of every step, and of the end. */
  notifier: Notifier;
  isShuttingDown(): Promise<boolean>;
  /** What `peek` says: now, or once this process has stopped. */
  describe(stopped: boolean): Words;
  /** Where rounds can have control groups of their own, or why they cannot. */
  prepared: PreparedLeaves;
}

/**
 * Boots and runs the loop; resolves with the exit code. In this order: signals, lock, what the serve before left behind, the dead
 * supervisor's round, start-up checks, the loop.
 */
export async function serve(request: ServeRequest): Promise<number> {
  const { log, start, notifier, isShuttingDown } = request;
  const paths = layout(start.inUse.loaded.config.runtime.log_dir);
  // Listened to from the first moment on: nothing that is begun afterwards is cut short by a default.
  const signals = listenForSignals({
    onDrain(signal) {
      log.info({ signal }, 'draining: the round in flight may finish, then serve stops; a second signal ends it now');
      notifier.stopping();
    },
    onEnd: (signal) => log.warn({ signal }, 'ending the round in flight now'),
    isShuttingDown,
  });
  try {
    return await asTheOnlyServe(paths, (keep) => serveAlone(request, paths, signals, keep));
  } finally {
    signals.dispose();
  }
}

async function serveAlone(request: ServeRequest, paths: Layout, signals: StopSignals, keepLock: () => Promise<void>): Promise<number> {
  const { clock, log, env, start, body, once, notifier, prepared } = request;
  let hide = secretsRedactor(start.inUse.loaded, env);
  const { emit: record } = openEvents(paths.logDir, clock, { redact: (text) => hide(text) });
  const programs = openUserPrograms({
    ...{ paths, clock, env, log, signals, record },
    loaded: start.inUse.loaded,
    hide: (text) => hide(text),
    describe: request.describe,
  });
  const { emit } = programs;
  sweepState(paths, (found) => {
    emit('state_file_set_aside', found);
    log.warn(found, 'a state file held nothing usable and was set aside');
  });
  let accounts: Accounts | null = null;
  let guardsChanged: () => void = () => {};
  const onReloaded = () => {
    guardsChanged();
    accounts?.forgiveRefusals();
    notifier.reloaded();
    programs.remark();
  };
  const config = keepConfig({ start, paths, clock, emit, log, onReloaded });
  programs.follow(config.current);
  const loaded = config.current();
  const { runtime } = loaded.config;
  const control = watchControl(paths);
  signals.onReload(() => {
    config.requestReload();
    control.speak();
  });
  try {
    const inheritance = await takeOver({ paths, clock, env, emit, log, prepared, current: config.current });
    const guards = () => writeGuards(paths, config.current(), prepared.facts);
    request.banner(guards());
    guardsChanged = guards;
    const repo = openRepo(runtime.work_dir, { logDir: paths.logDir, clock });
    for (const words of await wordsAtStart({ loaded, paths, repo, env, emit, leafMemory: prepared.facts.memory })) log.warn(words);
    programs.remark();
    const refused = await programs.startUp(loaded);

    const { deliberateRestart } = inheritance;
    const ledger = await keepLedger(paths, (found) => emit('state_file_set_aside', found));
    const before = await lookBefore(repo, paths, inheritance.interrupted);
    const tree = await treeState(repo);
    const disks = openDiskBook(emit, clock);
    const rounds: RoundWorld = {
      body,
      repo,
      paths,
      emit: logRoundStarts(emit, log),
      clock,
      env,
      orphans: inheritance.orphans,
      isOffline: watchWayOut(),
      leaves: prepared.leaves,
      disks,
      hooks: programs.hooks,
      hide: (text) => hide(text),
      ...before,
    };
    accounts = keepAccounts({ paths, clock, emit, random: Math.random, deliberateRestart });
    const starts = keepStarts(paths, clock, { deliberateRestart });
    const world: LoopWorld = {
      paths,
      clock,
      emit,
      log,
      signals,
      control,
      notifier,
      config,
      ledger,
      starts,
      schedule: tellSchedule(emit, starts),
      wait: keepWait(paths, clock, emit, { deliberateRestart }),
      accounts,
      async round(round) {
        hide = secretsRedactor(round.loaded, env);
        await keepLock();
        keepPidFile(paths.servePid);
        return runRound(rounds, { ...round, drain: signals.drain });
      },
      endSurvivors: inheritance.endSurvivors,
      admission: openAdmission({ emit, clock, disks, env, paths }),
      once,
      ignoreSchedule: request.ignoreSchedule,
      maxRounds: request.maxRounds,
    };
    const end =
      refused ??
      brokenAtStart(paths, await runBattery(loaded, tree, env), log) ??
      (await guardPreexisting({ loaded, repo, tree, emit, clock, log, preexisting: before.preexisting })) ??
      (await runLoop(world, readStreaks(paths)));
    return await finish(request, world, programs, end);
  } catch (error) {
    await programs.closeAfter(error);
    throw error;
  } finally {
    control.close();
  }
}

/** The last words, to everybody who listens; with `--park` serve stays up after an end on purpose. */
async function finish({ park: isParking }: ServeRequest, world: LoopWorld, programs: UserPrograms, end: LoopEnd): Promise<number> {
  const { clock, config, emit, log, notifier, paths, signals } = world;
  const { reason, exitCode, roundsCompleted } = end;
  const park = mustPark(isParking, exitCode) ? { command: restartCommand(config.current().path) } : null;
  if (park === null) notifier.stopping();
  tellEnd(end, paths, clock.now(), log, park);
  emit('serve_stopped', { reason, exit_code: exitCode, rounds_completed: roundsCompleted });
  await programs.close(end);
  if (park === null) return exitCode;
  emit('serve_parked', { reason, exit_code: exitCode, command: park.command });
  return await parked({ clock, log, signals, state: park });
}
