import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from './atomic.ts';
import type { Layout } from './layout.ts';

/**
 * Which work tree this log_dir was used for before, when it was another one: two projects whose folders have the same name share the
 * presets' log_dir, and with it numbers, pauses and the accepted configuration. Null when it is the same, or the first. Remembers ours.
 */
export function otherUser(paths: Pick<Layout, 'state'>, workDir: string): string | null {
  const file = join(paths.state, 'used-by');
  let before: string | null = null;
  try {
    before = readFileSync(file, 'utf8').trim();
  } catch {
    // Never written, or not ours to read.
  }
  if (before === workDir) return null;
  try {
    writeAtomic(file, `${workDir}\n`, { durable: false });
  } catch {
    // Full or read-only: the start-up checks tell.
  }
  return before;
}
