import { renameSync } from 'node:fs';
import { compactTime, systemClock } from '../util/clock.ts';
import { lstatOrNull } from '../util/stat.ts';

/** What `state_file_set_aside` tells. */
export interface SetAside {
  path: string;
  set_aside: string | null;
  reason: string;
}

/** Renames an unusable file to `<path>.corrupt-<UTC stamp>`; null when that is not possible (a read-only file system). */
export function setAside(path: string): string | null {
  const stamp = compactTime(systemClock.now());
  for (let n = 1; n <= 100; n++) {
    const target = n === 1 ? `${path}.corrupt-${stamp}` : `${path}.corrupt-${stamp}-${n}`;
    if (lstatOrNull(target) !== null) continue;
    try {
      renameSync(path, target);
      return target;
    } catch {
      return null;
    }
  }
  return null;
}
