import { limitStates } from '../budget/limits.ts';
import { currentLedger } from '../budget/read.ts';
import { hookName } from '../config/hook-name.ts';
import type { LoadedConfig } from '../config/load.ts';
import { accountOf, type Profile } from '../config/profile.ts';
import { hooksOf } from '../hooks/series.ts';
import { scheduleWords } from '../serve/schedule/standing.ts';
import { waitsInForce } from '../serve/waits-in-force.ts';
import { NO_ACCOUNTS, readAccounts } from '../state/accounts.ts';
import type { Layout } from '../state/layout.ts';
import { readPause, readWait } from '../state/serve-state.ts';

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
