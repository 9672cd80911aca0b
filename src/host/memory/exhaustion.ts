const MB = 1024 * 1024;
const SECOND_MS = 1_000;

/** What was left at one moment. */
export interface Glance {
  /** Monotonic milliseconds. */
  at: number;
  bytes: number;
  total: number;
}

/** The fall is measured over so long, so that a process that starts up is no fall. */
const WINDOW_MS = SECOND_MS;
/** Less than this share of memory is left ... */
const LITTLE_SHARE = 0.1;
/** ... or, on a small machine, less than this; an agent that starts on a machine of 512 MB stays above it. */
const LITTLE_BYTES = 64 * MB;
/** ... and at this rate it is gone within: three looks, SIGTERM and a moment to act on it. */
const CRITICAL_LEFT_MS = 2_500;
/** So little time is left for the grace after SIGTERM: kill. */
const NO_TIME_LEFT_MS = 1_000;
/** Nobody takes fresh memory faster (two cores that touch new pages, measured at 2 GB/s each): no look needs to come sooner. */
const FASTEST_BYTES_PER_MS = (4 * 1024 * MB) / SECOND_MS;
const LEAST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = SECOND_MS;

export interface Fall {
  /** Bytes per millisecond; 0 when it does not fall. */
  rate: number;
  /** Until nothing is left at this rate, milliseconds; infinite when it does not fall. */
  leftMs: number;
  critical: boolean;
  /** SIGTERM and a grace would take too long. */
  noTimeLeft: boolean;
}

/** How fast memory runs out, by glances in the order of time, the last one now; needs two. Pure. */
export function fallOf(glances: readonly Glance[]): Fall {
  const now = glances.at(-1);
  const before = glances.find((one) => now !== undefined && now.at - one.at <= WINDOW_MS) ?? glances.at(-2);
  const from = before === now ? glances.at(-2) : before;
  if (now === undefined || from === undefined || now.at <= from.at)
    return { rate: 0, leftMs: Infinity, critical: false, noTimeLeft: false };
  const rate = Math.max(0, (from.bytes - now.bytes) / (now.at - from.at));
  const leftMs = rate === 0 ? Infinity : now.bytes / rate;
  const little = now.bytes < Math.max(LITTLE_SHARE * now.total, LITTLE_BYTES);
  return { rate, leftMs, critical: little && leftMs <= CRITICAL_LEFT_MS, noTimeLeft: little && leftMs <= NO_TIME_LEFT_MS };
}

/** Milliseconds until the next glance: as soon as the fastest growth there is could have become critical. Pure. */
export function pauseAfter({ bytes, total }: Pick<Glance, 'bytes' | 'total'>, { critical }: Pick<Fall, 'critical'>): number {
  if (critical) return LEAST_PAUSE_MS;
  const room = Math.max(0, bytes - Math.max(LITTLE_SHARE * total, LITTLE_BYTES));
  return Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, room / FASTEST_BYTES_PER_MS));
}

/** Those that `fallOf` will still look at. */
export function recent(glances: readonly Glance[], now: Glance): Glance[] {
  const kept = glances.filter(({ at }) => now.at - at <= WINDOW_MS);
  // The one before the window, when there is none in it.
  return [...(kept.length > 0 ? kept : glances.slice(-1)), now];
}
