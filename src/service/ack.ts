import type { Emit } from '../events/emit.ts';
import { writeAcked } from '../state/acked.ts';
import { writeJson } from '../state/atomic.ts';
import type { Layout } from '../state/layout.ts';
import { type HumanNeed, readNeedsHuman } from '../state/serve-state.ts';
import { type Clock, isoTime, systemClock } from '../util/clock.ts';
import { RunnerError } from '../util/errors.ts';
import { findServe, sendSignal } from './running.ts';
import { prepareState } from './state-files.ts';

export interface AckReport {
  /** The reasons that were open and are answered now. */
  acknowledged: string[];
  /** What is still asked. */
  open: string[];
  /** serve was told at once; else it reads the answer when it starts. */
  told: boolean;
}

/** Answers that are more than a word to serve. */
export interface Answers {
  /** Adopts the configuration file as it is now; whether there was anything to adopt. */
  config(): boolean;
  /** The limits that are started anew, or why there is none. */
  budget(): string[] | string;
}

/** Answers what serve asked a person for; `config` and `budget` also unasked. Throws AR-CLI-009 for a reason that is not open. */
export async function acknowledge(
  paths: Layout,
  reason: string,
  emit: Emit,
  answers: Answers,
  clock: Pick<Clock, 'now'> = systemClock,
): Promise<AckReport> {
  const { entries } = readNeedsHuman(paths);
  const answered = answeredBy(reason, entries);
  const anew = reason === 'budget' || answered.some((entry) => entry.reason === 'budget') ? answers.budget() : null;
  const budget = typeof anew === 'string' ? null : anew;
  if (reason !== 'config' && answered.length === 0 && budget === null) throw notOpen(reason, entries, anew);
  prepareState(paths);

  // `all` is an answer to questions: a file that nobody was asked to read is not spoken for.
  const config = reason === 'config' || answered.some((entry) => entry.reason === 'config');
  const adopted = config && answers.config();
  if (config && !adopted && answered.length === 0) throw notOpen(reason, entries);
  const left = entries.filter((entry) => !answered.includes(entry));
  // The count is one of events: serve must find this one when the changed file tells it to look.
  if (budget !== null) emit('human_acknowledged', { reason: 'budget', limits: budget });
  const acknowledged = answered.map((entry) => entry.reason);
  // Before the question goes: serve hears of both, and must know then that it was a person who answered.
  if (answered.length > 0) writeAcked(paths, acknowledged, isoTime(clock.now()));
  if (answered.length > 0 || budget !== null) writeJson(paths.needsHuman, { entries: left });

  if (adopted && !acknowledged.includes('config')) acknowledged.push('config');
  for (const word of acknowledged) if (word !== 'budget' || budget === null) emit('human_acknowledged', { reason: word });
  if (budget !== null && !acknowledged.includes('budget')) acknowledged.push('budget');
  const serve = await findServe(paths);
  // The changed file tells serve too, but a host may have no inotify watch left.
  const told = serve !== null && (acknowledged.includes('config') ? sendSignal(serve, 'SIGHUP') : true);
  return { acknowledged, open: left.map((entry) => entry.reason), told };
}

function answeredBy(reason: string, entries: readonly HumanNeed[]): HumanNeed[] {
  return reason === 'all' ? [...entries] : entries.filter((entry) => entry.reason === reason);
}

/** `why`: what else there is to say, a sentence without its end. */
function notOpen(reason: string, entries: readonly HumanNeed[], why: string | string[] | null = null): RunnerError {
  const open = entries.map((entry) => entry.reason);
  const more = typeof why === 'string' ? `, and ${why}` : '';
  return new RunnerError({
    code: 'AR-CLI-009',
    message: `${reason === 'all' || open.length === 0 ? 'nothing waits for ack now' : `'${reason}' is not asked of a person now`}${more}`,
    remedy: open.length === 0 ? "'agent-runner peek' says what is going on" : `open are: ${open.join(', ')}`,
    exit: 'usage',
  });
}
