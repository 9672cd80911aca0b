import { behindCue } from './cue.ts';
import { type Found, spanOf } from './found.ts';

const UNIT_S: [pattern: string, seconds: number][] = [
  ['weeks?|wks?|w', 604_800],
  ['days?|d', 86_400],
  ['hours?|hrs?|hr|h', 3600],
  ['milliseconds?|millis|msecs?|ms', 0.001],
  ['minutes?|mins?|m', 60],
  ['seconds?|secs?|s', 1],
];
const NUMBER = String.raw`(?:\d{1,7}(?:\.\d{1,9})?(?=\s{0,3}[a-z])|an?(?=\s)|half an(?=\s))`;
const PART = String.raw`${NUMBER}\s{0,3}(?:${UNIT_S.map(([pattern]) => pattern).join('|')})(?![A-Za-z])`;
const PARTS = `(${PART}(?:[\\s,]{0,3}(?:and )?${PART}){0,5})`;
/** `in 3 hours 12 minutes`, `after 21h34m11s`, `"retryDelay": "32s"`, `within 24h`. */
const FORM = behindCue(PARTS);
/** `Retry-After: 120`, `"retry_after":30`, `"resets_in_seconds":602705`: a bare number of seconds, behind these words alone. */
const BARE =
  /(?<![A-Za-z])(retry[-_ ]?after(?:[-_ ]?ms)?|resets?[-_ ]?in[-_ ]?seconds|retry[-_ ]?in[-_ ]?seconds)["']?\s{0,3}[:=]?\s{0,3}["']?(\d{1,8}(?:\.\d{1,9})?)(?![\d:/-]|\.\d|\s{0,3}[A-Za-z])/gi;
/** Further ahead than any limit that a provider was seen to state. */
const LONGEST_S = 400 * 86_400;

/** How long from now: `now` in epoch seconds. */
export function findRelative(text: string, now: number): Found | null {
  FORM.lastIndex = 0;
  for (let match = FORM.exec(text); match !== null; match = FORM.exec(text)) {
    const seconds = secondsOf(match[1] ?? '');
    if (seconds !== null && seconds <= LONGEST_S) return { epoch: now + seconds, span: spanOf(match) };
  }
  BARE.lastIndex = 0;
  const match = BARE.exec(text);
  if (match === null) return null;
  const seconds = Number(match[2]) / (/ms$/i.test(match[1] ?? '') ? 1000 : 1);
  return seconds <= LONGEST_S ? { epoch: now + seconds, span: spanOf(match) } : null;
}

const ONE_PART = new RegExp(String.raw`(${NUMBER})\s{0,3}(?:${UNIT_S.map(([pattern]) => `(${pattern})`).join('|')})(?![A-Za-z])`, 'gi');

function secondsOf(parts: string): number | null {
  let seconds: number | null = null;
  // `1h30m`: a digit may follow a unit at once.
  for (const part of parts.matchAll(ONE_PART)) {
    const unit = UNIT_S[part.slice(2).findIndex((found) => found !== undefined)]?.[1] ?? 0;
    seconds = (seconds ?? 0) + amountOf(part[1] ?? '') * unit;
  }
  return seconds;
}

function amountOf(text: string): number {
  if (/^half/i.test(text)) return 0.5;
  return /^an?$/i.test(text) ? 1 : Number(text);
}
