import type { Facts } from './facts.ts';

type StoredFields = Record<string, unknown>;

/** Events that say that something does not work as it should, with the words for the sentence. */
const TROUBLE: Record<string, (fields: StoredFields) => string> = {
  events_degraded: ({ lost }) => (Number(lost) > 0 ? `${lost} events could not be written` : ''),
  config_reload_failed: ({ reason }) => `the changed configuration was not adopted (${reason})`,
  git_config_tampered: () => 'the git configuration of the work tree was changed by a round, so its hooks are not run',
  round_mem_critical_sample: () => 'the memory of the host is critical while the round runs',
  mem_pressure_deferred_to_cgroup: () => 'the memory of the host is critical, and the kernel decides by the bounds of the control group',
  memory_high_engaged: () => 'the round is slowed down because memory is short',
  memory_high_write_failed: ({ errno }) => `the memory brake could not be used (${errno})`,
  disk_low: ({ message }) => String(message),
  temp_left_behind: ({ mb, files, folder }) => `a round left ${mb} MB in ${files} files in ${folder}`,
  dirty_unstashable: ({ paths }) => `${Array.isArray(paths) ? paths.length : 'some'} changed paths cannot be stashed`,
};

/** A later event of the second kind takes back an earlier one of the first. */
const TAKEN_BACK_BY: Record<string, string> = {
  config_reload_failed: 'config_reloaded',
  round_mem_critical_sample: 'round_end',
  mem_pressure_deferred_to_cgroup: 'round_end',
  memory_high_engaged: 'memory_high_released',
  disk_low: 'disk_recovered',
};

/** More would bury the sentence. */
const MOST = 3;

/** What has gone wrong since serve started and still holds, newest first. `events` are the newest ones, oldest first. */
export function degradedBy(events: readonly StoredFields[], streaks: Facts['streaks'], unmovedLimit: number): string[] {
  const seen = new Set<string>();
  const words: string[] = [];
  if (streaks.unmoved >= unmovedLimit) words.push(`the last ${streaks.unmoved} rounds changed nothing in the repository`);
  for (const fields of events.toReversed()) {
    const kind = String(fields.event);
    if (kind === 'serve_started') break;
    const takenBack = seen.has(TAKEN_BACK_BY[kind] ?? '');
    if (!seen.has(kind) && !takenBack) words.push(TROUBLE[kind]?.(fields) ?? '');
    seen.add(kind);
  }
  return words.filter((text) => text !== '').slice(0, MOST);
}
