import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Emit } from '../events/emit.ts';
import { LEGACY_ROUND_LOG_NAME, ROUND_LOG_NAME } from '../state/layout.ts';
import { removeFile } from '../state/remove.ts';

/**
 * Keeps the newest `keep` round logs of a directory, by round number; 0 keeps all. Deleting more files at once than are kept was always
 * an upgrade or a mistyped number and never intent (one predecessor's upgrade would have deleted 12,193 of 12,293): then nothing goes.
 */
export function pruneRoundLogs(directory: string, keep: number, emit: Emit): void {
  if (keep <= 0) return;
  const logs = roundLogs(directory);
  const excess = logs.slice(0, Math.max(0, logs.length - keep));
  if (excess.length === 0) return;
  if (excess.length > keep) {
    emit('round_logs_prune_deferred', {
      directory,
      existing: logs.length,
      keep,
      would_delete: excess.length,
      hint: `delete the old logs by hand, or raise runtime.round_log_retention to at least ${Math.ceil(logs.length / 2)}`,
    });
    return;
  }
  for (const { name } of excess) removeFile(join(directory, name));
}

function roundLogs(directory: string): { name: string; round: number }[] {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch {
    return [];
  }
  return names
    .flatMap((name) => {
      const round = (ROUND_LOG_NAME.exec(name) ?? LEGACY_ROUND_LOG_NAME.exec(name))?.[1];
      return round === undefined ? [] : [{ name, round: Number(round) }];
    })
    .sort((a, b) => a.round - b.round || (a.name < b.name ? -1 : 1));
}
