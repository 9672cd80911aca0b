import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../util/clock.ts';
import { errnoOf } from '../../util/errors.ts';

/** Room on one file system. Bytes; what is reserved for root counts as used. */
export interface DiskSpace {
  total: number;
  available: number;
  /** In percent of what is used and available together, as `df` counts. */
  usedPct: number;
  /** 0 where there is no fixed number (btrfs and the like). */
  inodes: number;
  inodesFree: number;
}

/** A folder that rounds write to. */
export interface WatchedFolder {
  folder: string;
  /** What it is: `log_dir`, `work_dir`, `TMPDIR`, `HOME`. */
  of: string;
}

/** The first of the watched folders on a file system, and the room there. */
export interface WatchedSpace extends WatchedFolder {
  space: DiskSpace;
}

/** A lost network mount answers never. */
const PATIENCE_MS = 3_000;
/** Questions that were never answered: each holds one of Node's four threads, so it is not asked a second time. */
const unanswered = new Set<string>();

/** Room on the file systems of these folders, each told once; who does not answer, or is not there, is left out. */
export async function spaceOf(folders: readonly WatchedFolder[], clock: Clock): Promise<WatchedSpace[]> {
  const answers = await Promise.all(folders.map(async ({ of, folder }) => ({ of, folder, answer: await ask(folder, clock) })));
  const seen = new Set<number>();
  return answers.flatMap(({ of, folder, answer }) => {
    if (answer === null || seen.has(answer.device)) return [];
    seen.add(answer.device);
    return [{ of, folder, space: answer.space }];
  });
}

async function ask(folder: string, clock: Clock): Promise<{ device: number; space: DiskSpace } | null> {
  if (unanswered.has(folder)) return null;
  const patience = new AbortController();
  unanswered.add(folder);
  const asked = look(folder).finally(() => unanswered.delete(folder));
  const answer = await Promise.race([asked, clock.sleep(PATIENCE_MS, patience.signal).then(() => null)]);
  patience.abort();
  return answer;
}

/** Of the nearest folder that is there: one that is not there yet will be made in it. */
async function look(folder: string): Promise<{ device: number; space: DiskSpace } | null> {
  try {
    const [{ dev }, { blocks, bfree, bavail, bsize, files, ffree }] = await Promise.all([stat(folder), statfs(folder)]);
    const used = blocks - bfree;
    const usable = used + bavail;
    return {
      device: dev,
      space: {
        total: usable * bsize,
        available: bavail * bsize,
        usedPct: usable > 0 ? Math.round((1000 * used) / usable) / 10 : 0,
        inodes: files,
        inodesFree: ffree,
      },
    };
  } catch (error) {
    return errnoOf(error) === 'ENOENT' && dirname(folder) !== folder ? look(dirname(folder)) : null;
  }
}
