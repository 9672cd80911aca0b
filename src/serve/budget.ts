import { MOST_MUTE_ROUNDS } from '../budget/fold.ts';
import { type LimitState, limitStates } from '../budget/limits.ts';
import { countedLimits } from '../round/counted-agents.ts';
import { isoTime } from '../util/clock.ts';
import { exitCode } from '../util/exit-codes.ts';
import { end } from './end.ts';
import { askPerson, noLongerNeeded, whoRan } from './person.ts';
import type { LoopEnd, LoopState, LoopWorld } from './world.ts';

/** How the limits in force stand now, with everything that the events files hold. */
export function limitsNow({ config, ledger, clock }: LoopWorld): LimitState[] {
  const { limits, schedule } = config.current().config;
  return limitStates(limits, ledger.look(), clock.now(), schedule.timezone);
}

/** Tells of limits that are used up, one event each. */
export function tellUsedUp({ emit }: LoopWorld, limits: readonly LimitState[]): void {
  for (const { limit, spent, allowed, unit, until, unknown_rounds, sentence } of limits) {
    emit('budget_exhausted', {
      limit: `limits.${limit}`,
      spent,
      allowed,
      unit,
      until: until === null ? null : isoTime(until),
      unknown_rounds,
      message: sentence,
    });
  }
}

/** The end of serve when a limit is used up that no clock opens: also at its start, until a person has answered or raised the limit. */
export function budgetEnd(world: LoopWorld, state: LoopState): LoopEnd | null {
  const { paths, emit, clock } = world;
  const mute = muteEnd(world, state);
  if (mute !== null) return mute;
  const used = limitsNow(world).filter(({ when_used_up, used_up }) => when_used_up === 'stop' && used_up);
  if (used.length === 0) {
    noLongerNeeded(paths, ['budget', 'uncounted']);
    return null;
  }
  tellUsedUp(world, used);
  const sentence = used.map((limit) => limit.sentence).join(', ');
  const keys = used.map(({ limit }) => `limits.${limit}`).join(' and ');
  askPerson(paths, emit, clock.now(), { reason: 'budget', message: sentence, command: 'agent-runner ack budget' });
  const remedy = `\`agent-runner ack budget\` starts the count anew, or raise ${keys}; then start serve again`;
  return end(state, 'budget', exitCode('breaker'), sentence, remedy);
}

/** A limit that counts nothing does not hold: to find that out in the morning is too late. */
function muteEnd({ config, ledger, paths, emit, clock }: LoopWorld, state: LoopState): LoopEnd | null {
  const { cost, tokens } = countedLimits(config.current());
  const limits = [...cost, ...tokens];
  const { mute } = ledger.look();
  if (limits.length === 0 || mute < MOST_MUTE_ROUNDS) return null;
  const who = state.lastResult === null ? 'the agent' : whoRan(state.lastResult);
  const sentence = `${limits.join(' and ')} cannot be kept: ${mute} rounds in a row ended well and ${who} told no usage`;
  askPerson(paths, emit, clock.now(), { reason: 'uncounted', message: sentence, command: 'agent-runner ack uncounted' });
  const remedy = 'have the CLI print its records (docs/agents.md; its preset does), or remove the limit; then start serve again';
  return end(state, 'uncounted', exitCode('config'), sentence, remedy);
}
