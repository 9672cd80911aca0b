import { type LeftBehind, leftBehind, namesIn } from '../host/disk/left-behind.ts';
import type { DiskVerdict } from '../host/disk/verdict.ts';
import { watchDisks } from '../host/disk/watch.ts';
import { writtenFolders } from './folders.ts';
import { guardMemory, type MemoryReport } from './memory.ts';
import type { OpenRound } from './open.ts';
import type { RoundRequest, RoundWorld } from './types.ts';

export interface HostReport {
  memory: MemoryReport;
  /** What the round left in its temporary folder, when that is much. */
  left: (LeftBehind & { folder: string }) | null;
  /** The disk that was nearly full, so that the round was ended. */
  disk: DiskVerdict | null;
}

const TICK_MS = 100;

/** What guards the machine beside a round: its memory and its disks. `stop` aborts with 'memory' or 'disk'. */
export function guardHost(world: RoundWorld, request: RoundRequest, open: OpenRound) {
  const { loaded } = request;
  const memory = guardMemory(world, request, open);
  const folders = writtenFolders(loaded, open.profile, world.env);
  const temporary = folders.find(({ of }) => of === 'TMPDIR')?.folder ?? null;
  const there = temporary === null ? null : namesIn(temporary);
  // Times of files are those of the kernel's tick, some milliseconds behind the clock.
  const since = world.clock.now() - TICK_MS;
  const disks = watchDisks({
    folders,
    limits: loaded.config.monitor.host_health,
    book: world.disks,
    clock: world.clock,
    roundNum: open.roundNum,
  });
  let report: Promise<HostReport> | null = null;
  const close = async (): Promise<HostReport> => {
    disks.close();
    const ended = await memory.close();
    const left = temporary === null || there === null ? null : leftBehind(temporary, there, since, world.clock);
    return { memory: ended, disk: disks.end(), left: left === null || temporary === null ? null : { folder: temporary, ...left } };
  };
  return {
    stop: AbortSignal.any([memory.stop, disks.stop]),
    hurry: memory.hurry,
    spawned: memory.spawned,
    /** When everybody of the round is gone. Again: the same report. */
    close: () => (report ??= close()),
  };
}
