import { statSync } from 'node:fs';
import type { TurnOptions } from '../agents/turn.ts';
import type { Emit } from '../events/emit.ts';
import { elapsed } from '../run/deadlines.ts';
import { type Clock, WALL_CLOCK_CHECK_MS } from '../util/clock.ts';
import { seconds } from '../util/duration.ts';

/** A CLI that retries in a row tells it many times a minute; one word in so long says the same. */
const BETWEEN_RETRIES_MS = WALL_CLOCK_CHECK_MS;
/** An hour of retries without a pause. */
const MOST_RETRIES_TOLD = 120;

interface NewsInput {
  emit: Emit;
  roundNum: number;
  logPath: string;
  monitor: { anomaly_repetitive_window: number; anomaly_repetitive_threshold: number; round_progress_interval_s: number };
  clock: Clock;
}

/** What is told while a round runs: signs of life, the CLI's own retries, tools that go round in circles. */
export interface RoundNews {
  /** For `followTurn`. */
  options: Pick<TurnOptions, 'repetition' | 'onRetrying' | 'onRepetition'>;
  /** Ends the periodic signs of life. */
  end(): void;
}

/** The first retry is told at once, further ones at most every 30 s. */
export function tellNews({ emit, roundNum, logPath, monitor, clock }: NewsInput): RoundNews {
  const begun = clock.monotonic();
  const over = new AbortController();
  let retriesTold = 0;
  let nextRetryAt = begun;

  const progress = (retrying?: string) => {
    const age = clock.monotonic() - begun;
    const log = look(logPath);
    emit('round_progress', {
      round_num: roundNum,
      log_size_kb: Math.floor((log?.size ?? 0) / 1024),
      last_write_age_s: seconds(log === null ? age : Math.max(0, clock.now() - log.mtimeMs)),
      wall_age_s: seconds(age),
      ...(retrying === undefined ? {} : { retrying }),
    });
  };
  const everyInterval = async (ms: number) => {
    while (await elapsed(clock, ms, over.signal)) progress();
  };
  if (monitor.round_progress_interval_s > 0) void everyInterval(monitor.round_progress_interval_s * 1000);

  return {
    options: {
      repetition: { window: monitor.anomaly_repetitive_window, threshold: monitor.anomaly_repetitive_threshold },
      onRetrying(what) {
        const now = clock.monotonic();
        if (now < nextRetryAt || retriesTold >= MOST_RETRIES_TOLD) return;
        nextRetryAt = now + BETWEEN_RETRIES_MS;
        retriesTold += 1;
        progress(what);
      },
      onRepetition({ tool, target, count, window }) {
        emit('anomaly_repetitive_tool', { round_num: roundNum, tool_name: tool, target, count, window });
      },
    },
    end: () => over.abort(),
  };
}

/** Not there before the first output, or somebody took it away. */
function look(path: string): { size: number; mtimeMs: number } | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
