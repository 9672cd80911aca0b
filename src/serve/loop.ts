import { profileFor } from '../config/profile.ts';
import { CONSEQUENCES } from '../round/consequences.ts';
import { longestRoundS } from '../round/stop-terms.ts';
import { survivorNames } from '../round/survivors.ts';
import type { RoundResult } from '../round/types.ts';
import { removeFile } from '../state/remove.ts';
import { expectedRoundNumber } from '../state/round-number.ts';
import { readPause, type StreakState } from '../state/serve-state.ts';
import { withEither } from '../util/abort.ts';
import { WALL_CLOCK_CHECK_MS } from '../util/clock.ts';
import { budgetEnd, limitsNow, tellUsedUp } from './budget.ts';
import { clean } from './end.ts';
import { askGates } from './gates/list.ts';
import { askPerson } from './person.ts';
import { settle } from './settle.ts';
import { agentDone, maxRounds, stopFile } from './stop-conditions.ts';
import { nextTurn, type TakenTurn } from './turn/next-turn.ts';
import { tellTurn } from './turn/tell.ts';
import { secondsSince } from './wait.ts';
import type { LoopEnd, LoopState, LoopWorld } from './world.ts';

/** Beyond what a step may take by its own bounds: a slow disk, a machine under load, the end of survivors. */
const STEP_SLACK_MS = 120_000;
/** A gate that stays closed behind its own end must not make the loop spin. */
const NO_SPIN_MS = 1_000;
/** Survivors are tried again so often before a person is asked. */
const SURVIVOR_TRIES = 3;

/** Round after round, until something says stop: stop conditions, gates, the round, its consequences, and again. */
export async function runLoop(world: LoopWorld, streaks: StreakState): Promise<LoopEnd> {
  const state: LoopState = { streaks, roundsCompleted: 0, survivors: [], survivorTries: 0, lastResult: null };
  world.notifier.ready();
  for (;;) {
    const turn = await untilReady(world, state);
    const end = 'exitCode' in turn ? turn : await oneRound(world, state, turn);
    if (end === null) continue;
    world.wait.end('stopped');
    return end;
  }
}

async function oneRound(world: LoopWorld, state: LoopState, turn: TakenTurn): Promise<LoopEnd | null> {
  const { config, notifier, signals, wait, round, once } = world;
  const told = () => wait.hold({ reason: 'draining', until: null, source: signals.asked() ?? 'signal', sentence: 'the round may finish' });
  notifier.step(longestRoundS(config.current().config) * 1000 + STEP_SLACK_MS);
  signals.drain.addEventListener('abort', told);
  tellTurn(world, turn);
  const { phase, fallback } = turn;
  const result = await round({ loaded: config.current(), fallback, stop: signals.end, ...(phase === null ? {} : { phase }) });
  signals.drain.removeEventListener('abort', told);
  config.afterRound(result.roundNum);
  if (isStillDue(result)) world.starts.giveBack();
  return settle(world, state, result) ?? (once ? clean(state, 'once', 'one round was asked for') : null);
}

/** The agent could not do what it was started for: a start by the clock comes again when the wait is over, not at the next night. */
function isStillDue({ outcome, turn }: RoundResult): boolean {
  const { delay, exit } = CONSEQUENCES[outcome];
  const neverRan = outcome === 'stopped' && turn === null;
  return delay === 'wait' || exit === 'environment' || neverRan;
}

/** Waits until a round may start and somebody can run it; resolves with the end of the loop when one was asked for first. */
async function untilReady(world: LoopWorld, state: LoopState): Promise<LoopEnd | TakenTurn> {
  const { accounts, clock, control, emit, paths, signals, wait } = world;
  let isWoken = false;
  for (;;) {
    // What is said while we look is heard: at the end of this look, not at the next one.
    const word = control.nextWord();
    world.config.adoptIfAsked();
    const stop = stopWanted(world, state) ?? budgetEnd(world, state);
    if (stop !== null) return stop;
    accounts.endLapsed();
    const wake = control.takeWake();
    // Told before it is saved: read again at a start, the event would end the waits of all accounts, also those that no answer was for.
    if (wake) wait.end('woken');
    if (wake) accounts.wake();
    accounts.hear(() => wait.end('woken'));
    isWoken ||= wake;
    const pause = readPause(paths);
    const now = clock.now();
    const loaded = world.config.current();
    const turn = nextTurn(world, now, { isWoken });
    const host = await world.admission.look(loaded);
    const limits = limitsNow(world);
    const verdict = askGates({
      now,
      pause,
      survivors: state.survivors,
      ...host,
      limits,
      turn: turn.kind === 'closed' ? turn.obstacle : null,
      wait: wait.current(),
    });
    world.admission.answered(verdict, host);
    if (pause?.until != null && Date.parse(pause.until) <= now && removeFile(paths.pause)) {
      emit('pause_ended', { paused_for_s: secondsSince(pause.since, now) });
    }
    if (verdict.open && turn.kind === 'run') {
      world.config.beforeRound();
      // Adopted at the last moment: the turn is another configuration's.
      if (world.config.current() !== loaded) continue;
      wait.end('over');
      beginTurn(world, turn, now);
      return turn;
    }
    if (verdict.open) continue;
    isWoken = false;
    const { open: _, ...obstacle } = verdict;
    const { reason, until, sentence } = obstacle;
    world.schedule.look(obstacle, loaded.config, now);
    if (wait.hold(obstacle)) {
      world.log.info({ reason, until }, sentence);
      if (reason === 'budget')
        tellUsedUp(
          world,
          limits.filter(({ when_used_up, used_up }) => when_used_up === 'wait' && used_up),
        );
    }
    if (state.survivors.length > 0) await retrySurvivors(world, state);
    if (reason === 'survivors' && state.survivors.length === 0) continue;
    world.notifier.step(WALL_CLOCK_CHECK_MS + STEP_SLACK_MS);
    const left = until === null ? WALL_CLOCK_CHECK_MS : until - now;
    const pauseMs = Math.min(left > 0 ? left : NO_SPIN_MS, WALL_CLOCK_CHECK_MS);
    await withEither([signals.drain, word], (said) => clock.sleep(pauseMs, said));
  }
}

/** What is to be told and noted of a turn that somebody takes. */
function beginTurn({ config, emit, paths, schedule, starts }: LoopWorld, { phase, skipped }: TakenTurn, now: number): void {
  const { config: inForce } = config.current();
  const closed = skipped.filter(({ by }) => by.reason === 'schedule');
  if (closed[0] !== undefined) {
    emit('schedule_phase_skipped', {
      round_num: expectedRoundNumber(paths),
      skipped: closed.map(({ phase }) => phase),
      chosen: phase,
      active_window: closed[0].by.window?.active_window ?? '',
    });
  }
  schedule.roundStarts(inForce, now);
  starts.started(profileFor(inForce, phase).schedule);
}

function stopWanted({ signals, paths, emit, config, maxRounds: most }: LoopWorld, state: LoopState): LoopEnd | null {
  if (signals.drain.aborted) return clean(state, 'signal', `on request (${signals.asked() ?? 'a signal'})`);
  const { config: inForce } = config.current();
  const stop =
    agentDone(paths, emit) ??
    stopFile(inForce, emit, state.roundsCompleted) ??
    maxRounds(most ?? inForce.runtime.max_rounds, emit, state.roundsCompleted);
  return stop === null ? null : clean(state, stop.reason, stop.sentence);
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
