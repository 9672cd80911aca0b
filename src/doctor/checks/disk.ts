import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { type Finding, projectCheck } from '../check.ts';

const GIB = 1024 ** 3;
/** A lost network mount answers never. */
const PATIENCE_MS = 3_000;

export const disk = projectCheck(
  'disk',
  'space and inodes of the file systems of `log_dir`, `work_dir` and the temporary folder, against the thresholds',
  async ({ loaded }, { clock }) => {
    const { runtime, monitor } = loaded.config;
    const { disk_warning_pct: warning, disk_critical_pct: critical } = monitor.host_health;
    const folders = { log_dir: runtime.log_dir, work_dir: runtime.work_dir, tmpdir: tmpdir() };
    return Promise.all(
      Object.entries(folders).map(async ([of, folder]): Promise<Finding> => {
        const answered = new AbortController();
        const space = await Promise.race([spaceOf(nearestExisting(folder)), clock.sleep(PATIENCE_MS, answered.signal)]);
        answered.abort();
        if (!space) return { status: 'failed', of, summary: `${folder}: the file system does not answer`, remedy: 'Look at the mount.' };
        const { used_pct: used, free_gb: free, inodes_used_pct: inodes } = space;
        const most = Math.max(used, inodes);
        const summary = `${used} % used, ${free} GB free${inodes > used ? `, ${inodes} % of the inodes` : ''}`;
        const remedy = 'Free space; runtime.round_log_retention bounds the number of round logs.';
        const facts = { folder, ...space };
        if (most >= critical) return { status: 'failed', of, summary: `${summary} (critical: ${critical} %)`, remedy, facts };
        if (most >= warning) return { status: 'warning', of, summary: `${summary} (warning: ${warning} %)`, remedy, facts };
        return { status: 'ok', of, summary, facts };
      }),
    );
  },
);

async function spaceOf(folder: string) {
  try {
    const { blocks, bfree, bavail, bsize, files, ffree } = await statfs(folder);
    const used = blocks - bfree;
    return {
      // As df counts: what is reserved for root is neither used nor free.
      used_pct: percent(used, used + bavail),
      free_gb: Math.round((10 * bavail * bsize) / GIB) / 10,
      // btrfs and the like have no fixed number of inodes and say 0.
      inodes_used_pct: percent(files - ffree, files),
    };
  } catch {
    return null;
  }
}

function percent(part: number, whole: number): number {
  return whole > 0 ? Math.round((1000 * part) / whole) / 10 : 0;
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}
