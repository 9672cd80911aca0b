import { scanBack } from '../events/reader.ts';
import { LOOP_WINDOW_MS } from './breakers/mem-loop.ts';

/** Two hours of events are seldom a megabyte; this is read only when a loop has just been found. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Memory loops of the last two hours, by the event log alone: so they are known after any restart, and age out by themselves. */
export function memLoopsBefore(logDir: string, now: number): number {
  let loops = 0;
  scanBack(
    logDir,
    ({ event, ts }) => {
      const at = Date.parse(String(ts));
      if (at < now - LOOP_WINDOW_MS) return 'stop';
      if (event === 'mem_loop' && at <= now) loops += 1;
      return undefined;
    },
    { maxBytes: MOST_BYTES },
  );
  return loops;
}
