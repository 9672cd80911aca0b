import type { StoredEvent } from '../../events/stored.ts';
import type { AccountsState, Throttle } from '../../state/accounts.ts';
import { epochOf } from '../../util/epoch.ts';
import { isEstimated, throttleAfter } from './throttle.ts';

/**
 * The accounts as the events (oldest first) leave them: this program's, and those of the Python predecessor, who names the agent alone.
 * By account the newest word counts, so that a recovery of one never hides another's limit, and rounds of healthy ones never do.
 * Times are those of the events: an end may have passed since.
 */
export function foldAccounts(state: AccountsState, events: readonly StoredEvent[]): AccountsState {
  const throttles = new Map(state.throttles.map((throttle) => [throttle.account, throttle]));
  for (const event of events) {
    if (event.event === 'wait_ended' && event.ended_by === 'woken') {
      if (isLimitWait(event.reason)) for (const [account, throttle] of throttles) throttles.set(account, { ...throttle, until: null });
      continue;
    }
    const account = accountOf(event);
    if (account === null) continue;
    const before = throttles.get(account) ?? null;
    if (event.event === 'transient_error_detected') {
      // Anew, at the end: where the newest are.
      throttles.delete(account);
      throttles.set(account, detected(before, account, event));
    }
    if (event.event === 'transient_error_recovered' && before !== null) throttles.set(account, { ...before, until: null });
    else if (event.event === 'agent_usage_recorded' && event.success === true) throttles.delete(account);
  }
  return { ...state, throttles: [...throttles.values()] };
}

function detected(before: Throttle | null, account: string, event: StoredEvent): Throttle {
  const at = Date.parse(event.ts);
  const classification = typeof event.classification === 'string' ? event.classification : '';
  // Of an estimated wait the number in the event is an estimate too, and not the provider's.
  const isStated = typeof event.stated === 'boolean' ? event.stated : !isEstimated(classification);
  const found = {
    account,
    agent: typeof event.agent === 'string' ? event.agent : account,
    classification,
    resetAtEpoch: isStated ? event.reset_at_epoch : null,
    roundNum: typeof event.round_num === 'number' ? event.round_num : 0,
    phase: typeof event.phase === 'string' ? event.phase : null,
  };
  return throttleAfter(before, found, at, 0).throttle;
}

/** A longer one would be no argument of a command line either, and some hundred of them more than a state file may hold. */
const LONGEST_NAME = 1024;

/** The account that an event speaks of; null when it speaks of none. */
export function accountOf({ ts, account, agent }: StoredEvent): string | null {
  if (epochOf(ts) === null) return null;
  const name = typeof account === 'string' && account !== '' ? account : agent;
  return typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME ? name : null;
}

/** What `wake` ends beside a delay. */
function isLimitWait(reason: unknown): boolean {
  return reason === 'throttled' || reason === 'network' || reason === 'refused';
}
