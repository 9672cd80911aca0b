import { namedZone, type Zone } from '../../util/zone.ts';

/** Abbreviations that name one distance from UTC, in minutes. Of those that mean several, the one that agent CLIs were seen to print. */
const FIXED: Record<string, number> = {
  utc: 0,
  gmt: 0,
  z: 0,
  wet: 0,
  west: 60,
  bst: 60,
  cet: 60,
  cest: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  ist: 330,
  sgt: 480,
  hkt: 480,
  awst: 480,
  jst: 540,
  kst: 540,
  aest: 600,
  aedt: 660,
  nzst: 720,
  nzdt: 780,
  brt: -180,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  akst: -540,
  akdt: -480,
  hst: -600,
};

/** Words for a zone with its changes of time. */
const NAMED: Record<string, string> = {
  pt: 'America/Los_Angeles',
  pacific: 'America/Los_Angeles',
  mt: 'America/Denver',
  mountain: 'America/Denver',
  ct: 'America/Chicago',
  central: 'America/Chicago',
  et: 'America/New_York',
  eastern: 'America/New_York',
};

/** What may stand behind a time as its zone, as the groups `offset` and `zone`; to be matched case-insensitively. */
export const ZONE = String.raw`(?:\s{0,3}\(?(?:(?<offset>(?:UTC|GMT)\s?[+\-\u2212]\d{1,2}(?::?\d{2})?|[+\-\u2212]\d{2}:?\d{2})(?!\d)|(?!today|tomorrow)(?<zone>[A-Za-z]+(?:\/[A-Za-z0-9_+\-]+){1,2}|[A-Za-z]{1,8})(?![A-Za-z0-9])(?:\s(?:standard |daylight )?time)?)\)?)?`;

/** The zone that was written, or null: then a word that is none (`resets 3pm and ...`) was caught. */
export function zoneOf(offset: string | undefined, word: string | undefined): Zone | null {
  if (offset !== undefined) return offsetZone(offset);
  if (word === undefined) return null;
  if (word.includes('/')) return namedZone(word);
  const known = word.toLowerCase();
  if (Object.hasOwn(FIXED, known)) return { offsetMinutes: FIXED[known] ?? 0 };
  return Object.hasOwn(NAMED, known) ? { name: NAMED[known] ?? 'UTC' } : null;
}

/** `GMT-3`, `UTC+5:30`, `+02:00`, `-0800`. */
function offsetZone(text: string): Zone | null {
  const found = /([+\-\u2212])(\d{1,2}):?(\d{2})?$/.exec(text);
  if (found === null) return null;
  const hours = Number(found[2]);
  const minutes = Number(found[3] ?? 0);
  if (hours > 14 || minutes > 59) return null;
  const distance = hours * 60 + minutes;
  return { offsetMinutes: found[1] === '+' ? distance : -distance };
}
