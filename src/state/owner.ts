import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { writeAtomic } from './atomic.ts';
import type { Layout } from './layout.ts';
import { lookAtText } from './look.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The identity of this log_dir, made at the first call and kept for ever: containers are labelled with it. A host name would not do,
 * it changes with every container. Callers hold a lock, so that no two make one at once.
 */
export function readOwner(paths: Pick<Layout, 'owner' | 'state'>): string {
  const seen = lookAtText(paths.owner);
  // Of a torn or foreign file nothing is taken; the containers that carry the lost one are found by their round's record.
  if (seen.kind === 'ok' && isOwner(seen.value)) return seen.value.trim();
  mkdirSync(paths.state, { recursive: true });
  const owner = randomUUID();
  writeAtomic(paths.owner, `${owner}\n`);
  return owner;
}

export function isOwner(text: string): boolean {
  return UUID.test(text.trim());
}
