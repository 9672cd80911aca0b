import { isDeepStrictEqual } from 'node:util';
import type { Emit } from '../events/emit.ts';
import { survivorNames } from '../round/survivors.ts';
import type { RoundRequest, RoundResult } from '../round/types.ts';
import { tryWriteJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { removeFile } from '../state/remove.ts';
import { readPause, STREAK_LIMITS, type StreakState } from '../state/serve-state.ts';
import { type Clock, WALL_CLOCK_CHECK_MS } from '../util/clock.ts';
import { humanDuration } from '../util/duration.ts';
import { exitCode } from '../util/exit-codes.ts';
import { firstStop } from './breakers/list.ts';
import type { Control } from './control.ts';
import { delayAfter } from './delay.ts';
import { askGates } from './gates/list.ts';
import type { ConfigKeeper } from './keep-config.ts';
import type { Logger } from './log.ts';
import { answeredBy, askPerson, needAfter, noLongerNeeded } from './person.ts';
import type { StopSignals } from './signals.ts';
import { agentDone, maxRounds, stopFile } from './stop-conditions.ts';
import { nextStreaks } from './streaks.ts';
import { secondsSince, type WaitKeeper } from './wait.ts';

export interface LoopWorld {
  paths: Layout;
  clock: Clock;
  emit: Emit;
  log: Logger;
  signals: StopSignals;
  control: Control;
  wait: WaitKeeper;
  /** The configuration that is in force; asked anew before each round, told of each end. */
  config: ConfigKeeper;
  round(request: RoundRequest): Promise<RoundResult>;
  /** Tries again to end processes that outlived their round; resolves with who is still there. */
  endSurvivors(): Promise<RoundResult['survivors']>;
  random(): number;
  once: boolean;
  maxRounds: number | null;
}

export interface LoopEnd {
  reason: string;
  exitCode: number;
  sentence: string;
  remedy: string | null;
  logPath: string | null;
  roundsCompleted: number;
}

interface LoopState {
  streaks: StreakState;
  roundsCompleted: number;
  survivors: RoundResult['survivors'];
  survivorTries: number;
  lastResult: RoundResult | null;
}

/** Survivors are tried again so often before a person is asked. */
const SURVIVOR_TRIES = 3;

/** Round after round, until something says stop: stop conditions, gates, the round, its consequences, and again. */
export async function runLoop(world: LoopWorld, streaks: StreakState): Promise<LoopEnd> {
  const state: LoopState = { streaks, roundsCompleted: 0, survivors: [], survivorTries: 0, lastResult: null };
  for (;;) {
    const end = (await untilReady(world, state)) ?? (await oneRound(world, state));
    if (end === null) continue;
    world.wait.end('stopped');
    return end;
  }
}

async function oneRound(world: LoopWorld, state: LoopState): Promise<LoopEnd | null> {
  const { config, signals, wait, round, once } = world;
  const told = () => wait.hold({ reason: 'draining', until: null, source: signals.asked() ?? 'signal', sentence: 'the round may finish' });
  config.beforeRound();
  signals.drain.addEventListener('abort', told);
  const result = await round({ loaded: config.current(), stop: signals.end });
  signals.drain.removeEventListener('abort', told);
  config.afterRound(result.roundNum);
  return settle(world, state, result) ?? (once ? clean(state, 'once', 'one round was asked for') : null);
}

/** Waits until a round may start; resolves with the end of the loop when one was asked for first. */
async function untilReady(world: LoopWorld, state: LoopState): Promise<LoopEnd | null> {
  const { clock, control, emit, paths, signals, wait } = world;
  for (;;) {
    const stop = stopWanted(world, state);
    if (stop !== null) return stop;
    if (control.takeWake()) wait.end('woken');
    const pause = readPause(paths);
    const now = clock.now();
    const verdict = askGates({ now, pause, survivors: state.survivors, wait: wait.current() });
    if (pause?.until != null && Date.parse(pause.until) <= now && removeFile(paths.pause)) {
      emit('pause_ended', { paused_for_s: secondsSince(pause.since, now) });
    }
    if (verdict.open) {
      wait.end('over');
      return null;
    }
    const { reason, until, source, sentence } = verdict;
    if (wait.current()?.reason !== reason) world.log.info({ reason, until }, sentence);
    wait.hold({ reason, until, source, sentence });
    if (state.survivors.length > 0) await retrySurvivors(world, state);
    if (reason === 'survivors' && state.survivors.length === 0) continue;
    const left = until === null ? WALL_CLOCK_CHECK_MS : until - now;
    await clock.sleep(Math.min(left, WALL_CLOCK_CHECK_MS), AbortSignal.any([signals.drain, control.nextWord()]));
  }
}

function stopWanted({ signals, paths, emit, config, maxRounds: most }: LoopWorld, state: LoopState): LoopEnd | null {
  if (signals.drain.aborted) return clean(state, 'signal', `stopped by ${signals.asked() ?? 'a signal'}`);
  const stop =
    agentDone(paths, emit) ??
    stopFile(config.current().config, emit, state.roundsCompleted) ??
    maxRounds(most, emit, state.roundsCompleted);
  return stop === null ? null : clean(state, stop.reason, stop.sentence);
}

/** Counts, asks people, stops or begins the delay: everything that a finished round means for the loop. */
function settle(world: LoopWorld, state: LoopState, result: RoundResult): LoopEnd | null {
  const { clock, emit, log, paths, config } = world;
  const now = clock.now();
  const streaks = nextStreaks(state.streaks, result.outcome, result.moved);
  const sameStreaks = isDeepStrictEqual(streaks, state.streaks);
  state.streaks = streaks;
  state.lastResult = result;
  state.survivors = result.survivors;
  state.survivorTries = 0;
  const unwritten = sameStreaks ? null : tryWriteJson(paths.streaks, streaks);
  if (unwritten !== null) log.warn(`the streaks are kept in memory alone: ${unwritten}`);
  if (result.roundNum !== null) state.roundsCompleted += 1;
  tellOfRound(log, result);
  if (state.streaks.unmoved === STREAK_LIMITS.unmoved && result.roundNum !== null) {
    emit('progress_stalled', { round_num: result.roundNum, consecutive: state.streaks.unmoved, git_head: result.head });
  }

  noLongerNeeded(paths, answeredBy(result));
  const need = needAfter(result, state.streaks);
  if (need !== null) askPerson(paths, emit, now, need);

  const stop = firstStop(state.streaks, result);
  if (stop !== null) {
    if (stop.event === 'needs_human') emit('needs_human', { reason: stop.reason, message: stop.sentence, command: 'agent-runner serve' });
    else if (stop.event === 'config_broken') emit('config_broken', { reason: stop.sentence });
    else
      emit(stop.event, {
        consecutive: stop.consecutive,
        exit_code: exitCode(stop.exit),
        reason: result.tail || result.problems.join('; ') || stop.sentence,
      });
    return end(state, stop.reason, exitCode(stop.exit), stop.sentence, stop.remedy);
  }
  if (result.outcome === 'stopped') return clean(state, 'signal', 'the round in flight was ended on request');

  const { runtime } = config.current().config;
  const action = runtime.transient_error_action;
  const delay = delayAfter({
    outcome: result.outcome,
    streaks: state.streaks,
    restartDelayS: runtime.restart_delay_s,
    error: result.turn?.error ?? null,
    now,
    random: world.random(),
  });
  if (delay.reason === 'throttled' && action === 'stop') {
    emit('agent_self_terminated', { reason: 'rate_limit' });
    return clean(state, 'throttled', `transient_error_action = "stop": ${delay.sentence}`);
  }
  const ms = delay.reason === 'throttled' && action === 'skip' ? runtime.restart_delay_s * 1000 : delay.ms;
  const source =
    delay.reason === 'throttled' ? `${result.identity} ${result.turn?.error?.classification ?? 'unknown'}` : 'delay after a round';
  world.wait.begin({ reason: delay.reason, until: now + ms, source, sentence: delay.sentence });
  return null;
}

function tellOfRound(log: Logger, { roundNum, outcome, durationMs, problems, logPath, phase }: RoundResult): void {
  const bad = problems.length > 0 || outcome === 'crash' || outcome === 'no_output';
  const words = `round ${roundNum ?? '(refused)'} ended as ${outcome} after ${humanDuration(durationMs)}${problems.length > 0 ? `: ${problems.join('; ')}` : ''}`;
  log[bad ? 'warn' : 'info']({ round_num: roundNum, outcome, phase, log_path: logPath }, words);
}

async function retrySurvivors(world: LoopWorld, state: LoopState): Promise<void> {
  state.survivors = await world.endSurvivors();
  state.survivorTries = state.survivors.length === 0 ? 0 : state.survivorTries + 1;
  if (state.survivorTries < SURVIVOR_TRIES) return;
  askPerson(world.paths, world.emit, world.clock.now(), {
    reason: 'survivors',
    message: `this is left of an earlier round and cannot be ended: ${survivorNames(state.survivors)}`,
    command: 'agent-runner wake',
  });
}

function clean(state: LoopState, reason: string, sentence: string): LoopEnd {
  return end(state, reason, exitCode('ok'), sentence, null);
}

function end(state: LoopState, reason: string, code: number, sentence: string, remedy: string | null): LoopEnd {
  return { reason, exitCode: code, sentence, remedy, logPath: state.lastResult?.logPath ?? null, roundsCompleted: state.roundsCompleted };
}
