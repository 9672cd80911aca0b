import type { Schedule } from '../../schedule/verdict.ts';
import { tryWriteJson } from '../../state/atomic.ts';
import type { Layout } from '../../state/layout.ts';
import { lookAtJson } from '../../state/look.ts';
import { type Clock, isoTime } from '../../util/clock.ts';
import { epochOf } from '../../util/epoch.ts';

/** Starts that passed while serve was stopped on purpose are made up for so long: it was restarted, upgraded, or the machine was. */
const MADE_UP_MS = 3600 * 1000;
/** A start so far ahead was noted by a clock that was wrong. */
const FAR_AHEAD_MS = 24 * 3600 * 1000;
/** Enough for every phase and for a few changes of the configuration. */
const MOST_KEPT = 64;

/**
 * When the newest round by each set of cron expressions started: the next start is the first one after that, however late it is. On
 * disk, so that neither a restart nor a machine that slept loses a start or has it twice; several that were missed are one.
 */
export interface StartKeeper {
  /** Epoch ms; from now on for expressions that were not seen before. */
  lastStart(schedule: Schedule): number;
  /** A round starts by this schedule. */
  started(schedule: Schedule): void;
  /** It could not: the start is still due. */
  giveBack(): void;
}

export function keepStarts(paths: Layout, clock: Clock, { deliberateRestart }: { deliberateRestart: boolean }): StartKeeper {
  const starts = readStarts(paths, clock.now(), deliberateRestart);
  let taken: { key: string; before: number } | null = null;
  const write = () => {
    const kept = [...starts].slice(-MOST_KEPT).map(([cron, last]) => ({ cron, at: isoTime(last) }));
    tryWriteJson(paths.starts, { starts: kept });
  };
  const note = (key: string, at: number) => {
    // At the end, so that the oldest are dropped.
    starts.delete(key);
    starts.set(key, at);
    write();
  };
  if (deliberateRestart && starts.size > 0) write();
  const lastStart = (schedule: Schedule): number => {
    const now = clock.now();
    const key = keyOf(schedule);
    if (key === null) return now;
    const known = starts.get(key);
    if (known !== undefined && known - now <= FAR_AHEAD_MS) return known;
    note(key, now);
    return now;
  };
  return {
    lastStart,
    started(schedule) {
      const key = keyOf(schedule);
      taken = null;
      if (key === null) return;
      const before = lastStart(schedule);
      taken = { key, before };
      note(key, Math.max(clock.now(), before));
    },
    giveBack() {
      if (taken !== null) note(taken.key, taken.before);
      taken = null;
    },
  };
}

/** Expressions and their zone; null without any. Other windows do not begin anew. */
function keyOf({ cron, timezone }: Schedule): string | null {
  return cron.length === 0 ? null : JSON.stringify([timezone, ...cron]);
}

function readStarts(paths: Layout, now: number, deliberateRestart: boolean): Map<string, number> {
  const seen = lookAtJson(paths.starts);
  const list = seen.kind === 'ok' ? (seen.value as { starts?: unknown } | null)?.starts : null;
  const starts = new Map<string, number>();
  for (const entry of Array.isArray(list) ? list : []) {
    const { cron, at } = (entry ?? {}) as Record<string, unknown>;
    const last = epochOf(at);
    if (typeof cron !== 'string' || last === null) continue;
    starts.set(cron, deliberateRestart ? Math.max(last, now - MADE_UP_MS) : last);
  }
  return starts;
}
