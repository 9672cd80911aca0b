import { z } from 'zod';
import { OUTCOMES } from '../outcomes.ts';
import { count, type EventEntry, ignoredProcess, namedProcess, PYTHON, roundNum, seconds } from './entry.ts';

/** One round, from its start to the proof that nothing of it lives. */
export const ROUND_KINDS = {
  round_start: {
    doc: 'A round begins; `config_digest` is the configuration it uses, `agent` the agent identity.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      phase: z.string().nullable(),
      config_digest: z.string().optional(),
      round_id: z.string().optional(),
      agent: z.string().optional(),
    }),
  },
  agent_spawn: {
    doc: 'The agent process is about to start, with this hard wall.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, timeout_s: seconds }),
  },
  agent_exit: {
    doc: 'The agent ended. `exit_code` is -1 when there is none; `timed_out` is also true after a grace kill; `outcome` is what the round was.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      exit_code: z.int(),
      duration_s: seconds,
      timed_out: z.boolean(),
      exit_cause: z.string().regex(/^(grace_kill|timeout|clean|error|signal:\w+)$/),
      outcome: z.enum(OUTCOMES).optional(),
    }),
  },
  round_end: {
    doc: 'The round is over: its tree is resolved, its status written.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum }),
  },
  round_progress: {
    doc: 'A sign of life in the middle of a round (`monitor.round_progress_interval_s`); `retrying` is what the agent CLI tries again.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({
      round_num: roundNum,
      log_size_kb: count,
      last_write_age_s: seconds,
      wall_age_s: seconds,
      retrying: z.string().optional(),
    }),
  },
  round_timeout_kill: {
    doc: 'The hard wall was hit and the round ended.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, reason: z.string() }),
  },
  round_idle_kill: {
    doc: 'No output, no CPU and no changed file for `runtime.idle_timeout_s`: the round was ended.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, idle_s: seconds }),
  },
  round_grace_extended: {
    doc: 'The agent has finished its turn and its grace is over, but somebody works: the round goes on until the hard wall. Told once.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      grace_s: seconds,
      live_children: z.array(namedProcess),
      ignored_children: z.array(ignoredProcess),
    }),
  },
  round_grace_kill: {
    doc: 'The agent has finished its turn, its grace is over and nobody works: the round was ended.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, grace_s: seconds, live_children: z.array(namedProcess) }),
  },
  round_reaped: {
    doc: 'The receipt: who was alive after the agent, who had left its process group, who was signalled, who survived. `omitted` counts what did not fit into the line.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      round_id: z.string(),
      members: z.array(namedProcess),
      escaped: z.array(namedProcess),
      signalled: z.array(namedProcess),
      survivors: z.array(namedProcess),
      container_id: z.string().nullable(),
      duration_ms: z.number().nonnegative(),
      omitted: z.record(z.string(), count).optional(),
    }),
  },
  survivors_remain: {
    doc: 'Processes of a round live on after every signal: no round starts until they are gone. `attempt` counts the tries to end them.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      round_id: z.string(),
      survivors: z.array(namedProcess),
      attempt: count,
      omitted: z.record(z.string(), count).optional(),
    }),
  },
  round_recovered: {
    doc: 'The supervisor of this round had died: what lived of the round was ended (`reaped`) before anything else was started.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      round_id: z.string(),
      reaped: z.array(namedProcess),
      container_id: z.string().nullable(),
      omitted: z.record(z.string(), count).optional(),
    }),
  },
  round_log_truncated: {
    doc: 'The log of a round reached `runtime.round_log_max_mb`: its head and its tail are kept, `dropped_bytes` in between are not.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, dropped_bytes: count }),
  },
  round_supervisor_wedged: {
    doc: 'A round outlived even its outer ceiling: the ladder was forced.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ pid: z.int(), timeout_s: seconds, log_path: z.string() }),
  },
  round_container_orphan_risk: {
    doc: 'A round that runs in a container had to be ended; whether its container could be stopped.',
    since: PYTHON,
    emitted: 'later',
    fields: z.strictObject({
      round_num: roundNum,
      runtime: z.string(),
      container_id: z.string().nullable(),
      stop_ok: z.boolean().nullable(),
    }),
  },
  round_substrate_before: {
    doc: 'What the round starts from: HEAD, and a hash of the files of `runtime.substrate_fingerprint_paths`.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, git_head: z.string().nullable(), paths_hash: z.string().nullable() }),
  },
  round_substrate_after: {
    doc: 'The same after the round.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, git_head: z.string().nullable(), paths_hash: z.string().nullable() }),
  },
  fresh_eyes_round_triggered: {
    doc: 'This round is told to look with fresh eyes (every n-th).',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ round_num: roundNum, every_n: count }),
  },
  round_logs_prune_deferred: {
    doc: 'Pruning would have deleted more logs than it keeps, so it deleted none.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ directory: z.string(), existing: count, keep: count, would_delete: count, hint: z.string() }),
  },
  status_recovered: {
    doc: 'status.json could not be used; the round number was found from the files.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ reason: z.string() }),
  },
  smoke_check_failed: {
    doc: 'A start-up check failed.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ reason: z.string() }),
  },
} satisfies Record<string, EventEntry>;
