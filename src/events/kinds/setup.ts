import * as z from 'zod';
import { count, type EventEntry, PYTHON, roundNum, seconds } from './entry.ts';

/** The configuration, hooks, state files and upgrades. */
export const SETUP_KINDS = {
  config_changed: {
    doc: 'The configuration is not the one that was accepted. Changed during a round, the agent may have done it: `agent-runner ack config` adopts it.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum.nullable(),
      accepted_digest: z.string(),
      found_digest: z.string().nullable(),
      during_round: z.boolean(),
    }),
  },
  config_reloaded: {
    doc: 'A changed configuration was adopted; `keys` are the changed ones.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ keys: z.array(z.string()), config_digest: z.string().optional() }),
  },
  config_reload_failed: {
    doc: 'The changed configuration is not valid: the old one stays in force.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ reason: z.string() }),
  },
  config_migrated: {
    doc: '`agent-runner migrate` rewrote the configuration: what was done, and what is left for a person, each as `transform: key`.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ applied: z.array(z.string()), manual: z.array(z.string()), path: z.string() }),
  },
  hook_failed: {
    doc: 'A hook failed or took too long; only a failing `serve_start` hook stops the loop.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      hook_name: z.string(),
      hook_kind: z.string(),
      error_type: z.string(),
      error_message: z.string(),
      traceback: z.string().optional(),
      round_num: roundNum.optional(),
    }),
  },
  hook_changed: {
    doc: 'Files of a hook, of `notify.command` or of `agent.adapter` lie where agents write and are not what they were: none of it is run until `agent-runner ack hooks`.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ hook_name: z.string(), hook_kind: z.string(), paths: z.array(z.string()) }),
  },
  prompt_overwritten: {
    doc: 'A `pre_round` hook changed a prompt file. No fault, if that is what it is for.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      round_num: roundNum,
      phase: z.string().nullable(),
      hook: z.string(),
      prompt_path: z.string(),
      old_hash: z.string().nullable(),
      new_hash: z.string().nullable(),
    }),
  },
  events_degraded: {
    doc: 'Events could not be written for a while: `delayed` of them follow late, `lost` are gone.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ lost: count, delayed: count, error: z.string() }),
  },
  state_file_set_aside: {
    doc: 'A state file that nobody can read was renamed (`set_aside`) and started anew.',
    since: '0.1.0',
    emitted: 'now',
    fields: z.strictObject({ path: z.string(), set_aside: z.string().nullable().optional(), reason: z.string() }),
  },
  service_upgraded: {
    doc: 'The service runs the new version.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ from_version: z.string(), to_version: z.string(), duration_s: seconds }),
  },
  package_upgraded: {
    doc: 'The program was replaced by another version; no service was restarted.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ from_version: z.string(), to_version: z.string(), duration_s: seconds }),
  },
  service_upgrade_rolled_back: {
    doc: 'The new version did not come up; the old one runs again.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({
      attempted_version: z.string(),
      restored_version: z.string(),
      failure_reason: z.string(),
      duration_s: seconds,
    }),
  },
  service_upgrade_rollback_failed: {
    doc: 'Neither the new nor the old version came up.',
    since: PYTHON,
    emitted: 'now',
    fields: z.strictObject({ attempted_version: z.string(), restore_target_version: z.string(), failure_reason: z.string() }),
  },
} satisfies Record<string, EventEntry>;
