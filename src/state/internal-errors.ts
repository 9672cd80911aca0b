import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { type Clock, isoTime } from '../util/clock.ts';
import { redactHead } from '../util/redact.ts';
import type { Layout } from './layout.ts';

/** A supervisor that fails at each start must not fill the disk with traces: above this the file is begun anew. */
const MOST_BYTES = 1024 * 1024;
const LONGEST_TRACE = 20_000;
/** The agent may write here too: a link must not lead us elsewhere, a FIFO not block us. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Leaves the trace of a bug of ours in log_dir, with its causes; returns the file's path, or null when it could not be written. */
export function recordInternalError({ internalErrors: path }: Layout, error: unknown, clock: Clock): string | null {
  try {
    const descriptor = openSync(path, FLAGS, 0o644);
    try {
      if (fstatSync(descriptor).size > MOST_BYTES) ftruncateSync(descriptor);
      writeSync(descriptor, `${isoTime(clock.now())} ${redactHead(traceOf(error), LONGEST_TRACE)}\n`);
    } finally {
      closeSync(descriptor);
    }
    return path;
  } catch {
    return null;
  }
}

export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? String(error);
  return error.cause === undefined ? own : `${own}\ncaused by: ${traceOf(error.cause)}`;
}
