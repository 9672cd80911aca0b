import type { WallTime, Zone } from '../../util/zone.ts';
import { ZONE, zoneOf } from './zone-words.ts';

/** `3pm`, `10:10 p.m.`, `15:30`, `00:00:00`, `midnight`, with the zone behind it. A bare `3` is no time of day. */
export const CLOCK = String.raw`(?:(?<h12>\d{1,2})(?::(?<m12>\d{2})(?::(?<s12>\d{2}))?)?\s{0,3}(?<half>[ap])\.?\s?m(?![A-Za-z])\.?|(?<h24>\d{1,2}):(?<m24>\d{2})(?::(?<s24>\d{2})(?:\.\d{1,9})?)?(?![\d:])|(?<hour>midnight|noon)(?![A-Za-z]))${ZONE}`;

export type Clock = Pick<WallTime, 'hour' | 'minute' | 'second'> & { zone: Zone | null };

/** The time of day that was matched; midnight when a form had none. Null for one that no clock shows (`13pm`, `25:00`). */
export function clockOf(groups: Record<string, string | undefined>): Clock | null {
  const { h12, m12, s12, half, h24, m24, s24, hour: word, offset, zone: zoneWord } = groups;
  const zone = zoneOf(offset, zoneWord);
  if (h12 !== undefined) {
    const twelfth = Number(h12);
    if (twelfth < 1 || twelfth > 12) return null;
    return checked((twelfth % 12) + (half?.toLowerCase() === 'p' ? 12 : 0), Number(m12 ?? 0), Number(s12 ?? 0), zone);
  }
  if (h24 !== undefined) return checked(Number(h24), Number(m24), Number(s24 ?? 0), zone);
  return checked(word?.toLowerCase() === 'noon' ? 12 : 0, 0, 0, zone);
}

/** 24:00 is the end of the day. */
function checked(hour: number, minute: number, second: number, zone: Zone | null): Clock | null {
  const valid = minute < 60 && second < 60 && (hour < 24 || (hour === 24 && minute === 0 && second === 0));
  return valid ? { hour, minute, second, zone } : null;
}
