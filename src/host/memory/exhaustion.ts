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
const LITTLE_BYTES = 96 * MB;
/** ... and at this rate it is gone within: looks count from here on. */
const CRITICAL_LEFT_MS = 2_500;
/** As late as possible, since most growth ends by itself: SIGTERM, and a moment to act on it. */
const DUE_LEFT_MS = 1_500;
/** A supervisor that wakes late, as on a machine that chokes, needs that much more time for each of its looks; at most this. */
const LOOKS_AND_END = 4;
const MOST_SLACK_MS = 10 * SECOND_MS;
/** So little time is left for the grace after SIGTERM: kill. */
const NO_TIME_LEFT_MS = 1_000;
/** Some three times what one process takes here (0.3 GB of fresh pages a second, measured): no look needs to come sooner than at this pace. */
const FASTEST_BYTES_PER_MS = (1024 * MB) / SECOND_MS;
/** On a machine with little left that does not fall: more looks would cost more than they find. */
const LEAST_PAUSE_MS = 250;
const LEAST_PAUSE_IN_FALL_MS = 100;
const LONGEST_PAUSE_MS = 2 * SECOND_MS;
/** A fall that leaves less than this is followed closely. */
const CLOSE_MS = 10 * SECOND_MS;

export interface Fall {
  /** Bytes per millisecond; 0 when it does not fall. */
  rate: number;
  /** Until nothing is left at this rate, milliseconds; infinite when it does not fall. */
  leftMs: number;
  critical: boolean;
  /** It must be ended now, if it is to be ended in time. */
  due: boolean;
  /** SIGTERM and a grace would take too long. */
  noTimeLeft: boolean;
}

const STILL: Fall = { rate: 0, leftMs: Infinity, critical: false, due: false, noTimeLeft: false };

/** How fast memory runs out, by glances in the order of time, the last one now; needs two. `lateMs`: how late they came, of late. Pure. */
export function fallOf(glances: readonly Glance[], lateMs = 0): Fall {
  const now = glances.at(-1);
  const before = glances.find((one) => now !== undefined && now.at - one.at <= WINDOW_MS) ?? glances.at(-2);
  const from = before === now ? glances.at(-2) : before;
  if (now === undefined || from === undefined || now.at <= from.at) return STILL;
  const rate = Math.max(0, (from.bytes - now.bytes) / (now.at - from.at));
  const leftMs = rate === 0 ? Infinity : now.bytes / rate;
  const little = now.bytes < Math.max(LITTLE_SHARE * now.total, LITTLE_BYTES);
  const slack = Math.min(LOOKS_AND_END * lateMs, MOST_SLACK_MS);
  const within = (ms: number) => little && leftMs <= ms + slack;
  return { rate, leftMs, critical: within(CRITICAL_LEFT_MS), due: within(DUE_LEFT_MS), noTimeLeft: within(NO_TIME_LEFT_MS) };
}

/** Milliseconds until the next glance: as soon as the fastest growth there is could have become critical. Pure. */
export function pauseAfter(
  { bytes, total }: Pick<Glance, 'bytes' | 'total'>,
  { critical, leftMs }: Pick<Fall, 'critical' | 'leftMs'>,
): number {
  if (critical) return LEAST_PAUSE_IN_FALL_MS;
  const room = Math.max(0, bytes - Math.max(LITTLE_SHARE * total, LITTLE_BYTES));
  const least = leftMs < CLOSE_MS ? LEAST_PAUSE_IN_FALL_MS : LEAST_PAUSE_MS;
  return Math.min(LONGEST_PAUSE_MS, Math.max(least, room / FASTEST_BYTES_PER_MS));
}

/** Those that `fallOf` will still look at. */
export function recent(glances: readonly Glance[], now: Glance): Glance[] {
  const kept = glances.filter(({ at }) => now.at - at <= WINDOW_MS);
  // The one before the window, when there is none in it.
  return [...(kept.length > 0 ? kept : glances.slice(-1)), now];
}
