import type { Layout } from '../state/layout.ts';
import { lookAtJson } from '../state/look.ts';
import { catchUp } from './catch-up.ts';
import { asLedger, emptyLedger, type Ledger } from './ledger.ts';

/** The ledger as serve left it; null when there is none that can be used. For onlookers: a few kilobytes, whatever the log's size. */
export function storedLedger({ ledger }: Pick<Layout, 'ledger'>): Ledger | null {
  const seen = lookAtJson(ledger);
  return seen.kind === 'ok' ? asLedger(seen.value) : null;
}

/** The ledger with all that the events files hold by now, for who must know it exactly. Writes nothing. */
export function currentLedger(paths: Pick<Layout, 'ledger' | 'logDir'>): Ledger {
  const ledger = storedLedger(paths) ?? emptyLedger();
  catchUp(paths.logDir, ledger);
  return ledger;
}
