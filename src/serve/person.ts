import type { Emit } from '../events/emit.ts';
import { CONSEQUENCES } from '../round/consequences.ts';
import type { RoundResult } from '../round/types.ts';
import { tryWriteJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { type HumanNeed, readNeedsHuman, STREAK_LIMITS, type StreakState } from '../state/serve-state.ts';
import { isoTime } from '../util/clock.ts';

export interface Need extends Pick<HumanNeed, 'reason' | 'message' | 'command'> {
  /** Whose affair it is, in words of the message: another one's is news although the reason is open. */
  who?: string;
}

/**
 * Asks for a person, once per reason (and per `who`) until it is answered; on a full disk again after each round, because nothing
 * remembers.
 */
export function askPerson(paths: Layout, emit: Emit, now: number, { who, ...need }: Need): void {
  const { entries } = readNeedsHuman(paths);
  const open = entries.find(({ reason }) => reason === need.reason);
  if (open !== undefined && (who === undefined || open.message.includes(who))) return;
  const entry = open === undefined ? { ...need, since: isoTime(now) } : { ...open, message: `${open.message}; ${need.message}` };
  tryWriteJson(paths.needsHuman, { entries: [...entries.filter((other) => other !== open), entry] });
  emit('needs_human', { reason: need.reason, message: need.message, command: need.command });
}

/** Takes back what has resolved itself. */
export function noLongerNeeded(paths: Layout, reasons: readonly string[]): void {
  const { entries } = readNeedsHuman(paths);
  const left = entries.filter(({ reason }) => !reasons.includes(reason));
  if (left.length < entries.length) tryWriteJson(paths.needsHuman, { entries: left });
}

/** What a person must be asked after this round, by the outcome's row; null when nothing. Pure. */
export function needAfter(result: RoundResult, streaks: StreakState): Need | null {
  const { outcome, turn } = result;
  const who = whoRan(result);
  switch (CONSEQUENCES[outcome].person) {
    case 'never':
      return null;
    case 'always':
      return outcome === 'auth_error'
        ? {
            reason: 'auth',
            message: `${who} was refused by its provider: ${turn?.error?.raw ?? 'login failed'}`,
            command: 'agent-runner ack auth',
            who: `${who} was`,
          }
        : { reason: outcome, message: result.problems.join('; '), command: 'agent-runner serve' };
    case 'billing':
      return turn?.error?.classification === 'billing'
        ? {
            reason: 'billing',
            message: `${who} has no credit left: ${turn.error.raw}`,
            command: 'agent-runner ack billing',
            who: `${who} has`,
          }
        : null;
    case 'after_10':
      return streaks.environment >= STREAK_LIMITS.environment
        ? {
            reason: 'environment',
            message: `${streaks.environment} rounds in a row could not run: ${result.problems.join('; ') || outcome}`,
            command: 'agent-runner ack environment',
          }
        : null;
  }
}

/** The agent, and whose account it used where that has a name of its own. */
export function whoRan({ identity, account }: Pick<RoundResult, 'identity' | 'account'>): string {
  return account === identity ? identity : `${identity} (account ${account})`;
}

/** Reasons that a round of this outcome proves wrong. */
export function answeredBy(result: RoundResult): string[] {
  const { crash, environment } = CONSEQUENCES[result.outcome];
  const ran = environment === 'reset' ? ['environment', 'survivors', 'config_broken'] : [];
  return crash === 'reset' && CONSEQUENCES[result.outcome].auth === 'reset'
    ? [...ran, 'auth', 'billing', 'crash_loop', 'stalled_no_progress']
    : ran;
}
