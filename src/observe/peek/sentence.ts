import { STREAK_LIMITS } from '../../state/serve-state.ts';
import { humanDuration } from '../../util/duration.ts';
import { clockTime } from '../../util/local-time.ts';
import { namedZone, offsetAt, zoneName } from '../../util/zone.ts';
import { awayWords } from './away.ts';
import { commandLine } from './commands.ts';
import type { Facts, Need, RoundFacts } from './facts.ts';
import { type PeekState, pauseHolds, type Situation, situationOf, untilMs } from './situation.ts';
import { agoWords, untilWords } from './times.ts';

/**
 * The first line of `peek`: what is happening now, until when, why, and whether a person is needed and with which command. One
 * sentence, ended by a full stop.
 */
export function sentence(facts: Facts, now: number): string {
  const situation = situationOf(facts, now);
  const told = [headline[situation.state](facts, situation, now), ...asides(facts, situation, now)];
  const parts = [...told, zoneWords(facts, told, situation.state, now), personWords(facts, situation)];
  return harmless(`${parts.filter((part) => part !== '').join('; ')}.`);
}

/**
 * Whose wall the times are on, where the configuration names another one. The schedule's own times name their zone. A first question about
 * a zone costs some ten milliseconds, so only a sentence with a time asks it.
 */
function zoneWords({ timezone }: Facts, told: readonly string[], state: PeekState, now: number): string {
  if (timezone === null || state === 'schedule' || !told.some((part) => / \d\d:\d\d\b/.test(part))) return '';
  const zone = namedZone(timezone);
  const offsetMinutes = -new Date(now).getTimezoneOffset();
  if (zone === null || offsetAt(now, zone) === offsetMinutes * 60_000) return '';
  return `times are this host's (${zoneName({ offsetMinutes })}), not those of ${timezone}`;
}

/** State files may lie where an agent can write: what they say must not steer the reader's terminal (escape codes, bidi overrides). */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '');
}

type Words = (facts: Facts, situation: Situation, now: number) => string;

const headline: Record<PeekState, Words> = {
  not_set_up: ({ configPath }) => `Not set up: there is no ${configPath}`,
  config_broken: ({ configPath, configProblem }) =>
    `Nothing can be told: ${configPath} does not say where the state is kept (${configProblem?.message ?? 'no runtime.log_dir'})`,
  unreadable: ({ logDir }) => `Nothing can be told: ${logDir} cannot be read`,
  never_started: (facts) => `Never started: nothing has run in ${facts.project} yet; begin with ${run(facts, 'serve')}`,
  starting: (facts) =>
    `serve is up${pidWords(facts)} and about to ${mustStop(facts) ? 'stop: no further round starts' : `start round ${nextRound(facts)}`}`,
  round_running: roundRunning,
  overdue: overdueRound,
  draining,
  restart_delay: (facts, { until }, now) =>
    `Waiting ${untilOr(until, now)} before round ${nextRound(facts)}: the ordinary pause between rounds`,
  backing_off: backingOff,
  environment: (facts, { until }, now) =>
    `Waiting ${untilOr(until, now)} to try again: the environment is not fit${own(facts)}${streakWords('try', facts.streaks.environment, STREAK_LIMITS.environment)}`,
  paused,
  schedule: scheduled,
  throttled: (facts, { until }, now) =>
    `Waiting ${untilOr(until, now)}: the provider limits the agent${own(facts)}; ${run(facts, 'wake')} tries now`,
  network: (facts, { until }, now) => `Waiting ${untilOr(until, now)}: nothing answers${own(facts)}; ${run(facts, 'wake')} tries now`,
  refused: (facts, { until }, now) =>
    `Waiting ${untilOr(until, now)}: the provider refuses the agent's credentials${own(facts)}; ${run(facts, 'wake')} tries now`,
  disk: (facts) => `Waiting until there is room again: a disk is full${own(facts)}; it is looked at every 30 s`,
  memory: (facts) => `Waiting until memory is free again: the host is short of it${own(facts)}; it is looked at every 30 s`,
  survivors: (facts) => `No round starts: processes of an earlier round survived every attempt to end them${own(facts)}`,
  budget: (facts, { until }, now) =>
    `Waiting ${untilOr(until, now)}: a limit is used up${own(facts)}; ${run(facts, 'ack budget')} counts anew and goes on`,
  waiting: (facts, { until }, now) => `Waiting ${untilOr(until, now)}${own(facts) || `: ${facts.wait?.reason}`}`,
  not_running: (facts, _situation, now) => `Not running${lastRoundWords(facts, now)}; go on with ${run(facts, 'serve')}`,
  stopped,
  stopped_on_purpose: stoppedOnPurpose,
  parked: (facts, _situation, now) =>
    `Parked: serve${pidWords(facts)} stays up and starts no round, stopped for good ${endedBy(facts, now)}`,
  died,
};

/** Asked for by a serve that stops with its next breath and taken back by one that need not; so are streaks that are complete. */
function mustStop({ needs, streaks }: Facts): boolean {
  if (needs.entries.some(({ reason }) => reason === 'budget' || reason === 'uncounted')) return true;
  return ENDING_STREAKS.some((name) => streaks[name] >= STREAK_LIMITS[name]);
}

/** Of the breakers that end serve. */
const ENDING_STREAKS = ['auth', 'crash', 'stall', 'no_progress', 'quiet'] as const;

function roundRunning(facts: Facts, _situation: Situation, now: number): string {
  const solo =
    facts.supervisor.kind !== 'alive' && facts.soloRound !== null ? ` by itself (agent-runner round, pid ${facts.soloRound.pid})` : '';
  const { crash, stall } = facts.streaks;
  const after =
    crash > 0
      ? `, after ${times(crash, 'crash', 'crashes')} in a row`
      : stall > 0
        ? `, after ${times(stall, 'stalled round', 'stalled rounds')} in a row`
        : '';
  return `${roundName(facts)} has been running${solo}${elapsedWords(facts.inFlight, now)}${standInWords(facts, now)}${after}${retryWords(facts.inFlight, now)}`;
}

/** `with codex as fallback for claude until 14:00 (2 h from now)`. */
function standInWords({ inFlight, accounts }: Facts, now: number): string {
  const standIn = inFlight?.standIn;
  if (standIn === undefined) return '';
  const throttle = untilMs(accounts?.throttles.find(({ account }) => account === standIn.account)?.until);
  const refusal = untilMs(accounts?.refusals.find(({ account }) => account === standIn.account)?.next_try);
  const until = Math.max(throttle ?? 0, refusal ?? 0);
  return ` with ${standIn.agent} as fallback for ${standIn.account}${until > now ? ` ${untilWords(until, now)}` : ''}`;
}

/** A CLI that goes on says so in its log; while it waits for its next try the log is still. Retries in a row are told every 30 s. */
function retryWords(round: RoundFacts | null, now: number): string {
  const { retrying } = round ?? {};
  if (retrying === undefined) return '';
  const still = retrying.lastWriteAt !== null && retrying.lastWriteAt <= retrying.at + 1000;
  return still || now - retrying.at <= 60_000 ? `; the CLI is retrying (${clause(retrying.what)})` : '';
}

function overdueRound(facts: Facts, _situation: Situation, now: number): string {
  return `${roundName(facts)} should have ended long ago (running${elapsedWords(facts.inFlight, now, '')}): its supervisor may be stuck`;
}

function draining(facts: Facts, { until }: Situation, now: number): string {
  if (facts.inFlight === null) return 'Stopping now';
  const latest = until === null ? '' : `, by ${clockTime(until, now)} at the latest`;
  return `Draining: r${roundName(facts).slice(1)} has been running${elapsedWords(facts.inFlight, now)}, and serve stops when it ends${latest}; ${run(facts, 'kill')} ends it now`;
}

function backingOff(facts: Facts, { until }: Situation, now: number): string {
  const { crash } = facts.streaks;
  const wait = `Backing off ${untilOr(until, now)}`;
  if (crash > 0) return `${wait} after crash ${crash} of ${STREAK_LIMITS.crash} in a row (serve stops at ${STREAK_LIMITS.crash})`;
  return `${wait}${own(facts) || ': the last round failed'}`;
}

function paused(facts: Facts, { until }: Situation, now: number): string {
  const ago = facts.pause === null ? '' : agoWords(facts.pause.since, now);
  const since = ago === '' ? '' : ` ${ago}`;
  return `Paused by a person${since}${until === null ? '' : `, ${untilWords(until, now)}`}; ${run(facts, 'resume')} goes on at once`;
}

/** The wait's own sentence has the weekday and the time in the schedule's zone; how long it is until then says every clock. */
function scheduled(facts: Facts, { until }: Situation, now: number): string {
  const words = clause(facts.wait?.sentence).replace(/^p/, 'P') || `Paused by the schedule ${untilOr(until, now)}`;
  const left = until === null || until <= now ? '' : `; ${humanDuration(until - now)} to go`;
  return `${words}${left}; ${run(facts, 'wake')} starts a round at once`;
}

function stopped(facts: Facts, _situation: Situation, now: number): string {
  const record = facts.stopped;
  const code = record === null || record.exit_code === 0 ? '' : ` (exit ${record.exit_code})`;
  return (
    `Stopped ${agoWords(record?.at, now)}`.trimEnd() +
    `${code}: ${clause(record?.sentence) || record?.reason}${lastRoundWords(facts, now)}; go on with ${run(facts, 'serve')}`
  );
}

function stoppedOnPurpose(facts: Facts, _situation: Situation, now: number): string {
  return `Stopped for good ${endedBy(facts, now)}`;
}

function endedBy({ stopped: record }: Facts, now: number): string {
  const log = record?.log_path == null ? '' : `; its log is ${record.log_path}`;
  const words = `by ${record?.reason} (exit ${record?.exit_code}): ${clause(record?.sentence) || 'a breaker tripped'}${log}`;
  return `${agoWords(record?.at, now)} ${words}`.trimStart();
}

function died(facts: Facts): string {
  const who = facts.supervisor.kind === 'dead' ? `serve (pid ${facts.supervisor.pid})` : 'The supervisor';
  const round = facts.inFlight?.roundNum ?? (facts.status?.running === true ? facts.status.round_num : null);
  const during =
    round === null
      ? 'between two rounds'
      : `during round ${round}, and what it started may still be alive (serve ends that first, ${run(facts, 'kill')} ends that alone)`;
  return `${who} died without a word ${during}`;
}

/** What else a person should know, whatever the state. */
function asides(facts: Facts, { state }: Situation, now: number): string[] {
  const words: string[] = [];
  if (state !== 'paused' && state !== 'draining' && pauseHolds(facts, now)) {
    const until = untilMs(facts.pause?.until);
    words.push(`paused by a person: no further round starts ${until === null ? `until ${run(facts, 'resume')}` : untilWords(until, now)}`);
  }
  const goesOn = state === 'starting' || state === 'restart_delay' || state === 'backing_off' || state === 'round_running';
  if (goesOn && facts.supervisor.kind === 'alive' && facts.inFlight?.standIn === undefined) {
    words.push(...awayWords(facts.turns, facts.accounts, now));
  }
  const problem = facts.configProblem;
  if (problem !== null && state !== 'not_set_up' && state !== 'config_broken') {
    words.push(
      `${facts.configPath} cannot be used now (${problem.message})${facts.supervisor.kind === 'alive' ? ', and serve keeps what it has read' : ''}`,
    );
  }
  if (facts.configPending && problem === null && !facts.needs.entries.some(({ reason }) => reason === 'config')) {
    // Changed while a round runs it may be the agent's doing, and then a reload does not adopt it.
    words.push(`the configuration was changed and is not in force${facts.inFlight === null ? ` (${run(facts, 'reload')} adopts it)` : ''}`);
  }
  words.push(...facts.damaged.map((damage) => `note that ${damage}`), ...facts.degraded.map((what) => `degraded: ${what}`));
  return words;
}

function personWords(facts: Facts, { need, state }: Situation): string {
  if (need === null) return state === 'not_running' || state === 'stopped' || state === 'never_started' ? '' : 'nobody is needed';
  const others = facts.needs.entries.filter(({ reason }) => reason !== need.reason).length;
  const more = others === 0 ? '' : ` (and ${others} more)`;
  return `a person is needed: ${needWords(need)}${more}`;
}

function needWords({ message, command, reason }: Need): string {
  return `${clause(message) || reason}: \`${command}\``;
}

/** A command within a sentence, set apart so that the full stop is not typed with it. */
function run(facts: Facts, verb: string): string {
  return `\`${commandLine(facts, verb)}\``;
}

/** The text of the wait's own sentence, as an explanation behind a colon in brackets. */
function own({ wait }: Facts): string {
  const text = clause(wait?.sentence);
  return text === '' ? '' : ` (${text})`;
}

/** Somebody's sentence as a part of ours: one line, no full stop of its own, not without end. */
function clause(text: string | undefined): string {
  const line = (text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.;:]+$/, '');
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

function roundName({ inFlight, status }: Facts): string {
  const phase = inFlight?.phase ?? null;
  return `Round ${inFlight?.roundNum ?? status?.round_num ?? '?'}${phase === null ? '' : ` (${phase})`}`;
}

function elapsedWords(round: RoundFacts | null, now: number, beyondWall = ' and is being ended'): string {
  if (round?.startedAt == null) return '';
  const elapsed = ` for ${humanDuration(now - round.startedAt)}`;
  if (round.timeoutS === null) return elapsed;
  const most = `${elapsed} of at most ${humanDuration(round.timeoutS * 1000)}`;
  return now - round.startedAt > round.timeoutS * 1000 ? `${most}${beyondWall}` : most;
}

function nextRound({ status }: Facts): number {
  return (status?.round_num ?? 0) + 1;
}

function lastRoundWords({ status }: Facts, now: number): string {
  if (status === null || status.round_num === 0) return '';
  const how = status.last_outcome === undefined ? '' : ` (${status.last_outcome})`;
  const ago = agoWords(status.last_completed_at, now);
  return `, the last round was ${status.round_num}${how}${ago === '' ? '' : ` ${ago}`}`;
}

function pidWords({ supervisor }: Facts): string {
  return supervisor.kind === 'alive' ? ` (pid ${supervisor.pid})` : '';
}

function untilOr(until: number | null, now: number): string {
  return until === null ? 'without a time' : untilWords(until, now);
}

function streakWords(what: string, count: number, limit: number): string {
  return count > 0 ? `, ${what} ${count} of ${limit} before a person is asked` : '';
}

function times(n: number, one: string, many: string): string {
  return n === 1 ? `1 ${one}` : `${n} ${many}`;
}
