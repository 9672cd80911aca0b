import { readdirSync } from 'node:fs';
import { errnoOf } from '../util/errors.ts';
import { asInFlight } from './in-flight.ts';
import { type Layout, LEGACY_ROUND_LOG_NAME, ROUND_LOG_NAME } from './layout.ts';
import { lookAtJson } from './look.ts';
import { asStatus, readState } from './serve-state.ts';

/** A name with a larger number is not ours (a round a second would take 31 years): the agent may write here too. */
const HIGHEST_ROUND = 999_999_999;

/**
 * The number of the next round: one more than any number that was ever used, as the status, the logs (this program's and the Python
 * predecessor's) and the record of an interrupted round tell. A crash before the status was written cannot make a number come twice.
 */
export function nextRoundNumber(paths: Pick<Layout, 'rounds' | 'logDir' | 'inFlight'>, statusRound: number): number {
  const seen = lookAtJson(paths.inFlight);
  const inFlight = seen.kind === 'ok' ? asInFlight(seen.value) : null;
  return nextAfter(statusRound, [...namesIn(paths.rounds), ...namesIn(paths.logDir)], inFlight?.round_num ?? 0);
}

/** The same for who only plans: a folder that cannot be listed is told by the round that then does not start. */
export function expectedRoundNumber(paths: Layout): number {
  const last = readState(paths.status, asStatus)?.round_num ?? 0;
  try {
    return nextRoundNumber(paths, last);
  } catch {
    return plausible(last) + 1;
  }
}

/** The decision alone: `names` are file names, foreign ones included. */
export function nextAfter(statusRound: number, names: readonly string[], inFlightRound = 0): number {
  let highest = Math.max(plausible(statusRound), plausible(inFlightRound));
  for (const name of names) {
    const digits = (ROUND_LOG_NAME.exec(name) ?? LEGACY_ROUND_LOG_NAME.exec(name))?.[1];
    if (digits !== undefined) highest = Math.max(highest, plausible(Number(digits)));
  }
  return highest + 1;
}

/** The number, or 0 for one that was never ours. */
export function plausible(round: number): number {
  return Number.isInteger(round) && round > 0 && round <= HIGHEST_ROUND ? round : 0;
}

/** A folder that is not there yet has no logs; one that cannot be listed must not make old numbers look free. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
