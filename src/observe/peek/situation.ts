import { outerCeilingMs } from '../../util/stop-budget.ts';
import { commandLine, editCommand, shellWord } from './commands.ts';
import type { Facts, Need } from './facts.ts';

/** `state` of `peek --json`: stable words, one per row here; new ones may be added. */
export const PEEK_STATES = {
  not_set_up: 'there is no configuration file',
  config_broken: 'the configuration cannot be read, and with it where the state is kept',
  unreadable: 'log_dir is there and cannot be read',
  never_started: 'nothing has run here yet',
  starting: 'serve is up and between two steps',
  round_running: 'a round is running',
  overdue: 'a round has outlived even its outer ceiling: serve may be stuck',
  draining: 'serve was told to stop and lets the running round finish',
  restart_delay: 'the ordinary pause between two rounds',
  backing_off: 'a longer pause after failed rounds',
  environment: 'the environment is not fit (disk, lock, git): serve tries again later',
  paused: 'a person paused it',
  schedule: 'outside the configured windows, or before the next start by the clock',
  throttled: 'the provider of the agent limits it',
  network: 'the connection to the provider fails; serve tries again by itself, minutes apart',
  refused: 'the provider refuses the credentials of the agent, and nobody else can run',
  disk: 'a disk that rounds write to is full',
  memory: 'the host is short of memory',
  survivors: 'processes of an earlier round would not die',
  budget: 'a limit of its own is used up for now',
  waiting: 'serve waits, for a reason of a later version',
  not_running: 'serve is not running; no record tells why',
  stopped: 'serve was stopped, or had nothing more to do',
  stopped_on_purpose: 'a breaker stopped serve for good (exit 70, 75 or 78)',
  parked: 'the same under `serve --park`: the process stays up, idle, until its container is restarted',
  died: 'serve died without a word',
} as const;

export type PeekState = keyof typeof PEEK_STATES;

export interface Situation {
  state: PeekState;
  /** Epoch ms until when it stays so, if that is known. */
  until: number | null;
  need: Need | null;
}

const WAIT_STATES: Record<string, PeekState> = {
  restart_delay: 'restart_delay',
  crash_backoff: 'backing_off',
  error_backoff: 'backing_off',
  environment: 'environment',
  paused: 'paused',
  schedule: 'schedule',
  throttled: 'throttled',
  network: 'network',
  refused: 'refused',
  disk: 'disk',
  memory: 'memory',
  survivors: 'survivors',
  budget: 'budget',
  draining: 'draining',
};

/** What is going on, from the facts alone. */
export function situationOf(facts: Facts, now: number): Situation {
  const state = stateOf(facts, now);
  return { state, until: untilOf(facts, state), need: needOf(facts, state) };
}

/** Exit 0 of `peek --check`: serve is alive, no round has outlived its ceiling, and serve does not wait without end for a person. */
export function isHealthy(facts: Facts, { state, until, need }: Situation): boolean {
  if (facts.supervisor.kind !== 'alive' || state === 'overdue' || state === 'parked') return false;
  const stuck = need !== null && until === null && state in WAIT_STATES && state !== 'paused' && state !== 'draining';
  return !stuck;
}

function stateOf(facts: Facts, now: number): PeekState {
  if (facts.logDir === null) return facts.configProblem?.kind === 'missing' ? 'not_set_up' : 'config_broken';
  if (facts.logDirState === 'missing') return 'never_started';
  if (facts.logDirState === 'unreadable') return 'unreadable';
  if (facts.supervisor.kind === 'alive') return stateOfServe(facts, now);
  if (facts.soloRound !== null) return overdue(facts, now) ? 'overdue' : 'round_running';
  if (facts.stopped !== null && !beganAfter(facts, facts.stopped.at))
    return onPurpose(facts.stopped.exit_code) ? 'stopped_on_purpose' : 'stopped';
  if (facts.supervisor.kind === 'dead' || facts.inFlight !== null || facts.status?.running === true) return 'died';
  return facts.status === null ? 'never_started' : 'not_running';
}

function stateOfServe(facts: Facts, now: number): PeekState {
  // serve removes the record when it starts, before it says that it is there.
  if (facts.stopped?.parked !== undefined) return 'parked';
  if (facts.wait?.reason === 'draining') return overdue(facts, now) ? 'overdue' : 'draining';
  // Their round is over and its record stays, for the next try to end them.
  if (facts.wait?.reason === 'survivors') return 'survivors';
  if (facts.inFlight !== null) return overdue(facts, now) ? 'overdue' : 'round_running';
  // A wait stays on disk when it is over, so that a restart knows of it.
  if (facts.wait !== null && (untilMs(facts.wait.until) ?? now + 1) > now) return WAIT_STATES[facts.wait.reason] ?? 'waiting';
  return pauseHolds(facts, now) ? 'paused' : 'starting';
}

/** A person's pause that has not run out, whatever else is going on meanwhile. */
export function pauseHolds({ pause }: Facts, now: number): boolean {
  return pause !== null && (untilMs(pause.until) ?? now + 1) > now;
}

function overdue({ inFlight }: Facts, now: number): boolean {
  if (inFlight?.startedAt == null || inFlight.timeoutS === null) return false;
  return now - inFlight.startedAt > outerCeilingMs(inFlight.timeoutS * 1000);
}

function untilOf(facts: Facts, state: PeekState): number | null {
  if (state === 'round_running' || state === 'draining') {
    const round = facts.inFlight;
    return round?.startedAt == null || round.timeoutS === null ? null : round.startedAt + round.timeoutS * 1000;
  }
  if (state === 'paused') return untilMs((facts.wait?.reason === 'paused' ? facts.wait : facts.pause)?.until);
  return facts.supervisor.kind === 'alive' && state !== 'starting' && state !== 'overdue' && state !== 'parked'
    ? untilMs(facts.wait?.until)
    : null;
}

/** What a person is needed for, most urgent first: no configuration, no serve (answers alone would not start it), then what serve asks for. */
function needOf(facts: Facts, state: PeekState): Need | null {
  const [asked] = facts.needs.entries;
  if (state === 'not_set_up') return { reason: state, message: 'there is nothing to run yet', command: commandLine(facts, 'init') };
  if (state === 'config_broken') return { reason: state, message: 'mend the file', command: editCommand(facts.configPath) };
  if (state === 'unreadable')
    return { reason: state, message: 'look at its owner and mode', command: `ls -ld ${shellWord(facts.logDir ?? '')}` };
  if (state === 'overdue') return { reason: state, message: 'end it', command: commandLine(facts, 'kill') };
  if (state === 'died') return { reason: state, message: 'start it again', command: commandLine(facts, 'serve') };
  if (state === 'stopped_on_purpose' || state === 'parked') {
    const { reason = state, remedy = null, parked } = facts.stopped ?? {};
    const answer = reason === 'budget' ? facts.needs.entries.find((entry) => entry.reason === reason)?.command : undefined;
    const start = state === 'parked' && parked !== undefined ? parked.command : commandLine(facts, 'serve');
    const command = answer === undefined ? start : commandLine(facts, answer);
    const spent = answer === undefined ? 'start serve again' : 'count anew, or raise the limit, and start serve again';
    const message = reason === 'budget' ? spent : (remedy ?? 'see to the cause, then start it again');
    return { reason, message, command };
  }
  if (asked !== undefined) return { reason: asked.reason, message: asked.message, command: commandLine(facts, asked.command) };
  if (facts.configProblem !== null) {
    return { reason: 'config_broken', message: 'mend the file', command: editCommand(facts.configPath) };
  }
  return null;
}

/** A round on record that began after serve had stopped: a single round whose supervisor died. */
function beganAfter({ inFlight }: Facts, iso: string): boolean {
  return inFlight?.startedAt != null && inFlight.startedAt > Date.parse(iso);
}

function onPurpose(code: number): boolean {
  return code === 70 || code === 75 || code === 78;
}

export function untilMs(iso: string | null | undefined): number | null {
  const ms = iso == null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(ms) ? null : ms;
}
