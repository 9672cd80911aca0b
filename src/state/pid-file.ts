import { unlinkSync } from 'node:fs';
import { tryWriteJson, writeJson } from './atomic.ts';
import { lookAtJson } from './look.ts';
import { asProcessStart, ownStart, type ProcessStart, stillLives } from './process-start.ts';

/** The process that a pid file names and that lives. */
export interface Running extends ProcessStart {
  /** False where its start time cannot be compared (no /proc): the pid may be somebody else's by now, so do not signal it. */
  verified: boolean;
}

/** Writes `serve.pid` for this process: the predecessor's two fields, then what identifies a process for certain. */
export function writePidFile(path: string): void {
  writeJson(path, ownStart());
}

/** Writes it anew when it is gone or names somebody else: an agent may have removed it, with all of log_dir. */
export function keepPidFile(path: string): void {
  if (readPidFile(path)?.pid !== process.pid) tryWriteJson(path, ownStart());
}

/**
 * Whom the pid file at `path` names, or null when there is none, it is no pid file, or that very process is gone: a pid is given to
 * somebody else sooner or later, and a stale file must not get a stranger signalled. Never writes.
 */
export function readPidFile(path: string): Running | null {
  const seen = lookAtJson(path);
  const start = seen.kind === 'ok' ? asProcessStart(seen.value) : null;
  if (start === null) return null;
  const lives = stillLives(start);
  return lives === 'no' ? null : { ...start, verified: lives === 'yes' };
}

/** Removes the file unless it names somebody else who lives. */
export function removePidFile(path: string): void {
  const running = readPidFile(path);
  if (running !== null && running.pid !== process.pid) return;
  try {
    unlinkSync(path);
  } catch {
    // It is gone, or the folder is: what counts is the lock.
  }
}
