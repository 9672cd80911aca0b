import type { Leaf } from '../process/cgroup-leaf.ts';
import type { Clock } from '../util/clock.ts';
import type { Receipt } from './types.ts';

/** The kernel calls a group busy for some milliseconds after its last process was killed. */
const REMOVE_WITHIN_MS = 1_000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** Removes the control group of a run that has ended and says so in its receipt; one with survivors in it stays. */
export async function withoutLeaf(receipt: Receipt, leaf: Pick<Leaf, 'folder' | 'remove'>, clock: Clock): Promise<Receipt> {
  const end = clock.monotonic() + REMOVE_WITHIN_MS;
  let removed = leaf.remove();
  for (let pause = FIRST_PAUSE_MS; !removed && receipt.survivors.length === 0 && clock.monotonic() < end; pause *= 2) {
    await clock.sleep(Math.min(pause, LONGEST_PAUSE_MS));
    removed = leaf.remove();
  }
  return { ...receipt, leaf: { folder: leaf.folder, killed: receipt.leaf?.killed ?? false, removed } };
}
