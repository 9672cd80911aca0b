import * as z from 'zod';
import { context, count, type EventEntry, PYTHON, roundNum, seconds } from './entry.ts';

const bytes = z.number().nonnegative();

/** Memory of the host and of the service's cgroup, and its disks. */
export const MEMORY_KINDS = {
  host_cgroup_memory_limit: {
    doc: 'The memory limits that hold for the supervisor, in bytes, null where there is none; `advisory` says what should be changed.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      memory_max: bytes.nullable(),
      memory_swap_max: bytes.nullable(),
      cgroup_path: z.string().nullable(),
      defer: z.boolean().optional(),
      swap_total_bytes: bytes.nullable(),
      swap_cap_pct: z.number().nullable(),
      memory_high: bytes.nullable(),
      advisory: z.string().nullable(),
      cgroup_delegated: z.boolean().nullable().optional(),
    }),
  },
  round_deferred: {
    doc: 'The memory of the host is critical: the next round waits.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ severity: z.string(), signal: z.string(), message: z.string() }),
  },
  round_resumed: {
    doc: 'Memory is well again.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ deferred_for_s: seconds }),
  },
  round_mem_critical_sample: {
    doc: 'A critical sample in the middle of a round, `consecutive` in a row.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, consecutive: count, context }),
  },
  round_mem_terminated: {
    doc: 'The round was ended for memory: it had more than `limits.round_memory_max_mb` (`signal` is then that key), the host stayed critical (`tier` is `floor`), or memory was about to run out (`tier` is `exhaustion`). `context` names the largest process of the round.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      pid: z.int(),
      severity: z.string(),
      signal: z.string(),
      message: z.string(),
      consecutive: count,
      context,
      tier: z.string().optional(),
    }),
  },
  mem_pressure_deferred_to_cgroup: {
    doc: 'Memory is critical, but the cgroup has limits of its own: the kernel decides. Once an episode.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ pid: z.int(), signal: z.string(), message: z.string() }),
  },
  round_cgroup_memory: {
    doc: 'Peak use and memory events of the round, read where the limit is (`bounding_cgroup_path`).',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      memory_current_peak: bytes,
      memory_swap_current_peak: bytes,
      events_high_delta: count,
      events_max_delta: count,
      events_oom_delta: count,
      events_oom_kill_delta: count,
      bounding_cgroup_path: z.string().nullable(),
    }),
  },
  round_oom_killed: {
    doc: 'The kernel killed the main process of the round for memory.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      log_path: z.string(),
      log_bytes: bytes,
      oom_kill_delta: count,
      partial_log: z.boolean(),
    }),
  },
  memory_high_engaged: {
    doc: 'The soft brake is on (`monitor.host_health.brake_memory_high`): the round is held near what it uses.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, reason: z.string() }),
  },
  memory_high_released: {
    doc: 'The soft brake is off again.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, reason: z.string() }),
  },
  memory_high_write_failed: {
    doc: 'The kernel did not take the value of the soft brake: the round goes on without.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, errno: z.string() }),
  },
  disk_low: {
    doc: 'A file system that rounds write to is low on space or inodes (`of`: which folder it is). Told when it becomes so and when it gets worse; critical keeps rounds back, nearly full ends one.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({
      folder: z.string(),
      of: z.string(),
      severity: z.string(),
      used_pct: z.number(),
      free_mb: z.number(),
      inodes_used_pct: z.number(),
      message: z.string(),
      round_num: roundNum.optional(),
    }),
  },
  disk_recovered: {
    doc: 'That file system has room again.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ folder: z.string(), of: z.string(), low_for_s: seconds }),
  },
  temp_left_behind: {
    doc: 'At least 64 MB or 1,000 files of this user came into the temporary folder of the agent during a round; where that is a folder that others use too, they may be theirs. Nothing is removed. `whole` false: there is more than was counted.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      folder: z.string(),
      entries: count,
      files: count,
      mb: count,
      whole: z.boolean(),
    }),
  },
} satisfies Record<string, EventEntry>;
