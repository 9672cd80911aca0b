import { accessSync, constants, statSync } from 'node:fs';
import { zoneOf } from '../../budget/answer.ts';
import { digestOf } from '../../config/digest.ts';
import type { Located } from '../../config/locate.ts';
import { NO_UNITS, unitFacts } from '../../service/mode.ts';
import { asAccounts } from '../../state/accounts.ts';
import { readHolder } from '../../state/holder.ts';
import { asInFlight, type InFlight } from '../../state/in-flight.ts';
import { type Layout, layout } from '../../state/layout.ts';
import { type Look, lookAtJson } from '../../state/look.ts';
import { asProcessStart, stillLives } from '../../state/process-start.ts';
import { asNeedsHuman, asPause, asStatus, asStopped, asStreaks, asWait, NO_STREAKS, STREAK_LIMITS } from '../../state/serve-state.ts';
import { NO_TURNS, turnsOf } from './away.ts';
import { degradedBy } from './degraded.ts';
import type { Facts, RoundFacts, Supervisor } from './facts.ts';
import { statusFromEvents, stoppedFromEvents } from './from-events.ts';

type Fields = Record<string, unknown>;

/** The predecessor's default of `round_timeout_s`, for a round whose `agent_spawn` is out of sight. */
const DEFAULT_TIMEOUT_S = 1800;

/** Everything that decides about the sentence, read from log_dir without writing, locking or waiting. `events` are the newest ones, oldest first. */
export function gatherFacts(located: Located, configGiven: boolean, events: readonly Fields[]): Facts {
  const { project, configPath, problem, logDir } = located;
  const facts: Facts = {
    project,
    configPath,
    configGiven,
    configProblem: problem,
    configPending: false,
    timezone: zoneOf(located.document),
    logDir,
    logDirState: logDir === null ? 'missing' : stateOfFolder(logDir),
    supervisor: { kind: 'none' },
    units: NO_UNITS,
    soloRound: null,
    status: null,
    inFlight: null,
    wait: null,
    accounts: null,
    turns: NO_TURNS,
    pause: null,
    needs: { entries: [] },
    streaks: { ...NO_STREAKS },
    stopped: null,
    damaged: [],
    degraded: [],
  };
  if (logDir !== null && facts.logDirState === 'ok') fillFromFiles(facts, layout(logDir), located, events);
  facts.units = unitFacts(project, configPath, facts.supervisor.kind === 'alive' ? facts.supervisor.pid : null);
  return facts;
}

function fillFromFiles(facts: Facts, paths: Layout, located: Located, events: readonly Fields[]): void {
  const read = <State>(path: string, as: (value: unknown) => State | null): State | null => {
    const seen = lookAtJson(path);
    const state = seen.kind === 'ok' ? as(seen.value) : null;
    if (state === null && seen.kind !== 'missing') facts.damaged.push(`${path} ${damageOf(seen)}`);
    return state;
  };
  facts.status = read(paths.status, asStatus) ?? statusFromEvents(paths, events);
  facts.supervisor = supervisorOf(lookAtJson(paths.servePid));
  facts.soloRound = facts.supervisor.kind === 'alive' ? null : singleRound(paths);
  facts.inFlight = roundFacts(read(paths.inFlight, asInFlight), facts, located, events);
  facts.wait = read(paths.wait, asWait);
  facts.accounts = read(paths.accounts, asAccounts);
  // Who is away is of interest where somebody is, and that is seldom.
  if (facts.accounts !== null) facts.turns = turnsOf(located.document);
  facts.pause = read(paths.pause, asPause);
  facts.needs = read(paths.needsHuman, asNeedsHuman) ?? facts.needs;
  facts.streaks = read(paths.streaks, asStreaks) ?? facts.streaks;
  facts.stopped = read(paths.stopped, asStopped) ?? (facts.supervisor.kind === 'none' ? stoppedFromEvents(events) : null);
  facts.configPending = facts.supervisor.kind === 'alive' && differsFromAccepted(paths, located.text);
  facts.degraded = degradedBy(events, facts.streaks, STREAK_LIMITS.unmoved);
}

function damageOf(seen: Look): string {
  if (seen.kind === 'corrupt') return `is damaged (${seen.reason})`;
  return seen.kind === 'unreadable' ? `cannot be read (${seen.reason})` : 'does not hold what it should';
}

/** Without a start time to compare (no /proc) a pid that is there is taken for serve's: looking does no harm. */
function supervisorOf(seen: Look): Supervisor {
  if (seen.kind === 'missing') return { kind: 'none' };
  const start = seen.kind === 'ok' ? asProcessStart(seen.value) : null;
  if (start === null) return { kind: 'garbled' };
  if (stillLives(start) === 'no') return { kind: 'dead', pid: start.pid };
  return { kind: 'alive', pid: start.pid, startedAt: start.create_time === null ? null : start.create_time * 1000 };
}

function singleRound(paths: Layout): { pid: number } | null {
  const holder = readHolder(paths.roundLockHolder);
  return typeof holder === 'string' || stillLives(holder) === 'no' ? null : { pid: holder.pid };
}

function roundFacts(record: InFlight | null, { status }: Facts, { document }: Located, events: readonly Fields[]): RoundFacts | null {
  if (record === null) return null;
  const startedAt = Date.parse(record.started_at);
  const spawn = events.findLast(({ event, round_num }) => event === 'agent_spawn' && round_num === record.round_num);
  return {
    roundNum: record.round_num,
    phase: status?.round_num === record.round_num ? (status.current_phase ?? null) : null,
    startedAt: Number.isNaN(startedAt) ? null : startedAt,
    timeoutS: typeof spawn?.timeout_s === 'number' ? spawn.timeout_s : configuredTimeout(document),
    pid: record.pid ?? null,
    ...(record.stands_in_for === undefined ? {} : { standIn: { agent: record.agent ?? 'another agent', account: record.stands_in_for } }),
    ...retryingOf(record, events),
  };
}

function retryingOf({ round_num: roundNum, log_path: logPath }: InFlight, events: readonly Fields[]): Pick<RoundFacts, 'retrying'> {
  const told = events.findLast((fields) => fields.event === 'round_progress' && fields.round_num === roundNum && 'retrying' in fields);
  const at = Date.parse(String(told?.ts));
  if (typeof told?.retrying !== 'string' || Number.isNaN(at)) return {};
  return { retrying: { what: told.retrying, at, lastWriteAt: logPath === undefined ? null : modifiedAt(logPath) } };
}

function modifiedAt(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

function differsFromAccepted(paths: Layout, text: string | null): boolean {
  const seen = lookAtJson(paths.acceptedConfig);
  const accepted = seen.kind === 'ok' ? (seen.value as Fields | null)?.accepted_digest : null;
  return text !== null && typeof accepted === 'string' && accepted !== digestOf(text);
}

/** Before the spawn is told, or when its event has scrolled away: the unchecked value of the file. */
function configuredTimeout(document: Fields): number {
  const runtime = document.runtime as Fields | undefined;
  const value = runtime?.round_timeout_s ?? runtime?.round_budget_s;
  return typeof value === 'number' && value > 0 ? value : DEFAULT_TIMEOUT_S;
}

function stateOfFolder(path: string): Facts['logDirState'] {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return 'missing';
    accessSync(path, constants.R_OK | constants.X_OK);
    return statSync(path).isDirectory() ? 'ok' : 'unreadable';
  } catch {
    return 'unreadable';
  }
}
