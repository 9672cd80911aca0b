import type { Clock } from '../../util/clock.ts';
import type { DiskBook } from './book.ts';
import { spaceOf, type WatchedFolder, type WatchedSpace } from './space.ts';
import { type DiskThresholds, type DiskVerdict, roomToEnd } from './verdict.ts';

const MB = 1024 * 1024;
/** A fast disk takes so much a second (an NVMe drive of 2 GB/s); a look comes before it could be full. */
const FASTEST_BYTES_PER_MS = (2 * 1024 * MB) / 1_000;
const LONGEST_PAUSE_MS = 10_000;
const LEAST_PAUSE_MS = 500;
/** So many looks in a row must find it nearly full: whoever gets ENOSPC often makes room again by ending. */
const LOOKS_IN_A_ROW = 3;

export interface DiskWatchOptions {
  folders: readonly WatchedFolder[];
  limits: DiskThresholds;
  book: DiskBook;
  clock: Clock;
  roundNum: number;
  look?: typeof spaceOf;
}

export interface DiskWatch {
  /** Aborts with 'disk' when the round is to be ended. */
  stop: AbortSignal;
  end(): DiskVerdict | null;
  close(): void;
}

/** Watches the file systems that a round writes to. Never throws, never waits for a disk that does not answer. */
export function watchDisks({ folders, limits, book, clock, roundNum, look = spaceOf }: DiskWatchOptions): DiskWatch {
  const [closed, stop] = [new AbortController(), new AbortController()];
  let end: DiskVerdict | null = null;
  const watching = async () => {
    let pause = LEAST_PAUSE_MS;
    let inARow = 0;
    while (end === null) {
      await clock.sleep(pause, closed.signal);
      if (closed.signal.aborted) return;
      const spaces = await look(folders, clock);
      if (closed.signal.aborted) return;
      const worst = book.enter(spaces, limits, roundNum);
      inARow = worst?.nearlyFull ? inARow + 1 : 0;
      if (inARow >= LOOKS_IN_A_ROW) {
        end = worst;
        stop.abort('disk');
      }
      pause = pauseFor(spaces);
    }
  };
  watching().catch(() => {});
  return {
    stop: stop.signal,
    end: () => end,
    // Nobody waits for a disk that does not answer: what it says later is not entered any more.
    close: () => closed.abort(),
  };
}

/** Milliseconds until the next look. Pure. */
export function pauseFor(spaces: readonly WatchedSpace[]): number {
  const room = Math.min(...spaces.map(({ space }) => roomToEnd(space)));
  return Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, room / FASTEST_BYTES_PER_MS));
}
