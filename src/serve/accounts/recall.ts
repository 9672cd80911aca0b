import { type Cursor, endCursor } from '../../events/reader.ts';
import { searchBack } from '../../events/search.ts';
import type { StoredEvent } from '../../events/stored.ts';
import { type AccountsState, MOST_ACCOUNTS } from '../../state/accounts.ts';
import { monthlyName } from '../../state/layout.ts';
import { epochOf } from '../../util/epoch.ts';
import { accountOf, foldAccounts } from './fold.ts';

/** In every line about a throttle, and in that of a wait that somebody ended. */
const NEEDLES = ['transient_error_', 'ended_by":"woken"'];
/** The newest words of one account: more refusals in a row make no wait longer. */
const MOST_PER_ACCOUNT = 50;
const MOST_WOKEN = 50;
/** Half an hour apart at most, three months of one account are 4,300 words. What is far beyond that has not been written by serve. */
const MOST_WORDS = 50_000;
/** Of another day than tomorrow: written under a clock that was wrong. Such words, and such files, are older than they say. */
const FAR_AHEAD_MS = 24 * 3600 * 1000;

/**
 * What the event log adds to the state: all that was written since the state was saved (by a supervisor that was killed, by single
 * rounds), or the three newest months when there is no state. Older successes than the newest 4 MiB of events are not looked for: what
 * they ended is told by its recovery too. `now`: epoch ms.
 */
export function recallAccounts(logDir: string, state: AccountsState, now: number): AccountsState {
  const newest = newestFile(now);
  const seen = state.seen !== null && state.seen.file > newest ? null : state.seen;
  const newestFirst: StoredEvent[] = [];
  const words = new Map<string, number>();
  let woken = 0;
  let looked = 0;
  searchBack(
    logDir,
    NEEDLES,
    (event) => {
      if (++looked > MOST_WORDS) return 'stop';
      if ((epochOf(event.ts) ?? now) - now > FAR_AHEAD_MS) return undefined;
      const account = event.event === 'wait_ended' ? null : accountOf(event);
      if (account === null) {
        if (event.event === 'wait_ended' && ++woken <= MOST_WOKEN) newestFirst.push(event);
        return undefined;
      }
      const told = words.get(account) ?? 0;
      if (told >= MOST_PER_ACCOUNT || (told === 0 && words.size >= MOST_ACCOUNTS)) return undefined;
      newestFirst.push(event);
      // Behind a success everything older is over.
      const isSuccess = event.event === 'agent_usage_recorded' && event.success === true;
      words.set(account, isSuccess ? MOST_PER_ACCOUNT : told + 1);
      return undefined;
    },
    { since: seen, near: ['agent_usage_recorded'], newest },
  );
  return foldAccounts(state, newestFirst.reverse());
}

/** Where the next recall goes on: the end of the newest file that is not of the future. */
export function recalledUntil(logDir: string, now: number): Cursor | null {
  return endCursor(logDir, 'events', newestFile(now));
}

function newestFile(now: number): string {
  return monthlyName('events', now + FAR_AHEAD_MS);
}
