const LONGEST_DAY_MS = 27 * 3_600_000;

/** Making a formatter is dear, using one is not. */
const formatters = new Map<string, Intl.DateTimeFormat>();

export interface Day {
  /** Epoch ms of its first moment. */
  start: number;
  /** Of the first moment of the next one. */
  end: number;
}

/**
 * The calendar day around `now` in an IANA zone, or in the host's (null, or a zone that does not exist). Found by its date alone, so it
 * is right on days of 23 and 25 hours, and where the clocks change at midnight itself.
 */
export function dayOf(now: number, zone: string | null): Day {
  const format = formatterOf(zone);
  const today = format.format(now);
  const isToday = (at: number) => format.format(at) === today;
  return { start: boundary(now - LONGEST_DAY_MS, now, (at) => !isToday(at)), end: boundary(now, now + LONGEST_DAY_MS, isToday) };
}

/** The first moment after `from` at which `before` does not hold any more, given that it holds at `from` and not at `to`. */
function boundary(from: number, to: number, before: (at: number) => boolean): number {
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (before(middle)) low = middle;
    else high = middle;
  }
  return high;
}

function formatterOf(zone: string | null): Intl.DateTimeFormat {
  const key = zone ?? '';
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = newFormatter(zone);
  formatters.set(key, made);
  return made;
}

function newFormatter(zone: string | null): Intl.DateTimeFormat {
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  try {
    return new Intl.DateTimeFormat('en-CA', zone === null ? date : { ...date, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat('en-CA', date);
  }
}
