import type { Located } from '../../config/locate.ts';
import { lastMetrics } from '../../events/metrics.ts';
import { tailEvents } from '../../events/reader.ts';
import { RunnerError } from '../../util/errors.ts';
import { gatherFacts } from './gather.ts';
import { type Snapshot, snapshot, type Wanted } from './snapshot.ts';

/** Some ten rounds: the round that runs, its receipt, the newest word of each agent. About 100 KB whatever the log's size. */
const NEWEST_EVENTS = 300;
/** For an older round: as far back as the reader goes (4 MiB). */
const EVENTS_FOR_ANY_ROUND = 20_000;

/** One look at a project, without writing anything. Throws AR-PEE-001 when the wanted round has left no log. */
export function peek(located: Located, configGiven: boolean, wanted: Wanted, now: number): Snapshot {
  const limit = Math.max(wanted.round === null ? NEWEST_EVENTS : EVENTS_FOR_ANY_ROUND, wanted.events);
  const events = located.logDir === null ? [] : tailEvents(located.logDir, { limit });
  const sample = located.logDir === null ? null : lastMetrics(located.logDir);
  const facts = gatherFacts(located, configGiven, events);
  const view = snapshot(located, facts, events, sample, wanted, now);
  if (wanted.round !== null && view.current_round === null) throw noSuchRound(wanted.round, located.logDir);
  return view;
}

function noSuchRound(round: number | 'latest', logDir: string | null): RunnerError {
  const which = round === 'latest' ? 'no round has left a log' : `round ${round} has left no log`;
  return new RunnerError({
    code: 'AR-PEE-001',
    message: `${which} in ${logDir === null ? 'this project' : `${logDir}/rounds`}`,
    remedy: "'agent-runner peek' says what there is",
  });
}
