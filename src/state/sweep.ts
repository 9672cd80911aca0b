import { asAccounts } from './accounts.ts';
import { asInFlight } from './in-flight.ts';
import type { Layout } from './layout.ts';
import { lookAtJson, lookAtText } from './look.ts';
import { isOwner } from './owner.ts';
import { asProcessStart } from './process-start.ts';
import { asNeedsHuman, asPause, asStopped, asStreaks, asWait } from './serve-state.ts';
import { type SetAside, setAside } from './set-aside.ts';

/**
 * Sets aside every state file that holds nothing usable: torn, foreign, a directory or a pipe in its place. Agents can write here too,
 * and a reader that took such a file for an absent one would forget a wait or a round without a word. Each one is told to `report`;
 * status.json is not among them, the round that reads it has an event of its own.
 */
export function sweepState(paths: Layout, report: (found: SetAside) => void): void {
  const isObject = (value: unknown) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null);
  const files: [path: string, as: (value: unknown) => unknown][] = [
    [paths.orphanState, isObject],
    [paths.inFlight, asInFlight],
    [paths.servePid, asProcessStart],
    [paths.streaks, asStreaks],
    [paths.wait, asWait],
    [paths.accounts, asAccounts],
    [paths.acked, isObject],
    [paths.starts, isObject],
    [paths.pause, asPause],
    [paths.needsHuman, asNeedsHuman],
    [paths.acceptedConfig, isObject],
    [paths.configAck, isObject],
    [paths.stopped, asStopped],
    [paths.preexisting, isObject],
    [paths.hookPrograms, isObject],
    [paths.hooksAck, isObject],
  ];
  for (const [path, as] of files) {
    const seen = lookAtJson(path);
    if (seen.kind === 'corrupt') report({ path, set_aside: setAside(path), reason: seen.reason });
    if (seen.kind === 'ok' && as(seen.value) === null) report({ path, set_aside: setAside(path), reason: 'does not hold what it should' });
  }
  const owner = lookAtText(paths.owner);
  if (owner.kind === 'corrupt' || (owner.kind === 'ok' && !isOwner(owner.value))) {
    report({ path: paths.owner, set_aside: setAside(paths.owner), reason: owner.kind === 'ok' ? 'no owner id' : owner.reason });
  }
}
