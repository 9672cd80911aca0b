import * as z from 'zod';
import { DEFAULT_AUTH_PATTERN } from './auth-pattern.ts';
import { anyText, flag, none, percent, percentAboveZero, regexes, whole, words } from './kinds.ts';

const hostHealthTable = z.strictObject({
  mem_avail_min_mb: whole(0).default(200).describe('MemAvailable, megabytes, below which memory counts as low when MemFree is low too.'),
  swap_sout_noise_floor_mb: whole(1).default(32).describe('Megabytes swapped out between two samples that are still noise.'),
  mem_free_low_mb: whole(1).default(16).describe('MemFree, megabytes, below which it counts as low.'),
  disk_warning_pct: percent().default(90).describe('Disk use that is a warning; counts only below 10 GB free.'),
  disk_critical_pct: percent().default(95).describe('Disk use that is critical; counts only below 10 GB free.'),
  psi_full_avg10_critical: percentAboveZero().default(60).describe('Memory pressure (PSI full avg10) that is critical.'),
  psi_some_avg10_warning: percentAboveZero().default(5).describe('Memory pressure (PSI some avg10) that is a warning.'),
  mem_critical_consecutive_samples: whole(1).default(3).describe('Critical samples in a row (one each 10 s) that end a round.'),
  in_round_mem_terminate: flag().default(true).describe('End a round when memory stays critical, or is about to be used up.'),
  brake_memory_high: flag()
    .default(false)
    .describe('Slow a round down while memory is short (`memory.high` of its own control group, where it has one).'),
  brake_memory_high_step_pct: whole(0, 50).default(0).describe('Percent that the brake holds a round below what it uses now.'),
  brake_warning_consecutive_samples: whole(1).default(3).describe('Samples in a row, a warning or worse, that put the brake on.'),
});

export const monitorTable = z.strictObject({
  auth_fail_patterns: regexes({ ignoreCase: true })
    .default(() => [new RegExp(DEFAULT_AUTH_PATTERN, 'iu')])
    .meta({ default: `["${DEFAULT_AUTH_PATTERN}"]` })
    .describe('Text in a failed round that means its credentials failed; upper and lower case are the same.'),
  auth_fail_hint: anyText().default('').describe('Added to the alert, e.g. how to log in again.'),
  auto_stop_on: words().default(['oauth_fail', 'disk_critical']).describe('Detectors that stop the service.'),
  remote_failure_tolerance_s: whole(0, 3600).default(90).describe('Seconds that a remote host may be out of reach.'),
  anomaly_repetitive_window: whole(0).default(0).describe('Tool calls looked at for repetition; 0 is off.'),
  anomaly_repetitive_threshold: whole(0).default(0).describe('Equal tool calls in the window that count as repetition; 0 is off.'),
  round_progress_interval_s: whole(0).default(0).describe('Seconds between two `round_progress` events; 0 is off.'),
  supervisor_stale_threshold_s: none(whole(0))
    .meta({ default: '1.5 × `round_timeout_s`' })
    .describe('Seconds without an event after which `serve` counts as stuck; 0 is off.'),
  host_health: hostHealthTable,
});
