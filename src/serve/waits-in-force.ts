import { onTheWall } from '../schedule/words.ts';
import type { AccountsState } from '../state/accounts.ts';
import type { PauseState, WaitState } from '../state/serve-state.ts';
import { zoneOf } from '../util/zone.ts';
import { refusalObstacle, throttleObstacle } from './accounts/sentences.ts';
import { notPaused } from './gates/paused.ts';

interface Waiting {
  pause: PauseState | null;
  wait: WaitState | null;
  accounts: AccountsState;
}

/** What holds rounds back now: a person, an account of this round's agents, or what serve says that it waits for. Pure. */
export function waitsInForce({ pause, wait, accounts }: Waiting, own: readonly string[], now: number): string[] {
  const paused = notPaused({ pause, now, survivors: [], limits: [], turn: null, wait: null });
  const throttles = accounts.throttles.flatMap((one) => (one.until === null ? [] : [throttleObstacle(one, Date.parse(one.until))]));
  const ofAccounts = [...throttles, ...accounts.refusals.map(refusalObstacle)].filter(({ source }) => own.includes(source));
  const other =
    wait === null || TOLD_ELSEWHERE.includes(wait.reason) ? [] : [{ ...wait, until: wait.until === null ? null : Date.parse(wait.until) }];
  return [...(paused.open ? [] : [paused]), ...ofAccounts, ...other]
    .filter(({ until }) => until === null || until > now)
    .map(({ sentence, until }) => (until === null ? sentence : `${sentence} (until ${onTheWall(until, now, zoneOf(null))})`));
}

/** From their own sources, which know them also while serve is down. */
const TOLD_ELSEWHERE: readonly string[] = ['paused', 'schedule', 'budget', 'throttled', 'network', 'refused'];
