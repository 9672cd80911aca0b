import type { KeyPath } from './problems.ts';

/** Keys that are unknown on purpose, with words of their own. `*` stands for any name. */
const POINTED: readonly { keys: readonly string[]; message: string; remedy: string }[] = [
  {
    keys: ['runtime.rate_limit_action'],
    message: 'was removed; transient_error_action took its place',
    remedy: 'Write transient_error_action = "back_off" (or "skip", "stop").',
  },
  {
    keys: ['runtime.round_timeout_per_phase'],
    message: 'was removed; each phase has its own table',
    remedy: 'Write round_timeout_s = ... under [phases.<name>].',
  },
  {
    keys: ['vcs.orphan_action'],
    message: 'was removed; dirty_action took its place',
    remedy: 'Write dirty_action = "stash" (or "ignore", "auto_commit").',
  },
  {
    keys: ['phases.*.exec_prefix', 'phases.*.agent.exec_prefix'],
    message: 'cannot be set for one phase: the prefix decides where every agent runs',
    remedy: 'Set exec_prefix under [agent].',
  },
  {
    keys: ['phases.*.agent.fallback'],
    message: 'cannot be set for one phase',
    remedy: 'Set [[agent.fallback]] for all.',
  },
  {
    keys: [
      'phases.*.work_dir',
      'phases.*.log_dir',
      'phases.*.runtime.work_dir',
      'phases.*.runtime.log_dir',
      'phases.*.vcs',
      'phases.*.monitor',
      'phases.*.plugins',
    ],
    message: 'cannot be set for one phase',
    remedy: 'Set it in the base table, for all phases.',
  },
  {
    keys: ['monitor.host_health.memory', 'monitor.host_health.disk', 'monitor.host_health.pressure', 'monitor.host_health.brake'],
    message: 'is how version 0.3 of the Python predecessor grouped these thresholds; here they are flat, as in 0.2',
    remedy: 'Write e.g. mem_avail_min_mb, disk_warning_pct or psi_full_avg10_critical under [monitor.host_health].',
  },
  {
    keys: ['goal'],
    message: 'belongs to version 0.3 of the Python predecessor; there are no goal checks here',
    remedy: 'Remove the table.',
  },
];

/** The words for a key that is unknown on purpose, or null. */
export function pointedRefusal(path: KeyPath): { message: string; remedy: string } | null {
  return POINTED.find(({ keys }) => keys.some((pattern) => matches(pattern.split('.'), path))) ?? null;
}

function matches(pattern: readonly string[], path: KeyPath): boolean {
  return pattern.length === path.length && pattern.every((step, index) => step === '*' || step === path[index]);
}
