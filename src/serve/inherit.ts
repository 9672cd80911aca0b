import type { Emit } from '../events/emit.ts';
import { holdRoundLock } from '../round/lock.ts';
import { pruneRoundLogs } from '../round/prune.ts';
import { type Recovery, recoverInFlight } from '../round/recover.ts';
import type { Layout } from '../state/layout.ts';
import { removeFile } from '../state/remove.ts';
import { readStopped } from '../state/serve-state.ts';

/** Clears away what a serve before this one left, as far as it would mislead: old words to us, old logs, the streaks after a stop on purpose. */
export function tidyUp(paths: Layout, keepLogs: number, emit: Emit): { deliberateRestart: boolean } {
  for (const path of [paths.agentDone, paths.wake]) removeFile(path);
  pruneRoundLogs(paths.logDir, keepLogs, emit);
  const deliberateRestart = readStopped(paths) !== null;
  removeFile(paths.stopped);
  if (deliberateRestart) removeFile(paths.streaks);
  return { deliberateRestart };
}

/** Ends a dead supervisor's round, under the round lock: a manual `agent-runner round` may be running, and then its round is not dead. */
export async function recoverDeadRound(paths: Layout, emit: Emit): Promise<Recovery> {
  const lock = await holdRoundLock(paths);
  if (!lock.held) return { roundNum: null, configDigest: null, survivors: [] };
  try {
    return await recoverInFlight(paths, emit);
  } finally {
    lock.release();
  }
}
