import { dotted, type KeyPath } from '../../problems.ts';
import { isTable, tableOf, valueAt } from '../../tables.ts';
import { dissolve } from '../dissolve.ts';
import { commentOut } from '../operations.ts';
import type { Finding, Transform } from '../transform.ts';

const PARENT: KeyPath = ['monitor', 'host_health'];

/** The groups of 0.3 and the flat names of 0.2, which are those of this program; the brake, which 0.2 had not, is named after them. */
const FLAT: Record<string, Record<string, string>> = {
  memory: {
    avail_min_mb: 'mem_avail_min_mb',
    swap_out_noise_floor_mb: 'swap_sout_noise_floor_mb',
    free_low_mb: 'mem_free_low_mb',
  },
  disk: { warning_pct: 'disk_warning_pct', critical_pct: 'disk_critical_pct' },
  pressure: {
    full_avg10_critical: 'psi_full_avg10_critical',
    some_avg10_warning: 'psi_some_avg10_warning',
    critical_consecutive_samples: 'mem_critical_consecutive_samples',
    in_round_terminate: 'in_round_mem_terminate',
  },
  brake: {
    memory_high: 'brake_memory_high',
    memory_high_step_pct: 'brake_memory_high_step_pct',
    warning_consecutive_samples: 'brake_warning_consecutive_samples',
  },
};

/** Keys of 0.3 without a counterpart. `isOff`: with this value nobody relies on them. */
const WITHOUT: readonly { path: readonly [group: string, key: string]; isOff: (value: unknown) => boolean; instead?: string }[] = [
  {
    path: ['pressure', 'in_round_nudge'],
    isOff: (value) => value === false,
    instead: 'mem_critical_consecutive_samples = 1 ends a round at the first critical sample, beginning with SIGTERM',
  },
  // It only ever warned.
  { path: ['pressure', 'cgroup_growth_rate_warning_mb_per_min'], isOff: () => true },
];

export const thresholdsWithout: Transform = {
  id: 'host-health-without-counterpart',
  since: '0.3.0',
  kind: 'fix',
  doc: 'Thresholds of 0.3 that nothing here reads (`pressure.in_round_nudge`, `pressure.cgroup_growth_rate_warning_mb_per_min`) become comments when they are switched off or only warned. Where one protects you now, you are told instead.',
  find: ({ document }) =>
    WITHOUT.flatMap(({ path: [group, key], isOff, instead }): Finding[] => {
      const table = tableOf(valueAt(document, [...PARENT, group]));
      if (!Object.hasOwn(table, key)) return [];
      const path = [...PARENT, group, key];
      const remedy = `Remove ${dotted(path)}${instead === undefined ? ' if you can do without it' : `; ${instead}`}.`;
      if (isOff(table[key])) return [{ key: path, message: 'has no counterpart here; now a comment', remedy, rewrite: commentOut(path) }];
      return [{ key: path, message: 'is switched on, and nothing here does the same', remedy }];
    }),
};

export const thresholdGroups: Transform = {
  id: 'host-health-groups',
  since: '0.3.0',
  kind: 'fix',
  doc: 'Grouped thresholds of 0.3 (`[monitor.host_health.memory]`, `.disk`, `.pressure`, `.brake`) become the flat names of 0.2: `memory.avail_min_mb` is `mem_avail_min_mb`.',
  find: ({ document }) =>
    Object.entries(FLAT).flatMap(([group, names]): Finding[] => {
      const path = [...PARENT, group];
      const table = valueAt(document, path);
      if (!isTable(table)) return [];
      const keys = Object.keys(table);
      if (keys.length === 0)
        return [{ key: path, message: 'an empty table of 0.3; now a comment', remedy: 'Remove it.', rewrite: commentOut(path) }];
      // What has no counterpart is told by name already.
      if (WITHOUT.some(({ path: [own, key] }) => own === group && keys.includes(key))) return [];
      const unknown = keys.find((key) => !Object.hasOwn(names, key));
      if (unknown !== undefined)
        return [{ key: [...path, unknown], message: 'is not a known key', remedy: `Known here: ${Object.keys(names).join(', ')}.` }];
      const both = keys.find((key) => valueAt(document, [...PARENT, names[key] ?? '']) !== undefined);
      if (both !== undefined) {
        const flat = dotted([...PARENT, names[both] ?? '']);
        return [
          {
            key: [...path, both],
            message: `is given together with ${flat}, which is the same setting`,
            remedy: 'Keep the one that is meant.',
          },
        ];
      }
      return [
        {
          key: path,
          message: `moved to ${keys.map((key) => names[key]).join(', ')} in [${dotted(PARENT)}]`,
          remedy: `Write the flat names under [${dotted(PARENT)}].`,
          rewrite: dissolve(PARENT, group, names),
        },
      ];
    }),
};
