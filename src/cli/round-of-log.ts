import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { scanBack } from '../events/reader.ts';
import { ROUND_LOG_NAME } from '../state/layout.ts';

/** What the events beside a round's log tell of its round. */
export interface KnownRound {
  agent: string | null;
  /** Undefined: not known; null: it was a signal. */
  exitCode: number | null | undefined;
  exitCause: string | null;
  outcome: string | null;
}

/** For `LOG_DIR/rounds/R<N>-<UTC>.log`, also by way of `round-current.log`; of any other file nothing is known. `log` exists. */
export function roundOfLog(log: string): KnownRound {
  const known: KnownRound = { agent: null, exitCode: undefined, exitCause: null, outcome: null };
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
    return 'stop';
  });
  return known;
}
