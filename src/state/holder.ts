import { unlinkSync } from 'node:fs';
import { type Clock, isoTime, systemClock } from '../util/clock.ts';
import { redactHead } from '../util/redact.ts';
import { writeJson } from './atomic.ts';
import { lookAtJson } from './look.ts';
import { asProcessStart, ownStart, type ProcessStart, stillLives } from './process-start.ts';

/** Who holds a lock: for people only. The truth is the kernel's lock. */
export interface Holder extends ProcessStart {
  /** ISO, UTC. */
  started_at: string;
  /** Redacted, at most 80 characters. */
  cmdline: string;
}

const CMDLINE_CHARS = 80;

/** Writes the side file (`<lock>.holder`) after the lock was taken. A failure costs information, never the lock. */
export function writeHolder(path: string, clock: Clock = systemClock): void {
  const cmdline = redactHead(process.argv.join(' '), CMDLINE_CHARS);
  const holder: Holder = { ...ownStart(), started_at: isoTime(clock.now()), cmdline };
  try {
    writeJson(path, holder, { durable: false });
  } catch {
    // A full disk: the next one to ask reads "holder unknown".
  }
}

/** Before the lock is released: afterwards the file could be that of the next holder. */
export function removeHolder(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Never written.
  }
}

export function readHolder(path: string): Holder | 'missing' | 'unreadable' {
  const seen = lookAtJson(path);
  if (seen.kind === 'missing') return 'missing';
  const start = seen.kind === 'ok' ? asProcessStart(seen.value) : null;
  if (seen.kind !== 'ok' || start === null) return 'unreadable';
  const { started_at, cmdline } = seen.value as Record<string, unknown>;
  return { ...start, started_at: typeof started_at === 'string' ? started_at : '', cmdline: typeof cmdline === 'string' ? cmdline : '' };
}

/** One phrase about who holds a lock that could not be taken, in the Python predecessor's four forms. */
export function describeHolder(path: string, clock: Clock = systemClock): string {
  const holder = readHolder(path);
  if (holder === 'missing') return 'holder unknown, sidecar missing';
  if (holder === 'unreadable') return 'holder info unreadable';
  if (stillLives(holder) === 'no') return `stale sidecar, holder PID ${holder.pid} no longer alive`;
  const since = Date.parse(holder.started_at);
  const age = Number.isNaN(since) ? 'unknown' : `${Math.max(0, Math.floor((clock.now() - since) / 1000))}s`;
  return `held by PID ${holder.pid}, age ${age}, cmd: ${holder.cmdline || 'unknown'}`;
}
