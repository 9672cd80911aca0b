import { spaceOf } from '../../host/disk/space.ts';
import { diskVerdict } from '../../host/disk/verdict.ts';
import type { Severity } from '../../host/memory/ladder.ts';
import { writtenFolders } from '../../round/folders.ts';
import { type Finding, projectCheck, type Status } from '../check.ts';

const STATUS: Record<Severity, Status> = { healthy: 'ok', warning: 'warning', critical: 'failed' };

const ROOM_ENOUGH = '; no warning, because percentages count only below 10 GB free';

export const disk = projectCheck(
  'disk',
  'space and inodes of each file system that rounds write to (`log_dir`, `work_dir`, the agents’ TMPDIR and HOME), judged as `serve` does',
  async ({ loaded, profiles }, { clock, env }) => {
    const folders = profiles.flatMap(({ profile }) => writtenFolders(loaded, profile, env));
    const unique = folders.filter(({ folder }, i) => folders.findIndex((other) => other.folder === folder) === i);
    const spaces = await spaceOf(unique, clock);
    if (spaces.length === 0) return [{ status: 'failed', summary: 'no file system answers', remedy: 'Look at the mounts.' }];
    return spaces.map((one): Finding => {
      const { disk_warning_pct: warningPct } = loaded.config.monitor.host_health;
      const { severity, message, usedPct, freeMb, inodesUsedPct } = diskVerdict(one, loaded.config.monitor.host_health);
      const keptBack = severity === 'critical' ? ': no round starts' : '';
      return {
        status: STATUS[severity],
        of: one.of,
        summary: `${message}${keptBack || (usedPct >= warningPct && severity === 'healthy' ? ROOM_ENOUGH : '')}`,
        ...(severity === 'healthy' ? {} : { remedy: 'Free space; runtime.round_log_retention bounds the number of round logs.' }),
        facts: { folder: one.folder, used_pct: usedPct, free_mb: freeMb, inodes_used_pct: inodesUsedPct },
      };
    });
  },
);
