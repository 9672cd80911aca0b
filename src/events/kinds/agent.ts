import { z } from 'zod';
import { count, type EventEntry, PYTHON, roundNum, seconds } from './entry.ts';

/** What agent CLIs reported about themselves and their providers. `agent` is the agent identity. */
export const AGENT_KINDS = {
  agent_usage_recorded: {
    doc: 'What the round used. `input_tokens` leaves cache reads out; `cost_usd` is null when the CLI tells no price.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      agent: z.string(),
      model: z.string().nullable(),
      round_num: roundNum,
      input_tokens: count,
      output_tokens: count,
      cached_tokens: count,
      cache_creation_tokens: count,
      cost_usd: z.number().nonnegative().nullable(),
      duration_ms: z.number().nonnegative().nullable(),
      models_breakdown: z.record(z.string(), z.record(z.string(), z.number())).nullable(),
      tool_call_count: count,
      phase: z.string().nullable(),
      success: z.boolean(),
    }),
  },
  transient_error_detected: {
    doc: 'A provider refused for now (a limit, an overload, a time-out); `reset_at_epoch` is when to try again, in epoch seconds.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      classification: z.string(),
      agent: z.string(),
      reset_at_epoch: z.int().nonnegative(),
      raw: z.string(),
      phase: z.string().nullable().optional(),
    }),
  },
  transient_error_recovered: {
    doc: 'A throttle ran its whole time. An interrupted one writes nothing.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ classification: z.string(), agent: z.string(), throttled_for_s: seconds }),
  },
  transient_error_backoff_capped: {
    doc: 'The wait that is applied differs from the one that was asked for: grown by repeated failures, or cut by the longest wait.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({
      classification: z.string(),
      agent: z.string(),
      requested_sleep_s: z.number(),
      applied_sleep_s: seconds,
      original_reset_at_epoch: z.number().optional(),
      applied_reset_at_epoch: z.number().optional(),
      consecutive_count: count.optional(),
      capped_by_absolute_max: z.boolean().optional(),
    }),
  },
  agent_auth_error_detected: {
    doc: "The agent's credentials were refused.",
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, agent: z.string(), raw: z.string() }),
  },
  agent_network_blip: {
    doc: 'The log of a failed round speaks of a network failure.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      phase: z.string().nullable(),
      matched: z.string(),
      round_duration_s: seconds,
      exit_code: z.int(),
      timed_out: z.boolean(),
    }),
  },
  anomaly_repetitive_tool: {
    doc: 'The agent made the same tool call `count` times within its last `window` calls.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, tool_name: z.string(), target: z.string().nullable(), count, window: count }),
  },
  agent_self_terminated: {
    doc: 'The agent asked for the end of the loop (`.agent-done`), or a transient error stopped it as configured.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ reason: z.string() }),
  },
} satisfies Record<string, EventEntry>;
