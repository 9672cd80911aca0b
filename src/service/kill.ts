import { existsSync } from 'node:fs';
import type { Emit } from '../events/emit.ts';
import { endHooksOfTheDead } from '../hooks/recover.ts';
import { holdRoundLock } from '../round/lock.ts';
import { type Recovery, recoverInFlight } from '../round/recover.ts';
import { writeJson } from '../state/atomic.ts';
import { asInFlight } from '../state/in-flight.ts';
import type { Layout } from '../state/layout.ts';
import { removePidFile } from '../state/pid-file.ts';
import type { ProcessStart } from '../state/process-start.ts';
import { readState, type StoppedState } from '../state/serve-state.ts';
import { type Clock, isoTime } from '../util/clock.ts';
import { seconds } from '../util/duration.ts';
import { findServe, findSingleRound, goneWithin, sendSignal } from './running.ts';
import { prepareState } from './state-files.ts';

/** The second TERM says "now". Signals of one kind merge while they are pending, so each is given time to arrive; a third is for a supervisor that was busy. */
const BETWEEN_TERMS_MS = [200, 1_000] as const;
/** The longest grace (12 s) and the ladder (10 s), and what writing the end takes. */
const ROUND_END_MS = 25_000;
const IDLE_END_MS = 5_000;
/** How long the kernel may take to remove a process after SIGKILL. */
const AFTER_KILL_MS = 2_000;

export interface KillReport {
  /** `nothing`: nobody ran here and nothing was left over. */
  result: 'nothing' | 'ended';
  /** Who supervised, and whether it went when it was told to or had to be killed itself. */
  supervisor: { kind: 'serve' | 'round'; pid: number; killed: boolean } | null;
  /** serve had died before, between two rounds: its pid file was all that was left. */
  stale: boolean;
  /** What was left of a round whose supervisor is gone, ended by us. */
  recovered: Recovery | null;
  /** Another process holds the round lock by now: nothing was touched. */
  held_by: string | null;
  waited_s: number;
}

/**
 * Ends serve (or a single round) and everything of its round now: TERM twice, which makes the supervisor run its own ladder; SIGKILL
 * when it does not go; then whatever still lives of the round on record is ended from here. `asked` is told before the wait.
 */
export async function killEverything(paths: Layout, clock: Clock, emit: Emit, asked: (pid: number) => void): Promise<KillReport> {
  const since = clock.monotonic();
  const serve = await findServe(paths);
  const target = serve ?? (await findSingleRound(paths));
  const stale = target === null && existsSync(paths.servePid);
  let killed = false;
  if (target !== null) {
    asked(target.pid);
    killed = await endSupervisor(target, roundOnRecord(paths), clock);
  }
  await endHooksOfTheDead(paths, emit, clock);
  const left = await recover(paths, emit, clock);
  // A serve that went by itself has written its own end.
  if (killed || stale || left.recovered !== null) recordEnd(paths, clock);
  return {
    result: target === null && !stale && left.recovered === null && left.held_by === null ? 'nothing' : 'ended',
    stale,
    supervisor: target === null ? null : { kind: serve === null ? 'round' : 'serve', pid: target.pid, killed },
    ...left,
    waited_s: seconds(clock.monotonic() - since),
  };
}

/** True when it had to be killed. */
async function endSupervisor(target: ProcessStart, busy: boolean, clock: Clock): Promise<boolean> {
  for (const pause of [...BETWEEN_TERMS_MS, busy ? ROUND_END_MS : IDLE_END_MS]) {
    if (!sendSignal(target, 'SIGTERM') || (await goneWithin(target, pause, clock))) return false;
  }
  sendSignal(target, 'SIGKILL');
  await goneWithin(target, AFTER_KILL_MS, clock);
  return true;
}

async function recover(paths: Layout, emit: Emit, clock: Clock): Promise<Pick<KillReport, 'recovered' | 'held_by'>> {
  if (!roundOnRecord(paths)) return { recovered: null, held_by: null };
  const lock = await holdRoundLock(paths);
  if (!lock.held) return { recovered: null, held_by: lock.by };
  try {
    return { recovered: await recoverInFlight(paths, emit, clock), held_by: null };
  } finally {
    lock.release();
  }
}

function roundOnRecord(paths: Layout): boolean {
  return readState(paths.inFlight, asInFlight) !== null;
}

/** A serve that was killed could not say so itself: without this, `peek` would call it dead without a word. */
function recordEnd(paths: Layout, clock: Clock): void {
  removePidFile(paths.servePid);
  prepareState(paths);
  const stopped: StoppedState = {
    reason: 'killed',
    exit_code: 137,
    at: isoTime(clock.now()),
    sentence: 'killed by a person',
    remedy: null,
    log_path: null,
  };
  writeJson(paths.stopped, stopped);
}
