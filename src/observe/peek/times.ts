import { humanDuration } from '../../util/duration.ts';

/** `14:03`, or `2026-11-30 14:03` on another day than `now`: this machine's local time, because a person reads it beside a clock. */
export function clockTime(epochMs: number, now: number): string {
  const at = new Date(epochMs);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (at.toDateString() === new Date(now).toDateString()) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

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

function two(n: number): string {
  return String(n).padStart(2, '0');
}
