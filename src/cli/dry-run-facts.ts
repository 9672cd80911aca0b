import { limitStates } from '../budget/limits.ts';
import { currentLedger } from '../budget/read.ts';
import { hookName } from '../config/hook-name.ts';
import type { LoadedConfig } from '../config/load.ts';
import { accountOf, type Profile } from '../config/profile.ts';
import { hooksOf } from '../hooks/series.ts';
import { nextClosing } from '../schedule/opening.ts';
import { openWeek } from '../schedule/week.ts';
import { onTheWall } from '../schedule/words.ts';
import { refusalObstacle, throttleObstacle } from '../serve/accounts/sentences.ts';
import { notPaused } from '../serve/gates/paused.ts';
import { scheduleObstacle } from '../serve/schedule/obstacle.ts';
import { type AccountsState, NO_ACCOUNTS, readAccounts } from '../state/accounts.ts';
import type { Layout } from '../state/layout.ts';
import { type PauseState, readPause, readWait, type WaitState } from '../state/serve-state.ts';
import { zoneName, zoneOf } from '../util/zone.ts';

/** What `serve` would ask before this round, and whom it would tell: sentences for people. Reads state; writes none. */
export function serveFacts(
  loaded: LoadedConfig,
  { phase, schedule, agent }: Profile,
  fallbacks: Profile['agent'][],
  paths: Layout,
  now: number,
) {
  const { limits, notify, schedule: base } = loaded.config;
  const accounts = [agent, ...fallbacks].map(accountOf);
  const state = { pause: readPause(paths), wait: readWait(paths), accounts: readAccounts(paths) ?? NO_ACCOUNTS };
  return {
    limits: limitStates(limits, currentLedger(paths), now, base.timezone).map(({ sentence }) => sentence),
    schedule: scheduleWords(schedule, phase, now),
    waits: waitsInForce(state, accounts, now),
    serve_start_hooks: hooksOf(loaded, 'serve_start').map(({ name }) => name),
    notify: notify.command === null ? null : hookName(notify.command),
  };
}

/** `open until Mon 06:00 (Europe/Zurich)`, or why it is closed; null without a schedule. Pure. */
export function scheduleWords(schedule: Profile['schedule'], phase: string | null, now: number): string | null {
  const { run_windows: run, pause_windows: pause, cron, timezone } = schedule;
  if (run.length + pause.length + cron.length === 0) return null;
  const closed = scheduleObstacle(schedule, phase, now, now);
  if (closed !== null) return closed.sentence;
  const zone = zoneOf(timezone);
  const until = nextClosing(openWeek(schedule), zone, now);
  return `open${until === null ? '' : ` until ${onTheWall(until, now, zone)}`} (${zoneName(zone)})`;
}

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
