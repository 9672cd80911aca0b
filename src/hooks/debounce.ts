export interface Happening {
  event: string;
  /** ISO, UTC. */
  ts: string;
  fields: Record<string, unknown>;
}

export interface Told extends Happening {
  /** How many of the same were kept back since it was told last. */
  repeated: number;
}

/** The same reason is told at most once within this. */
export const SAME_REASON_MS = 5 * 60_000;
/** Different ones together: a person reads no more, and a chat service refuses more. */
export const MOST_PER_WINDOW = 10;
/** Reasons that wait; the oldest goes when there are more. */
export const MOST_WAITING = 20;

export interface Debounce {
  offer(happening: Happening, now: number): void;
  /** What is to be told now, or null. Whoever takes it tells it. */
  take(now: number): Told | null;
  /** When `take` will have something, if nothing else is offered; null: never. */
  nextAt(now: number): number | null;
  /** The new ones that wait, oldest first, whatever the limit says; repetitions are dropped. For the end. */
  drain(): Told[];
}

/**
 * Decides when a person is told. The first of a reason is told at once, the same again only when five minutes have passed, and then the
 * newest of them, so that the last word is never lost; never more than ten within five minutes. Pure but for its own memory: `now` is
 * milliseconds of a monotonic clock.
 */
export function createDebounce(): Debounce {
  const lastTold = new Map<string, number>();
  const waiting = new Map<string, Told>();
  let recent: number[] = [];

  const readyAt = (key: string): number => {
    const last = lastTold.get(key);
    return last === undefined ? Number.NEGATIVE_INFINITY : last + SAME_REASON_MS;
  };
  /** When the limit lets another one through. */
  const roomAt = (): number =>
    recent.length < MOST_PER_WINDOW ? Number.NEGATIVE_INFINITY : (recent.at(-MOST_PER_WINDOW) as number) + SAME_REASON_MS;
  const forget = (now: number) => {
    recent = recent.filter((at) => at + SAME_REASON_MS > now);
    for (const [key, at] of lastTold) if (at + SAME_REASON_MS <= now && !waiting.has(key)) lastTold.delete(key);
  };

  return {
    offer(happening, now) {
      forget(now);
      const key = keyOf(happening);
      const before = waiting.get(key);
      const repeated = before === undefined ? (lastTold.has(key) ? 1 : 0) : before.repeated + 1;
      // In its old place: who waits longest is told first.
      waiting.set(key, { ...happening, repeated });
      if (waiting.size > MOST_WAITING) waiting.delete(waiting.keys().next().value as string);
    },
    take(now) {
      forget(now);
      if (roomAt() > now) return null;
      for (const [key, told] of waiting) {
        if (readyAt(key) > now) continue;
        waiting.delete(key);
        lastTold.set(key, now);
        recent.push(now);
        return told;
      }
      return null;
    },
    nextAt(now) {
      if (waiting.size === 0) return null;
      return Math.max(now, roomAt(), Math.min(...[...waiting.keys()].map(readyAt)));
    },
    drain() {
      const left = [...waiting].filter(([key]) => !lastTold.has(key)).map(([, told]) => told);
      waiting.clear();
      return left;
    },
  };
}

/** Two happenings are the same when kind and reason are. */
function keyOf({ event, fields }: Happening): string {
  return `${event}\n${typeof fields.reason === 'string' ? fields.reason : ''}`;
}
