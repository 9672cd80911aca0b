import { epochOf } from '../util/epoch.ts';
import { writeJson } from './atomic.ts';
import type { Layout } from './layout.ts';
import { readState } from './serve-state.ts';

/** `state/acked.json`: when a person last answered, by reason (ISO, UTC). For those in serve who must know that it was a person. */
export type Acked = Record<string, string>;

export function readAcked(paths: Pick<Layout, 'acked'>): Acked {
  return readState(paths.acked, asAcked) ?? {};
}

/** Keeps the other answers. Throws AR-STA-001 when it cannot be written. */
export function writeAcked(paths: Pick<Layout, 'acked'>, reasons: readonly string[], at: string): void {
  writeJson(paths.acked, { ...readAcked(paths), ...Object.fromEntries(reasons.map((reason) => [reason, at])) });
}

function asAcked(value: unknown): Acked | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(Object.entries(value).filter(([, at]) => epochOf(at) !== null)) as Acked;
}
