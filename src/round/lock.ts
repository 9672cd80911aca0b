import { describeHolder, removeHolder, writeHolder } from '../state/holder.ts';
import type { Layout } from '../state/layout.ts';
import { acquireLock } from '../state/lock.ts';

export type HeldRound = { held: true; release(): void } | { held: false; by: string };

/** The lock that makes a round exclusive for its log_dir; the side file only says who has it. */
export async function holdRoundLock(paths: Layout): Promise<HeldRound> {
  const lock = await acquireLock(paths.roundLock);
  if (lock === null) return { held: false, by: describeHolder(paths.roundLockHolder) };
  writeHolder(paths.roundLockHolder);
  return {
    held: true,
    release() {
      removeHolder(paths.roundLockHolder);
      lock.release();
    },
  };
}
