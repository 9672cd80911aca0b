import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../util/clock.ts';
import { errnoOf } from '../util/errors.ts';

/** `.status.json.1234.a1b2c3d4.tmp`: the writer's pid is in the name. */
const TEMP_NAME = /^\..+\.(\d+)\.[0-9a-f]{8}\.tmp$/;
/**
 * A write takes milliseconds. A pid says nothing about a writer in another pid namespace (two containers that share the folder), so a
 * young file is left alone whatever its pid, and one this old is left-over whatever its pid.
 */
const YOUNG_MS = 10_000;
const OLD_MS = 3_600_000;

/** A name in the same folder. Random, because in a container every supervisor has the same pid as the one that was killed before it. */
export function tempFor(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
}

const cleaned = new Set<string>();

/** Removes what killed writers left in `folder`; looks once per process and folder. Never throws. */
export function removeStaleTemps(folder: string): void {
  if (cleaned.has(folder)) return;
  cleaned.add(folder);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  const now = systemClock.now();
  for (const name of names) {
    const pid = TEMP_NAME.exec(name)?.[1];
    if (pid === undefined) continue;
    const path = join(folder, name);
    try {
      const age = now - lstatSync(path).mtimeMs;
      if (age > OLD_MS || (age > YOUNG_MS && isGone(Number(pid)))) unlinkSync(path);
    } catch {
      // Somebody else removed it first.
    }
  }
}

function isGone(pid: number): boolean {
  // We have not written here yet: a file with our pid is that of a predecessor.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errnoOf(error) === 'ESRCH';
  }
}
