import { searchBack } from '../../events/search.ts';
import type { StoredEvent } from '../../events/stored.ts';
import type { AccountsState } from '../../state/accounts.ts';
import { accountOf, foldAccounts } from './fold.ts';

/** In every line about a throttle, and in that of a wait that somebody ended. */
const NEEDLES = ['transient_error_', 'ended_by":"woken"'];
/** The newest words of one account: more refusals in a row make no wait longer. */
const MOST_PER_ACCOUNT = 50;
const MOST_WOKEN = 50;

/**
 * What the event log adds to the state: all that was written since the state was saved (by a supervisor that was killed, by single
 * rounds), or the two newest months when there is no state. Older successes than the newest 4 MiB of events are not looked for: what
 * they ended is told by its recovery too.
 */
export function recallAccounts(logDir: string, state: AccountsState): AccountsState {
  const newestFirst: StoredEvent[] = [];
  const words = new Map<string, number>();
  let woken = 0;
  searchBack(
    logDir,
    NEEDLES,
    (event) => {
      const account = event.event === 'wait_ended' ? null : accountOf(event);
      if (account === null) {
        if (event.event === 'wait_ended' && ++woken <= MOST_WOKEN) newestFirst.push(event);
        return undefined;
      }
      const told = words.get(account) ?? 0;
      if (told >= MOST_PER_ACCOUNT) return undefined;
      newestFirst.push(event);
      // Behind a success everything older is over.
      const isSuccess = event.event === 'agent_usage_recorded' && event.success === true;
      words.set(account, isSuccess ? MOST_PER_ACCOUNT : told + 1);
      return undefined;
    },
    { since: state.seen, near: ['agent_usage_recorded'] },
  );
  return foldAccounts(state, newestFirst.reverse());
}
