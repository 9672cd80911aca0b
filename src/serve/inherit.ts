import type { Emit } from '../events/emit.ts';
import { endLeftovers, type Leftovers } from '../round/leftovers.ts';
import { holdRoundLock } from '../round/lock.ts';
import { pruneRoundLogs } from '../round/prune.ts';
import type { Layout } from '../state/layout.ts';
import { removeFile } from '../state/remove.ts';
import { readStopped } from '../state/serve-state.ts';
import { exitCode } from '../util/exit-codes.ts';

/** Clears away what a serve before this one left, as far as it would mislead: old words to us, old logs, the streaks after a stop on purpose. */
export function tidyUp(paths: Layout, keepLogs: number, emit: Emit): { deliberateRestart: boolean } {
  for (const path of [paths.agentDone, paths.wake]) removeFile(path);
  pruneRoundLogs(paths.logDir, keepLogs, emit);
  const stopped = readStopped(paths);
  // After a memory loop it is the service manager that starts serve again: other streaks and waits hold.
  const deliberateRestart = stopped !== null && stopped.exit_code !== exitCode('memLoop');
  removeFile(paths.stopped);
  if (deliberateRestart) removeFile(paths.streaks);
  return { deliberateRestart };
}

/** Ends what a dead supervisor left running, under the round lock: a manual `agent-runner round` may be running, and that is not dead. */
export async function clearTheWay(...[world, loaded]: Parameters<typeof endLeftovers>): Promise<Leftovers> {
  const lock = await holdRoundLock(world.paths);
  if (!lock.held) return { roundNum: null, configDigest: null, survivors: [], notes: [] };
  try {
    return await endLeftovers(world, loaded);
  } finally {
    lock.release();
  }
}
