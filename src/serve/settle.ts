import { isDeepStrictEqual } from 'node:util';
import { accountOf, profileFor } from '../config/profile.ts';
import type { Agent } from '../config/schema.ts';
import { CONSEQUENCES } from '../round/consequences.ts';
import { isNetworkFailure } from '../round/network.ts';
import type { RoundResult } from '../round/types.ts';
import { tryWriteJson } from '../state/atomic.ts';
import { STREAK_LIMITS } from '../state/serve-state.ts';
import { humanDuration } from '../util/duration.ts';
import { exitCode } from '../util/exit-codes.ts';
import { localTime } from '../util/local-time.ts';
import type { Stop } from './breakers/breaker.ts';
import { firstStop } from './breakers/list.ts';
import { budgetEnd } from './budget.ts';
import { delayAfter } from './delay.ts';
import { clean, end } from './end.ts';
import type { Obstacle } from './gates/gate.ts';
import { memLoopsBefore } from './mem-loops.ts';
import { answeredBy, askPerson, needAfter, noLongerNeeded } from './person.ts';
import { progressOf } from './progress.ts';
import { nextStreaks } from './streaks.ts';
import { accountsInReach, agentsInTurn } from './turn/stand-ins.ts';
import type { LoopEnd, LoopState, LoopWorld } from './world.ts';

/** Everything that a finished round means for the loop: it is counted and told, people are asked, and then serve stops or waits. */
export function settle(world: LoopWorld, state: LoopState, result: RoundResult): LoopEnd | null {
  // The old configuration worked: a new one that cannot is no reason to end the night.
  if (result.outcome === 'config_broken' && world.config.takeBack(result.problems.join('; '))) {
    world.starts.giveBack();
    return null;
  }
  const { agent } = profileFor(world.config.current().config, result.phase, result.fallback);
  world.accounts.afterRound(result, agent.env_file);
  count(world, state, result);
  tellOfRound(world.log, result);
  const stillAsked = world.accounts.stillAsked();
  noLongerNeeded(
    world.paths,
    answeredBy(result).filter((reason) => !stillAsked.includes(reason)),
  );
  const need = needAfter(result, state.streaks);
  if (need !== null) askPerson(world.paths, world.emit, world.clock.now(), need);

  const stop = firstStop(state.streaks, result, { memLoops: () => memLoopsBefore(world.paths.logDir, world.clock.now()) });
  if (stop !== null) return stopFor(world, state, result, stop);
  if (result.outcome === 'stopped') return clean(state, 'signal', 'the round in flight was ended on request');
  // A stop that a person has asked for wins over one that needs a person.
  return (world.signals.drain.aborted ? null : budgetEnd(world, state)) ?? beginDelay(world, state, result);
}

function count({ accounts, config, ledger, paths, log, emit }: LoopWorld, state: LoopState, result: RoundResult): void {
  const { config: inForce } = config.current();
  const spendsNothing = isNetworkFailure(result);
  const progress = progressOf(result, {
    reporter: ledger.look().reporters.includes(result.identity),
    paced: inForce.schedule.cron.length > 0,
    heldBack: agentsInTurn(inForce).some((agent) => !isFree(accounts, agent)),
  });
  const streaks = nextStreaks(state.streaks, result.outcome, result.moved, { progress, spendsNothing });
  if (result.outcome === 'auth_error') {
    // By account, and only where nobody is left whose credentials hold: else that one goes on, and a person has time.
    const others = accountsInReach(inForce, result.phase).filter((account) => accounts.refusals(account) === 0);
    streaks.auth = others.length > 0 ? 0 : accounts.refusals(result.account);
  }
  const unwritten = isDeepStrictEqual(streaks, state.streaks) ? null : tryWriteJson(paths.streaks, streaks);
  if (unwritten !== null) log.warn(`the streaks are kept in memory alone: ${unwritten}`);
  if (result.roundNum !== null && !spendsNothing) state.roundsCompleted += 1;
  Object.assign(state, { streaks, lastResult: result, survivors: result.survivors, survivorTries: 0 });
  if (streaks.unmoved === STREAK_LIMITS.unmoved && result.roundNum !== null) {
    emit('progress_stalled', { round_num: result.roundNum, consecutive: streaks.unmoved, git_head: result.head });
  }
}

function stopFor({ emit, paths }: LoopWorld, state: LoopState, { tail, problems }: RoundResult, stop: Stop): LoopEnd {
  const exit = exitCode(stop.exit);
  // The serve that is started again must have five rounds of its own before it stops.
  if (stop.event === 'mem_loop') tryWriteJson(paths.streaks, { ...state.streaks, memory: 0 });
  if (stop.event === 'needs_human') emit('needs_human', { reason: stop.reason, message: stop.sentence, command: 'agent-runner serve' });
  else if (stop.event === 'config_broken') emit('config_broken', { reason: stop.sentence });
  else emit(stop.event, { consecutive: stop.consecutive, exit_code: exit, reason: tail || problems.join('; ') || stop.sentence });
  return end(state, stop.reason, exit, stop.sentence, stop.remedy);
}

function beginDelay(world: LoopWorld, state: LoopState, result: RoundResult): LoopEnd | null {
  const { clock, config, emit, log, wait } = world;
  const { config: inForce } = config.current();
  const { restart_delay_s: restartDelayS, transient_error_action: action } = inForce.runtime;
  const limit = CONSEQUENCES[result.outcome].delay === 'wait' ? nobodyFree(world, result) : null;
  if (limit !== null && limit.reason !== 'network' && action === 'stop') {
    emit('agent_self_terminated', { reason: 'rate_limit' });
    return clean(
      state,
      'throttled',
      `transient_error_action = "stop": ${limit.sentence}${limit.until === null ? '' : ` (until ${localTime(limit.until)})`}`,
    );
  }
  const { reason, ms, sentence } = delayAfter({ outcome: result.outcome, streaks: state.streaks, restartDelayS });
  wait.begin({ reason, until: clock.now() + ms, source: 'delay after a round', sentence });
  // The ordinary pause is no news.
  if (reason !== 'restart_delay') log.info({ reason }, `the next round waits ${humanDuration(ms)}: ${sentence}`);
  return null;
}

/** The limit that the round met, when none of the phase's agents is free of one. */
function nobodyFree({ accounts, config }: LoopWorld, { phase, account }: RoundResult): Obstacle | null {
  const { agent } = profileFor(config.current().config, phase);
  const anybody = [agent, ...agent.fallback].some((one) => isFree(accounts, one));
  return anybody ? null : accounts.obstacles(account, null).throttle;
}

function isFree(accounts: LoopWorld['accounts'], agent: Agent): boolean {
  const { throttle, refusal } = accounts.obstacles(accountOf(agent), agent.env_file);
  return throttle === null && refusal === null;
}

function tellOfRound(log: LoopWorld['log'], { roundNum, outcome, durationMs, problems, logPath, phase }: RoundResult): void {
  const bad = problems.length > 0 || outcome === 'crash' || outcome === 'no_output';
  const words = `round ${roundNum ?? '(refused)'} ended as ${outcome} after ${humanDuration(durationMs)}${problems.length > 0 ? `: ${problems.join('; ')}` : ''}`;
  log[bad ? 'warn' : 'info']({ round_num: roundNum, outcome, phase, log_path: logPath }, words);
}
