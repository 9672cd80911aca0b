import { writeAtomic } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { lookAtJson } from '../state/look.ts';
import { type SetAside, setAside } from '../state/set-aside.ts';
import { RunnerError } from '../util/errors.ts';
import { catchUp } from './catch-up.ts';
import { asLedger, emptyLedger, type Ledger } from './ledger.ts';

/** After a lost ledger whole files are read: so much between two breaths, or the watchdog of the service would bark. */
const BETWEEN_BREATHS_BYTES = 16 * 1024 * 1024;

/** The ledger of a running serve. */
export interface LedgerKeeper {
  /** With all that was written until now. What is new is kept on disk, so that no start reads it again. */
  look(): Ledger;
}

/**
 * Opens the ledger of a log_dir: `state/ledger.json`, and what the events files hold beyond it. One that is lost or torn is folded anew
 * from all of them. Not synced to the disk: after a power cut an older one, or none, is as good.
 */
export async function keepLedger(paths: Layout, report: (found: SetAside) => void, breathe = nextTurn): Promise<LedgerKeeper> {
  const ledger = taken(paths.ledger, report) ?? emptyLedger();
  while (catchUp(paths.logDir, ledger, BETWEEN_BREATHS_BYTES)) await breathe();
  let kept = '';
  const keep = () => {
    const reached = JSON.stringify(ledger.places);
    if (reached === kept) return;
    kept = reached;
    write(paths.ledger, ledger);
  };
  keep();
  return {
    look() {
      catchUp(paths.logDir, ledger);
      keep();
      return ledger;
    },
  };
}

function taken(path: string, report: (found: SetAside) => void): Ledger | null {
  const seen = lookAtJson(path);
  const ledger = seen.kind === 'ok' ? asLedger(seen.value) : null;
  if (ledger === null && (seen.kind === 'ok' || seen.kind === 'corrupt')) {
    report({ path, set_aside: setAside(path), reason: seen.kind === 'ok' ? 'does not hold what it should' : seen.reason });
  }
  return ledger;
}

/** On a full disk it is kept in memory: the events files, as far as they could be written, say the same. */
function write(path: string, ledger: Ledger): void {
  try {
    writeAtomic(path, `${JSON.stringify(ledger)}\n`, { durable: false });
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
