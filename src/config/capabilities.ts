import { dotted, type KeyPath, type Report } from './problems.ts';
import { isTable, tableOf, valueAt } from './tables.ts';

export interface Capability {
  /** Dotted keys or tables; `*` stands for any phase. */
  keys: readonly string[];
  built: boolean;
  /** A promise of safety that nobody keeps must not be given: such a key is refused. Any other only warns. */
  safety: boolean;
  /** What it brings, in words: "this version is without ...". */
  what: string;
  /** Values that ask for nothing, beside an empty table or list, `false` and the like. */
  harmless?: readonly unknown[];
}

/** What is built and what is not, by key: when a capability is finished, its line says `built: true`. */
export const CAPABILITIES: readonly Capability[] = [
  { keys: ['agent.fallback'], built: true, safety: true, what: 'a fallback to other agents' },
  { keys: ['runtime.pid_namespace'], built: true, safety: true, what: 'a PID namespace for each agent' },
  { keys: ['limits.round_memory_max_mb'], built: true, safety: true, what: 'a limit on the memory of a round' },
  {
    keys: [
      'limits.max_rounds_per_hour',
      'limits.max_cost_usd_per_day',
      'limits.max_tokens_per_day',
      'limits.max_cost_usd_total',
      'limits.max_unproductive_rounds',
    ],
    built: true,
    safety: true,
    what: 'limits on rate and cost',
  },
  { keys: ['sandbox'], built: false, safety: true, what: 'sandboxes' },
  { keys: ['pipeline', 'phases.*.pipeline'], built: false, safety: true, what: 'gated pipelines' },
  { keys: ['schedule', 'phases.*.schedule'], built: true, safety: false, what: 'schedules' },
  { keys: ['phases.phase_policy'], built: true, safety: false, what: 'the choice of another phase', harmless: ['wait'] },
  { keys: ['notify'], built: true, safety: false, what: 'notifications' },
  { keys: ['hooks'], built: true, safety: false, what: 'hooks' },
  { keys: ['web'], built: false, safety: false, what: 'its web page' },
  {
    // Not monitor.host_health: serve itself goes by it.
    keys: [
      'monitor.auth_fail_patterns',
      'monitor.auth_fail_hint',
      'monitor.auto_stop_on',
      'monitor.remote_failure_tolerance_s',
      'monitor.supervisor_stale_threshold_s',
    ],
    built: false,
    safety: false,
    what: 'its monitor',
  },
  { keys: ['runtime.narrative_file'], built: false, safety: false, what: 'an account of the rounds in words' },
  { keys: ['plugins.disable'], built: true, safety: false, what: 'plugins that could be disabled' },
];

/** Whether the capability behind a dotted key is there; keys that no capability names are. */
export function isBuilt(key: string): boolean {
  return CAPABILITIES.every(({ keys, built }) => built || !keys.some((own) => key === own || key.startsWith(`${own}.`)));
}

/** Reports each use of what is not built: `refuse` for promises of safety, `warn` for the rest. Returns the refused paths. */
export function checkCapabilities(document: unknown, { refuse, warn }: { refuse: Report; warn: Report }): KeyPath[] {
  const refused: KeyPath[] = [];
  for (const { keys, built, safety, what, harmless = [] } of CAPABILITIES) {
    if (built) continue;
    for (const path of keys.flatMap((key) => used(document, key.split('.')))) {
      if (!asks(valueAt(document, path), harmless)) continue;
      if (safety) {
        refused.push(path);
        refuse({
          code: 'AR-CFG-014',
          path,
          at: 'key',
          message: `promises safety that this version cannot give: it is without ${what}`,
          remedy: `Remove ${dotted(path)} and go on without it, or wait for the version that brings it.`,
        });
      } else {
        warn({
          code: 'AR-CFG-015',
          path,
          at: 'key',
          message: `has no effect yet: this version is without ${what}`,
          remedy: 'Nothing needs to be done; a later version uses it.',
        });
      }
    }
  }
  return refused;
}

function used(document: unknown, steps: readonly string[], at: KeyPath = []): KeyPath[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [at];
  const names = step === '*' ? Object.keys(tableOf(valueAt(document, at))) : [step];
  return names.filter((name) => Object.hasOwn(tableOf(valueAt(document, at)), name)).flatMap((name) => used(document, rest, [...at, name]));
}

function asks(value: unknown, harmless: readonly unknown[]): boolean {
  if (value === false || harmless.includes(value)) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (isTable(value)) return Object.values(value).some((inner) => asks(inner, harmless));
  return true;
}
