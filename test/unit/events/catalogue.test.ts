import { describe, expect, it } from 'vitest';
import { CATALOGUE, type EventFields, type EventKind, type EventRecord } from '../../../src/events/catalogue.ts';
import { eventsTable, fieldsOf } from '../../../src/events/docs.ts';
import { OUTCOMES } from '../../../src/events/outcomes.ts';
import { eventProblem } from '../../../src/events/validate.ts';

/** Fields of the Python predecessor's kinds, as its readers know them: they may get company, never leave. */
const FROZEN: Partial<Record<EventKind, string>> = {
  round_start: 'round_num phase config_digest?',
  agent_spawn: 'round_num timeout_s',
  agent_exit: 'round_num exit_code duration_s timed_out exit_cause',
  round_end: 'round_num',
  round_progress: 'round_num log_size_kb last_write_age_s wall_age_s',
  round_timeout_kill: 'round_num reason',
  round_grace_extended: 'round_num grace_s live_children ignored_children',
  round_grace_kill: 'round_num grace_s live_children',
  round_supervisor_wedged: 'pid timeout_s log_path',
  round_container_orphan_risk: 'round_num runtime container_id stop_ok',
  round_substrate_before: 'round_num git_head paths_hash',
  round_substrate_after: 'round_num git_head paths_hash',
  fresh_eyes_round_triggered: 'round_num every_n',
  round_logs_prune_deferred: 'directory existing keep would_delete hint',
  status_recovered: 'reason',
  smoke_check_failed: 'reason',
  agent_usage_recorded:
    'agent model round_num input_tokens output_tokens cached_tokens cache_creation_tokens cost_usd duration_ms models_breakdown tool_call_count phase success',
  transient_error_detected: 'round_num classification agent reset_at_epoch raw',
  transient_error_recovered: 'classification agent throttled_for_s',
  transient_error_backoff_capped: 'classification agent requested_sleep_s applied_sleep_s',
  agent_auth_error_detected: 'round_num agent raw',
  agent_network_blip: 'round_num phase matched round_duration_s exit_code timed_out',
  anomaly_repetitive_tool: 'round_num tool_name target count window',
  agent_self_terminated: 'reason',
  dirty_detected: 'round_num files',
  orphan_stashed: 'round_num ref reason',
  orphan_idempotent_skip: 'round_num ref reason',
  orphan_stash_failed: 'round_num phase reason',
  dirty_auto_committed: 'round_num files ref',
  dirty_commit_failed: 'round_num phase reason',
  stale_index_lock_cleared: 'lock_path round_num',
  config_broken: 'reason',
  crash_loop: 'consecutive exit_code reason',
  mem_loop: 'consecutive exit_code reason',
  mem_loop_persistent: 'consecutive exit_code reason',
  stalled_no_progress: 'consecutive exit_code reason',
  max_rounds_reached: 'rounds_completed max_rounds',
  stop_file_detected: 'stop_file content rounds_completed',
  config_migrated: 'applied manual path',
  round_mem_terminated: 'pid severity signal message consecutive context',
  round_oom_killed: 'round_num log_path log_bytes oom_kill_delta partial_log',
  monitor_started: 'host interval_s log_dir mode',
  service_upgraded: 'from_version to_version duration_s',
};

describe('the catalogue', () => {
  it('keeps every field of the Python predecessor', () => {
    for (const [kind, fields = ''] of Object.entries(FROZEN)) {
      const names = fieldsOf(CATALOGUE[kind as EventKind]).map(({ name }) => name);
      const wanted = fields.split(' ').map((name) => name.replace('?', ''));
      expect(names, kind).toEqual(expect.arrayContaining(wanted));
    }
  });

  it('asks for nothing that an event of the predecessor does not have, so that its files read as ours', () => {
    for (const [kind, fields = ''] of Object.entries(FROZEN)) {
      const required = fieldsOf(CATALOGUE[kind as EventKind]).filter(({ type }) => !type.endsWith('?'));
      expect(fields.split(' '), kind).toEqual(expect.arrayContaining(required.map(({ name }) => name)));
    }
  });

  it('describes each kind in a sentence and names its fields in snake case', () => {
    for (const [kind, entry] of Object.entries(CATALOGUE)) {
      expect(kind).toMatch(/^[a-z][a-z_]*$/);
      expect(entry.doc, kind).toMatch(/^.{10,}\.$/s);
      expect(entry.doc, kind).not.toContain('\n');
      for (const { name } of fieldsOf(entry)) expect(name, kind).toMatch(/^[a-z][a-z0-9_]*$/);
      for (const reserved of ['ts', 'event']) expect(Object.keys(entry.fields.shape), kind).not.toContain(reserved);
    }
  });

  it('lists each kind once in the documentation', () => {
    const table = eventsTable();
    for (const kind of Object.keys(CATALOGUE)) expect(table.split(`| \`${kind}\` |`), kind).toHaveLength(2);
  });
});

describe('the check of development', () => {
  const exit: EventFields<'agent_exit'> = {
    round_num: 1,
    exit_code: -9,
    duration_s: 1.5,
    timed_out: false,
    exit_cause: 'signal:SIGKILL',
    outcome: 'crash',
  };

  it('accepts each outcome, and an event of the predecessor that has none', () => {
    for (const outcome of OUTCOMES) expect(eventProblem('agent_exit', { ...exit, outcome })).toBeNull();
    const { outcome: _outcome, ...old } = exit;
    expect(eventProblem('agent_exit', old)).toBeNull();
  });

  it('is about the same fields as the types are', () => {
    const record: EventRecord = { ts: '2026-11-29T17:35:08.123Z', event: 'agent_exit', ...exit };
    const { ts: _ts, event, ...fields } = record;
    expect(eventProblem(event, fields)).toBeNull();
  });

  it('names kind and field of what is wrong: missing, misspelt, of another type, unknown', () => {
    expect(eventProblem('agent_exit', { ...exit, exit_cause: 'because' })).toMatch(/agent_exit: exit_cause/);
    expect(eventProblem('round_end', {})).toMatch(/round_end: round_num/);
    expect(eventProblem('round_end', { round_num: 1, roundNum: 1 })).toMatch(/roundNum/);
    expect(eventProblem('round_end', { round_num: '1' })).toMatch(/round_num/);
    expect(eventProblem('no_such' as EventKind, {})).toMatch(/no_such/);
  });
});
