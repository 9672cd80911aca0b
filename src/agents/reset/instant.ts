import { behindCue } from './cue.ts';
import { type Found, spanOf } from './found.ts';

/** Epoch seconds from 2015 to 2096: anything else with ten digits is a number of something else. */
const EARLIEST = 1_420_000_000;
const LATEST = 4_000_000_000;

/** `Claude AI usage limit reached|1766502000`, as old claude versions print it. */
const PIPE = /limit[^\n|]{0,60}\|\s{0,2}(\d{10}|\d{13})(?!\d)/gi;
/** `"resetsAt":1766502000`, `reset at 1766502000000`. */
const CUED = behindCue(String.raw`(\d{10}|\d{13})(?:\.\d+)?(?![\d.:])`);

/** A moment written as seconds or milliseconds since the epoch. */
export function findInstant(text: string): Found | null {
  for (const pattern of [PIPE, CUED]) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const epoch = epochSeconds(Number(match[1]));
      if (epoch !== null) return { epoch, span: spanOf(match) };
    }
  }
  return null;
}

/** A value that a record gives as a moment: epoch seconds or milliseconds, as a number or in digits; null for anything else. */
export function epochSeconds(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{10,13}(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  const seconds = number >= LATEST ? number / 1000 : number;
  return seconds >= EARLIEST && seconds < LATEST ? Math.ceil(seconds) : null;
}
