import { humanDuration } from '../../util/duration.ts';
import { clockTime } from '../../util/local-time.ts';

/** `until 14:03 (45 s from now)`; a time that has passed is `a moment more`. */
export function untilWords(epochMs: number, now: number): string {
  return epochMs <= now ? 'a moment more' : `until ${clockTime(epochMs, now)} (${humanDuration(epochMs - now)} from now)`;
}

/** `12 min ago`, `just now`; empty when the time is not known. */
export function agoWords(iso: string | undefined | null, now: number): string {
  const ms = iso ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(ms)) return '';
  return now - ms < 1000 ? 'just now' : `${humanDuration(now - ms)} ago`;
}
