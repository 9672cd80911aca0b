import * as z from 'zod';
import { count, type EventEntry, PYTHON, seconds } from './entry.ts';

/** The witness (`agent-runner monitor`), which only reads what the supervisor wrote. */
export const MONITOR_KINDS = {
  monitor_started: {
    doc: 'A monitor watches.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({ host: z.string().nullable(), interval_s: seconds, log_dir: z.string(), mode: z.string() }),
  },
  monitor_alert_emitted: {
    doc: 'A detector raised an alert.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({ detector: z.string(), severity: z.string(), message: z.string(), auto_action: z.string().nullable() }),
  },
  monitor_auto_stop_triggered: {
    doc: 'The monitor stopped the service, and it is really inactive.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({ detector: z.string() }),
  },
  monitor_auto_stop_failed: {
    doc: 'The monitor could not stop the service.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({ detector: z.string(), error: z.string() }),
  },
  monitor_remote_blip: {
    doc: 'The connection to a watched host broke; it is tried again.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({
      host: z.string(),
      returncode: z.int().nullable(),
      error: z.string(),
      attempt: count,
      elapsed_s: seconds,
      cap_s: seconds,
      resume_since: z.string().nullable(),
      next_sleep_s: seconds,
    }),
  },
  monitor_remote_giveup: {
    doc: 'The connection to a watched host did not come back in time.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({
      host: z.string(),
      returncode: z.int().nullable(),
      total_attempts: count,
      total_elapsed_s: seconds,
      cap_s: seconds,
      final_error: z.string(),
      resume_since: z.string().nullable(),
    }),
  },
  detector_error: {
    doc: 'A detector failed; the others go on.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({ detector: z.string(), error: z.string() }),
  },
} satisfies Record<string, EventEntry>;
