import { readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Layout, ROUND_LOG_NAME } from '../../state/layout.ts';

/** `current_round` of `peek --json`: the round that runs, else the last one, or the one that `--round` names. */
export interface RoundView {
  round_num: number;
  phase: string | null;
  started_at: string;
  /** Seconds until now, or until its end. */
  duration_so_far_s: number | null;
  /** The agent's, while it runs. */
  pid: number | null;
  exit_code: number | null;
  timed_out: boolean | null;
  outcome: string | null;
  /** Who has it, where the events tell; `fallback` 0 is the phase's own agent. */
  agent: string | null;
  account: string | null;
  fallback: number | null;
  log_path: string;
  /** With `--log`: the last 50 lines. */
  log_tail: string | null;
  /** With `--events N`: the newest N of this round. */
  recent_events: Fields[];
}

type Fields = Record<string, unknown>;

/** What the newest events (oldest first) tell of a round; the log's name and the in-flight record fill the gaps. */
export function viewFromEvents(roundNum: number, logPath: string, events: readonly Fields[]): RoundView {
  const view: RoundView = {
    round_num: roundNum,
    phase: null,
    started_at: startFromName(logPath) ?? '',
    duration_so_far_s: null,
    pid: null,
    exit_code: null,
    timed_out: null,
    outcome: null,
    agent: null,
    account: null,
    fallback: null,
    log_path: logPath,
    log_tail: null,
    recent_events: [],
  };
  for (const fields of events) {
    if (fields.round_num !== roundNum) continue;
    if (fields.event === 'round_start') {
      view.started_at = textOr(fields.ts, view.started_at);
      view.phase = typeof fields.phase === 'string' ? fields.phase : null;
      view.agent = typeof fields.agent === 'string' ? fields.agent : null;
      view.account = typeof fields.account === 'string' ? fields.account : null;
      view.fallback = typeof fields.fallback === 'number' ? fields.fallback : null;
    } else if (fields.event === 'agent_exit') {
      view.duration_so_far_s = typeof fields.duration_s === 'number' ? fields.duration_s : null;
      view.exit_code = typeof fields.exit_code === 'number' ? fields.exit_code : null;
      view.timed_out = typeof fields.timed_out === 'boolean' ? fields.timed_out : null;
      view.outcome = typeof fields.outcome === 'string' ? fields.outcome : null;
    }
  }
  return view;
}

/** `R12-20261129T173508.log` began at `2026-11-29T17:35:08.000Z`. */
function startFromName(path: string): string | null {
  const at = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?\.log$/.exec(path);
  return at === null ? null : `${at[1]}-${at[2]}-${at[3]}T${at[4]}:${at[5]}:${at[6]}.000Z`;
}

/** The newest log of round `roundNum`, or of the highest round for `latest`; null when there is none. */
export function findRoundLog(paths: Layout, roundNum: number | 'latest'): { roundNum: number; path: string } | null {
  const current = roundNum === 'latest' ? null : currentLog(paths);
  if (current !== null && current.roundNum === roundNum) return current;
  let best: { roundNum: number; name: string } | null = null;
  for (const name of namesIn(paths.rounds)) {
    const number = numberOf(name);
    if (number === null || (roundNum !== 'latest' && number !== roundNum)) continue;
    if (best === null || number > best.roundNum || (number === best.roundNum && name > best.name)) best = { roundNum: number, name };
  }
  return best === null ? null : { roundNum: best.roundNum, path: join(paths.rounds, best.name) };
}

/** The usual question is about the newest round, and its symlink saves reading a folder of ten thousand names. */
function currentLog(paths: Layout): { roundNum: number; path: string } | null {
  try {
    const path = resolve(dirname(paths.currentLog), readlinkSync(paths.currentLog));
    const roundNum = numberOf(basename(path));
    return roundNum === null || dirname(path) !== paths.rounds ? null : { roundNum, path };
  } catch {
    return null;
  }
}

function numberOf(name: string): number | null {
  const digits = ROUND_LOG_NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}
