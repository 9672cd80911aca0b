import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { scanBack } from '../events/reader.ts';
import { ROUND_LOG_NAME } from '../state/layout.ts';

/** What the events beside a round's log tell of its round. */
export interface KnownRound {
  agent: string | null;
  account: string | null;
  phase: string | null;
  fallback: number;
  /** Undefined: not known; null: it was a signal. */
  exitCode: number | null | undefined;
  exitCause: string | null;
  outcome: string | null;
}

/** For `LOG_DIR/rounds/R<N>-<UTC>.log`, also by way of `round-current.log`; of any other file nothing is known. `log` exists. */
export function roundOfLog(log: string): KnownRound {
  const known: KnownRound = { agent: null, account: null, phase: null, fallback: 0, exitCode: undefined, exitCause: null, outcome: null };
  const path = realpathSync(log);
  const round = ROUND_LOG_NAME.exec(basename(path))?.[1];
  if (round === undefined || basename(dirname(path)) !== 'rounds') return known;
  scanBack(dirname(dirname(path)), (event) => {
    if (event.round_num !== Number(round)) return undefined;
    if (event.event === 'agent_exit') {
      const code = typeof event.exit_code === 'number' ? event.exit_code : -1;
      // Events carry a signal as a negative number.
      known.exitCode = code < 0 ? null : code;
      known.exitCause = typeof event.exit_cause === 'string' ? event.exit_cause : null;
      known.outcome = typeof event.outcome === 'string' ? event.outcome : null;
    }
    if (event.event !== 'round_start') return undefined;
    known.agent = typeof event.agent === 'string' ? event.agent : null;
    known.account = typeof event.account === 'string' ? event.account : null;
    known.phase = typeof event.phase === 'string' ? event.phase : null;
    known.fallback = typeof event.fallback === 'number' ? event.fallback : 0;
    return 'stop';
  });
  return known;
}

/** The log of the newest round; null when there is none. */
export function newestRoundLog(rounds: string): string | null {
  const logs = namesIn(rounds).flatMap((name) => {
    const round = ROUND_LOG_NAME.exec(name)?.[1];
    return round === undefined ? [] : [{ name, round: Number(round) }];
  });
  const newest = logs.sort((a, b) => a.round - b.round || (a.name < b.name ? -1 : 1)).at(-1);
  return newest === undefined ? null : join(rounds, newest.name);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
