/** A zone of the tz database (`Europe/Zurich`), or a fixed distance from UTC in minutes. */
export type Zone = { name: string } | { offsetMinutes: number };

/** A moment on somebody's wall. `month` is 1 to 12. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Making a formatter costs some fifty microseconds, using one about one. */
const formatters = new Map<string, Intl.DateTimeFormat | null>();

function formatterOf(name: string): Intl.DateTimeFormat | null {
  const known = formatters.get(name);
  if (known !== undefined) return known;
  let made: Intl.DateTimeFormat | null = null;
  try {
    made = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    // `Etc/Unknown`, which a CLI prints where the host has no zone, is no zone for Intl either.
  }
  // Names come from logs: a hostile one must not fill the memory.
  if (formatters.size < 1000) formatters.set(name, made);
  return made;
}

/** The zone of that name in the tz database, or null. */
export function namedZone(name: string): Zone | null {
  return formatterOf(name) === null ? null : { name };
}

/** The zone of that name, or the host's own: of TZ, else of /etc/localtime, as Node read it at its start. */
export function zoneOf(name: string | null): Zone {
  // Where the host names no zone, `Etc/Unknown` say, its clock shows UTC.
  return namedZone(name ?? Intl.DateTimeFormat().resolvedOptions().timeZone) ?? { name: 'UTC' };
}

/** `Europe/Zurich`, `UTC+02:00`. */
export function zoneName(zone: Zone): string {
  if ('name' in zone) return zone.name;
  const minutes = Math.abs(zone.offsetMinutes);
  return `UTC${zone.offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** How far `zone` is ahead of UTC at that moment, in milliseconds. */
export function offsetAt(epochMs: number, zone: Zone): number {
  if ('offsetMinutes' in zone) return zone.offsetMinutes * MINUTE_MS;
  const text = formatterOf(zone.name)?.format(epochMs) ?? '';
  const found = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text);
  if (found === null) return 0;
  const ms = (Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4] ?? 0)) * 1000;
  return found[1] === '-' ? -ms : ms;
}

/** What the clock on the wall shows there. */
export function wallTime(epochMs: number, zone: Zone): WallTime & { weekday: number } {
  const at = new Date(epochMs + offsetAt(epochMs, zone));
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    weekday: at.getUTCDay(),
  };
}

/**
 * The moments (epoch ms, ascending) at which the wall shows this: two in the hour that a zone repeats in autumn. A time that the spring
 * change leaves out counts as so much after the change as it is after the gap's beginning: 02:30 is then 03:30.
 */
export function momentsOf(wall: WallTime, zone: Zone): number[] {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const before = offsetAt(asUtc - DAY_MS, zone);
  const after = offsetAt(asUtc + DAY_MS, zone);
  const candidates = [...new Set([before, after])].map((offset) => ({ at: asUtc - offset, offset }));
  const real = candidates.filter(({ at, offset }) => offsetAt(at, zone) === offset).map(({ at }) => at);
  return real.length > 0 ? real.sort((a, b) => a - b) : [asUtc - before];
}

/**
 * The first moment after `from` and not after `until` (epoch ms) at which the zone's distance from UTC changes, or null. A change that is
 * undone within a day is not seen; no zone has had one.
 */
export function nextTransition(zone: Zone, from: number, until: number): number | null {
  if ('offsetMinutes' in zone) return null;
  const offset = offsetAt(from, zone);
  for (let before = from; before < until; before += DAY_MS) {
    const after = Math.min(before + DAY_MS, until);
    if (offsetAt(after, zone) === offset) continue;
    let [same, other] = [before, after];
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (offsetAt(middle, zone) === offset) same = middle;
      else other = middle;
    }
    return other;
  }
  return null;
}
