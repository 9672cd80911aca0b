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
  temp_left_behind: leftBehindWords,
  hook_failed: hookWords,
  dirty_unstashable: ({ paths }) => `${Array.isArray(paths) ? paths.length : 'some'} changed paths cannot be stashed`,
};

/** In a folder that the machine shares nobody can tell whose files these are. */
function leftBehindWords({ round_num, mb, files, folder, whole }: StoredFields): string {
  const much = `${whole === false ? 'at least ' : ''}${mb} MB in ${files} files`;
  const shared = folder === '/tmp' || folder === '/var/tmp' || folder === '/dev/shm';
  return shared
    ? `${much} came into ${folder} during round ${round_num}, not certainly from it`
    : `round ${round_num} left ${much} in ${folder}`;
}

/** `post_round hook push-branch failed in round 3 (exited with 4)`; the predecessor's events have less. */
function hookWords({ hook_kind: kind, hook_name: name, error_message: message, round_num: round }: StoredFields): string {
  const which = kind === 'notify' ? 'notification by' : typeof kind === 'string' ? `${kind} hook` : 'hook';
  const when = typeof round === 'number' ? ` in round ${round}` : '';
  return `${which} ${name} failed${when}${typeof message === 'string' && message !== '' ? ` (${firstLine(message)})` : ''}`;
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0]?.trim() ?? '';
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

/** News of one round: the end of a later round without it takes it back. */
const OF_ONE_ROUND = new Set(['temp_left_behind', 'hook_failed']);

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
  const laterEnds: unknown[] = [];
  for (const fields of events.toReversed()) {
    const kind = String(fields.event);
    if (kind === 'serve_started') break;
    if (kind === 'round_end') laterEnds.push(fields.round_num);
    const takenBack = seen.has(TAKEN_BACK_BY[kind] ?? '') || (OF_ONE_ROUND.has(kind) && isOld(fields, laterEnds));
    const what = kind === 'hook_failed' ? `${kind} ${fields.hook_kind} ${fields.hook_name}` : kind;
    if (!seen.has(what) && !takenBack) words.push(TROUBLE[kind]?.(fields) ?? '');
    seen.add(what);
  }
  return words.filter((text) => text !== '').slice(0, MOST);
}

/** `laterEnds`: the numbers of the rounds that ended after this was told. What names no round is old after two of them. */
function isOld({ round_num }: StoredFields, laterEnds: readonly unknown[]): boolean {
  if (typeof round_num !== 'number') return laterEnds.length > 1;
  return laterEnds.some((later) => typeof later === 'number' && later > round_num);
}
