import { join } from 'node:path';
import { monthlyName } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import { errnoOf, messageOf } from '../util/errors.ts';
import { type Redact, redact } from '../util/redact.ts';
import { appendLine } from './append.ts';
import type { EventFields, EventKind } from './catalogue.ts';
import { checkInDevelopment } from './development.ts';
import type { Emit } from './emit.ts';
import { eventLine } from './shape.ts';

export interface EventLog {
  /** Never throws, never waits. */
  emit: Emit;
  /** Events that are gone for good since the log was opened. */
  readonly lost: number;
  /** Tries once more to write what could not be written; true when nothing is left. For the end of the program. */
  flush(): boolean;
}

export interface EventLogOptions {
  /** Takes secrets out of texts; see `redactor` for one that knows the values of an environment. */
  redact?: Redact;
  /** How often lines that could not be written are tried again when no event comes, ms. */
  retryMs?: number;
}

/** Frequent enough that an event is late by seconds when space returns, rare enough that a dead disk costs nothing. */
const RETRY_MS = 5_000;
/** What is kept for a disk that comes back: some thirty rounds. */
const MAX_PENDING = 500;

/**
 * Opens the event log of a folder. Each event is one whole line in `events-YYYY-MM.jsonl` (UTC month). When writing fails (full or
 * read-only disk, vanished folder) the last 500 lines are kept and tried again, and once it works `events_degraded` tells how many
 * came late and how many are lost. Nothing is synced: after a power cut the last seconds may be missing, and state files do not
 * depend on them.
 */
export function openEvents(logDir: string, clock: Clock, options: EventLogOptions = {}): EventLog {
  const { redact: hide = redact, retryMs = RETRY_MS } = options;
  const check = checkInDevelopment();
  const pending: { path: string; line: string; late: boolean }[] = [];
  let timer: NodeJS.Timeout | null = null;
  let failure: { error: string; lost: number; delayed: number } | null = null;
  let lost = 0;

  const lose = (error: string) => {
    lost += 1;
    failure ??= { error, lost: 0, delayed: 0 };
    failure.lost += 1;
  };
  const enqueue = (kind: string, fields: Readonly<Record<string, unknown>>) => {
    const at = clock.now();
    pending.push({ path: join(logDir, monthlyName('events', at)), line: eventLine(kind, fields, at, hide), late: false });
  };
  const writePending = () => {
    for (let next = pending[0]; next !== undefined; next = pending[0]) {
      appendLine(next.path, next.line);
      pending.shift();
      if (next.late && failure !== null) failure.delayed += 1;
    }
  };
  const drain = (): boolean => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    try {
      writePending();
      if (failure !== null) {
        const { error, lost, delayed } = failure;
        appendLine(
          join(logDir, monthlyName('events', clock.now())),
          eventLine('events_degraded', { lost, delayed, error } satisfies EventFields<'events_degraded'>, clock.now(), hide),
        );
        failure = null;
      }
      return true;
    } catch (error) {
      failure ??= { error: errnoOf(error) ?? messageOf(error), lost: 0, delayed: 0 };
      for (const waiting of pending) waiting.late = true;
      // The oldest go first: how a round ended matters more than that it began.
      while (pending.length > MAX_PENDING) {
        pending.shift();
        lose(failure.error);
      }
      timer = setTimeout(drain, retryMs);
      timer.unref();
      return false;
    }
  };

  return {
    emit<K extends EventKind>(kind: K, fields: EventFields<K>) {
      check?.(kind, fields);
      try {
        enqueue(kind, fields as Readonly<Record<string, unknown>>);
      } catch (error) {
        lose(messageOf(error));
      }
      drain();
    },
    get lost() {
      return lost;
    },
    flush: drain,
  };
}
