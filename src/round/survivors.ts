import type { NamedProcess } from '../run/types.ts';

/** A container stands among survivors with this pid, which no process has: its own means nothing on this side of the engine. */
const NO_PID = 0;

/** An engine's own words may be long. */
const LONGEST_DETAIL = 160;

/** The entry for a container of which nobody could prove that it ended; `detail` says what failed. */
export function survivingContainer(runtime: string, containerId: string | null, detail: string): NamedProcess {
  const id = containerId === null ? '' : ` ${containerId.slice(0, 12)}`;
  return { name: `${runtime} container${id}: ${detail.slice(0, LONGEST_DETAIL)}`, pid: NO_PID };
}

/** `make (pid 4711), docker container 0123456789ab: kill: no answer in time`. */
export function survivorNames(survivors: readonly NamedProcess[]): string {
  return survivors.map(({ name, pid }) => (pid === NO_PID ? name : `${name} (pid ${pid})`)).join(', ');
}
