import { namedZone, type Zone } from '../util/zone.ts';
import { findCalendar } from './reset/calendar.ts';
import { findInstant } from './reset/instant.ts';
import { findRelative } from './reset/relative.ts';

export interface ResetTime {
  /** When the limit ends: epoch seconds, whole, never before `nowEpoch`. */
  epoch: number;
  /** Where the text says so, from its cue ("resets", "try again") to its end. */
  span: readonly [start: number, end: number];
}

/** More text than this is no error message. */
const LONGEST_TEXT = 16_384;
/** Further ahead than any limit that a provider was seen to state: a misread date. */
const FARTHEST_S = 400 * 86_400;
const UTC: Zone = { offsetMinutes: 0 };

/**
 * The end of a limit as an error message states it: seconds or milliseconds since the epoch (`|1766502000`), a date, a weekday or a
 * time of day with or without a zone (`resets Aug 3, 7am (Europe/Zurich)`, `10:57 PM GMT-3`), or a distance (`try again in 20s`,
 * `Retry-After: 120`). Only behind a word that announces it; null when there is none.
 *
 * `zone` (IANA; UTC when it is none) is that of times without one: the agent's. What has just passed is now; what a time of day leaves
 * open is its next occurrence, at most a day ahead, and a weekday's at most a week.
 */
export function parseResetTime(text: string, nowEpoch: number, zone: string): ResetTime | null {
  const bounded = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
  const found = findInstant(bounded) ?? findCalendar(bounded, nowEpoch, namedZone(zone) ?? UTC) ?? findRelative(bounded, nowEpoch);
  if (found === null || found.epoch - nowEpoch > FARTHEST_S) return null;
  return { epoch: Math.ceil(Math.max(found.epoch, nowEpoch)), span: found.span };
}
