import { epochOf } from '../util/epoch.ts';
import type { Layout } from './layout.ts';
import { lookAtJson } from './look.ts';

/** Why `serve` starts no round at the moment. Readers take any other word too, and then fall back on `sentence`. */
export type WaitReason =
  | 'restart_delay'
  | 'crash_backoff'
  | 'error_backoff'
  | 'environment'
  | 'paused'
  | 'schedule'
  | 'throttled'
  | 'disk'
  | 'network'
  | 'refused'
  | 'memory'
  | 'survivors'
  | 'budget'
  | 'draining';

/** `state/wait.json`: what `serve` waits for now; removed when the wait ends. Times are ISO, UTC. */
export interface WaitState {
  reason: WaitReason | (string & {});
  /** Null: until something happens, not until a time. */
  until: string | null;
  since: string;
  /** The gate or policy that asks for the wait. */
  source: string;
  sentence: string;
  /** The delay that goes on behind a closed gate (a pause within a provider's limit). */
  behind?: WaitState;
  /** Of a wait for the schedule. */
  window?: ScheduleWait;
}

/** What a schedule waits for. */
export interface ScheduleWait {
  /** The pause window that holds, `outside run_windows`, or the cron expression. */
  active_window: string;
  timezone: string;
  /** The phase whose schedule it is; null without phases. */
  phase: string | null;
}

/** `state/pause.json`: a person asked for a pause; removed by `resume`, or by `serve` when `until` has passed. */
export interface PauseState {
  until: string | null;
  since: string;
}

export interface HumanNeed {
  /** What `ack` is given. */
  reason: string;
  since: string;
  message: string;
  /** The one command that answers it. */
  command: string;
}

/** `state/needs-human.json`. */
export interface NeedsHumanState {
  entries: HumanNeed[];
}

/** `state/streaks.json`: how many rounds in a row; survives a crash of `serve`, cleared at the start after a deliberate stop. */
export interface StreakState {
  crash: number;
  stall: number;
  no_progress: number;
  /** Rounds in a row that ended well at once, moved nothing, and of whose agent neither usage nor a result is known. */
  quiet: number;
  auth: number;
  memory: number;
  environment: number;
  /** Rounds of any outcome in a row that moved neither HEAD nor the tree. */
  unmoved: number;
}

/**
 * At which streak a breaker stops `serve`, a person is asked (`environment`) or an event tells (`unmoved`). Five and three are the
 * predecessor's; ten, the five unmoved and the twenty quiet rounds are ours.
 */
export const STREAK_LIMITS: Readonly<StreakState> = {
  crash: 5,
  stall: 5,
  no_progress: 5,
  quiet: 20,
  auth: 3,
  memory: 5,
  environment: 10,
  unmoved: 5,
};

export const NO_STREAKS: Readonly<StreakState> = {
  crash: 0,
  stall: 0,
  no_progress: 0,
  quiet: 0,
  auth: 0,
  memory: 0,
  environment: 0,
  unmoved: 0,
};

/** `state/stopped.json`: why `serve` ended; removed when it starts. */
export interface StoppedState {
  reason: string;
  exit_code: number;
  at: string;
  sentence: string;
  remedy: string | null;
  log_path: string | null;
  /** serve did not exit: it stays up, idle, until somebody restarts it. */
  parked?: ParkedState;
}

export interface ParkedState {
  /** What restarts it, to be typed on the host. */
  command: string;
}

/** `status.json`, as the predecessor wrote it, plus `last_outcome` and `rounds_completed`. */
export interface StatusState {
  round_num: number;
  running: boolean;
  current_phase?: string;
  phase_index?: number;
  started_at?: string;
  last_completed_at?: string;
  last_exit_code?: number;
  last_duration_s?: number;
  last_outcome?: string;
  last_dirty?: boolean;
  rounds_completed?: number;
}

type Fields = Record<string, unknown>;

const PLAIN_COMMAND = /^agent-runner(?: [a-z][a-z_-]{0,63}){1,2}$/;

/** The tolerant readers: whatever has not the shape is null, never an exception; fields of later versions are ignored. */
export function asWait(value: unknown): WaitState | null {
  const wait = waitIn(value);
  const behind = wait === null ? null : waitIn(fieldsOf(value)?.behind);
  return wait === null || behind === null ? wait : { ...wait, behind };
}

function waitIn(value: unknown): WaitState | null {
  const at = fieldsOf(value);
  if (typeof at?.reason !== 'string') return null;
  const wait = {
    reason: at.reason,
    until: time(at.until),
    since: time(at.since) ?? '',
    source: text(at.source),
    sentence: text(at.sentence),
  };
  const window = fieldsOf(at.window);
  if (window === null) return wait;
  const phase = typeof window.phase === 'string' ? window.phase : null;
  return { ...wait, window: { active_window: text(window.active_window), timezone: text(window.timezone), phase } };
}

export function asPause(value: unknown): PauseState | null {
  const at = fieldsOf(value);
  return typeof at?.since === 'string' ? { until: time(at.until), since: time(at.since) ?? '' } : null;
}

export function asNeedsHuman(value: unknown): NeedsHumanState | null {
  const at = fieldsOf(value);
  if (!Array.isArray(at?.entries)) return null;
  const entries = at.entries.flatMap((item): HumanNeed[] => {
    const entry = fieldsOf(item);
    if (typeof entry?.reason !== 'string') return [];
    const command = commandOf(text(entry.command), entry.reason);
    return [{ reason: entry.reason, since: time(entry.since) ?? '', message: text(entry.message), command }];
  });
  return { entries };
}

/** An agent may have written the file, and a person types what it says: only a verb of ours with plain words is handed on. */
function commandOf(written: string, reason: string): string {
  const answer = `agent-runner ack ${reason}`;
  return [written, answer].find((command) => PLAIN_COMMAND.test(command)) ?? 'agent-runner doctor';
}

export function asStreaks(value: unknown): StreakState | null {
  const at = fieldsOf(value);
  if (at === null) return null;
  return {
    crash: count(at.crash),
    stall: count(at.stall),
    no_progress: count(at.no_progress),
    quiet: count(at.quiet),
    auth: count(at.auth),
    memory: count(at.memory),
    environment: count(at.environment),
    unmoved: count(at.unmoved),
  };
}

export function asStopped(value: unknown): StoppedState | null {
  const at = fieldsOf(value);
  if (typeof at?.reason !== 'string') return null;
  return {
    reason: at.reason,
    exit_code: typeof at.exit_code === 'number' ? at.exit_code : 0,
    at: time(at.at) ?? '',
    sentence: text(at.sentence),
    remedy: text(at.remedy) || null,
    log_path: text(at.log_path) || null,
    ...(text(fieldsOf(at.parked)?.command) === '' ? {} : { parked: { command: text(fieldsOf(at.parked)?.command) } }),
  };
}

export function asStatus(value: unknown): StatusState | null {
  const at = fieldsOf(value);
  if (at === null || !Number.isSafeInteger(at.round_num)) return null;
  return { ...at, round_num: at.round_num as number, running: at.running === true };
}

/** The file at `path` through its reader; missing, corrupt and unreadable are all null. Never writes. */
export function readState<State>(path: string, as: (value: unknown) => State | null): State | null {
  const seen = lookAtJson(path);
  return seen.kind === 'ok' ? as(seen.value) : null;
}

export const readWait = (files: Layout): WaitState | null => readState(files.wait, asWait);
export const readPause = (files: Layout): PauseState | null => readState(files.pause, asPause);
export const readNeedsHuman = (files: Layout): NeedsHumanState => readState(files.needsHuman, asNeedsHuman) ?? { entries: [] };
export const readStreaks = (files: Layout): StreakState => readState(files.streaks, asStreaks) ?? { ...NO_STREAKS };
export const readStopped = (files: Layout): StoppedState | null => readState(files.stopped, asStopped);

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Kept only when it is a time that a clock can show, so that nobody after us computes with NaN or over the end of all dates. */
function time(value: unknown): string | null {
  return epochOf(value) === null ? null : (value as string);
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
