import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { writeAtomic } from './atomic.ts';
import type { Layout } from './layout.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The identity of this log_dir, made at the first call and kept for ever: containers are labelled with it. A host name would not do,
 * it changes with every container. Callers hold a lock, so that no two make one at once.
 */
export function readOwner(paths: Pick<Layout, 'owner' | 'state'>): string {
  const known = ownerIn(paths.owner);
  if (known !== null) return known;
  mkdirSync(paths.state, { recursive: true });
  const owner = randomUUID();
  writeAtomic(paths.owner, `${owner}\n`);
  return owner;
}

/** A torn or foreign file holds no owner; the containers that carry the lost one are found by their round's record. */
function ownerIn(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return UUID.test(text) ? text : null;
  } catch {
    return null;
  }
}
