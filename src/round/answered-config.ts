import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { isAcknowledged } from '../config/in-use.ts';
import { locate } from '../git/locate.ts';
import { bytesOf } from '../git/names.ts';
import type { Layout } from '../state/layout.ts';

/**
 * The configuration file as the tree names it, when a person has said `ack config` to it as it is: their edit, made while a round runs, and
 * not the agent's dirt. Null otherwise.
 */
export function answeredConfig(paths: Layout, configPath: string, workDir: string): string | null {
  if (!isAcknowledged(paths, configPath)) return null;
  try {
    const place = locate(workDir);
    return place === null ? null : bytesOf(relative(place.top, realpathSync(configPath)));
  } catch {
    return null;
  }
}
