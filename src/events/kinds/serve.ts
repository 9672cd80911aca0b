import * as z from 'zod';
import { count, type EventEntry, instant, PYTHON, roundNum, seconds } from './entry.ts';

/** A breaker: `consecutive` failures of one kind; `reason` is the redacted end of the last round's log. */
const breaker = z.strictObject({ consecutive: count, exit_code: z.int(), reason: z.string() });

/** The loop: why it goes on, waits or stops. */
export const SERVE_KINDS = {
  serve_started: {
    doc: 'The loop begins; `owner` is the identity of this log directory.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ version: z.string(), pid: z.int(), config_digest: z.string(), owner: z.string() }),
  },
  serve_stopped: {
    doc: 'The loop ended in order. No such event after a `serve_started`: the supervisor was killed.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ reason: z.string(), exit_code: z.int(), rounds_completed: count }),
  },
  serve_parked: {
    doc: '`serve --park` stopped on purpose and stays up, idle, until it is restarted: `command` does that.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ reason: z.string(), exit_code: z.int(), command: z.string() }),
  },
  config_broken: {
    doc: 'The configuration or the set-up must be mended first: stopped with 78.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ reason: z.string() }),
  },
  crash_loop: { doc: 'Too many short crashes in a row: stopped with 75.', since: PYTHON, emitted: 'now', fields: breaker },
  mem_loop: { doc: 'Too many rounds in a row ended for memory: stopped with 71.', since: PYTHON, emitted: 'now', fields: breaker },
  mem_loop_persistent: {
    doc: 'The third memory loop within two hours: stopped with 70; `consecutive` counts loops.',
    since: PYTHON,
    emitted: 'now',
    fields: breaker,
  },
  stalled_no_progress: {
    doc: 'Too many rounds in a row came to nothing: stopped with 75.',
    since: PYTHON,
    emitted: 'now',
    fields: breaker,
  },
  progress_stalled: {
    doc: 'The last `consecutive` rounds, whatever their outcome, moved neither HEAD nor the tree.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, consecutive: count, git_head: z.string().nullable() }),
  },
  needs_human: {
    doc: 'A person is needed: `reason` is the word for `agent-runner ack`, `command` the one command that answers.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ reason: z.string(), message: z.string(), command: z.string() }),
  },
  human_acknowledged: {
    doc: 'A person answered (`agent-runner ack`); `limits` are those that `ack budget` starts anew.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ reason: z.string(), limits: z.array(z.string()).optional() }),
  },
  budget_exhausted: {
    doc: 'A limit is used up: serve waits `until` then, or, where that is null, stops with 75 until `agent-runner ack budget`. `unknown_rounds` told no usage or no price and are not in `spent`.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({
      limit: z.string(),
      spent: z.number().nonnegative(),
      allowed: z.number().positive(),
      unit: z.enum(['usd', 'tokens', 'rounds']),
      until: instant.nullable(),
      unknown_rounds: count,
      message: z.string(),
    }),
  },
  max_rounds_reached: {
    doc: 'The wanted number of rounds is done.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ rounds_completed: count, max_rounds: count }),
  },
  stop_file_detected: {
    doc: '`runtime.stop_file` is there: the loop stops.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ stop_file: z.string(), content: z.string(), rounds_completed: count }),
  },
  wait_started: {
    doc: 'A gate holds the next round back: why, until when if that is known, and who said so.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ reason: z.string(), until: instant.nullable(), source: z.string() }),
  },
  wait_ended: {
    doc: 'That wait is over, or somebody ended it (`agent-runner wake`, a stop).',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ reason: z.string(), waited_for_s: seconds, ended_by: z.enum(['over', 'woken', 'stopped', 'reloaded']) }),
  },
  pause_started: {
    doc: 'A person paused the loop.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ until: instant.nullable() }),
  },
  pause_ended: { doc: 'The pause is over.', since: '0.1.0', emitted: 'now', fields: z.strictObject({ paused_for_s: seconds }) },
  schedule_paused: {
    doc: 'No window of the schedule is open, or its next start by `cron` is waited for; `resume_at` is null when none ever comes.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      active_window: z.string(),
      resume_at: z.string().nullable(),
      timezone: z.string(),
      phase: z.string().optional(),
    }),
  },
  schedule_resumed: {
    doc: 'A window opened. A stop writes nothing.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ paused_for_s: seconds }),
  },
  schedule_phase_skipped: {
    doc: 'Phases whose window is closed were stepped over.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      skipped: z.array(z.string()),
      chosen: z.string().nullable(),
      active_window: z.string(),
    }),
  },
} satisfies Record<string, EventEntry>;
