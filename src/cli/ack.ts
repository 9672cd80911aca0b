import { limitsToAnswer } from '../budget/answer.ts';
import type { LimitState } from '../budget/limits.ts';
import { acknowledgeConfig, startConfig } from '../config/in-use.ts';
import { openEvents } from '../events/writer.ts';
import { reachOf, watchedArgvs } from '../hooks/commands.ts';
import { acknowledgePrograms } from '../hooks/programs.ts';
import { acknowledge } from '../service/ack.ts';
import { asInFlight } from '../state/in-flight.ts';
import type { Layout } from '../state/layout.ts';
import { readNeedsHuman, readState } from '../state/serve-state.ts';
import { systemClock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { note, print, printJson } from './output.ts';
import { findProjectToSteer } from './project.ts';
import type { GlobalOptions } from './verbs.ts';

interface AckOptions extends GlobalOptions {
  reason: string | null;
}

const LOGINS = new Set(['auth', 'billing']);

export async function runAck(options: AckOptions): Promise<number> {
  const { paths, located } = findProjectToSteer('ack', options);
  if (options.reason === null) {
    const { entries } = readNeedsHuman(paths);
    if (options.json) printJson({ open: entries });
    else
      print(
        entries.length === 0
          ? "nothing waits for ack now; 'agent-runner peek' says what is going on and who is needed"
          : entries.map(({ reason, message }) => `${reason}: ${message}`.replace(/\s+/g, ' ')).join('\n'),
      );
    return 0;
  }
  if (options.reason === 'hooks' || options.reason === 'all') acceptPrograms(options, paths);
  // With several accounts of one CLI the word alone does not tell whose login it was.
  const told = readNeedsHuman(paths).entries.filter(
    ({ reason }) => LOGINS.has(reason) && (options.reason === reason || options.reason === 'all'),
  );
  const events = openEvents(paths.logDir, systemClock);
  let anew: LimitState[] = [];
  const report = await acknowledge(paths, options.reason, events.emit, {
    config: () => acknowledgeConfig(paths, options.config) !== null,
    budget() {
      const limits = limitsToAnswer(paths, located.document, systemClock.now());
      if (typeof limits === 'string') return limits;
      anew = limits;
      return limits.map(({ limit }) => limit);
    },
  });
  if (anew.length > 0 && !events.flush()) throw notWritten(paths.logDir);
  note(`acknowledged: ${report.acknowledged.join(', ')}${report.told ? '' : '; serve is not running and reads it when it starts'}`);
  if (report.told && report.acknowledged.includes('config')) note(adoption(paths));
  for (const { reason, message } of told) note(`${reason} was: ${message}`);
  if (report.open.length > 0) note(`still open: ${report.open.join(', ')}`);
  for (const { limit, sentence } of anew) note(`counted anew from now on: limits.${limit}; forgotten: ${sentence}`);
  if (options.json) printJson(report);
  return 0;
}

/** Before the word itself: serve may look at once. */
function acceptPrograms({ config }: AckOptions, paths: Layout): void {
  if (!readNeedsHuman(paths).entries.some(({ reason }) => reason === 'hooks')) return;
  const { loaded } = startConfig(config).inUse;
  acknowledgePrograms(paths, watchedArgvs(loaded), reachOf(loaded, process.env));
}

/** A count is started anew by an event, so one that is not on the disk has answered nothing. */
function notWritten(logDir: string): RunnerError {
  return new RunnerError({
    code: 'AR-CLI-008',
    message: `the answer could not be written to the events in ${logDir}`,
    remedy: 'free space there, or give this user write permission, and answer again',
    exit: 'environment',
  });
}

function adoption(paths: Layout): string {
  const round = readState(paths.inFlight, asInFlight)?.round_num;
  return `the configuration file is adopted ${round === undefined ? 'now' : `when round ${round} has ended`}`;
}
