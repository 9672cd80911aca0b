/** The part of a `round_reaped` event that words are made of. */
export interface LastReceipt {
  round_num: number;
  round_id: string | null;
  /** `outcome` and `exit_cause` of the round's `agent_exit`, when that is at hand. */
  outcome: string | null;
  exit_cause: string | null;
  members: Named[];
  escaped: Named[];
  signalled: Named[];
  survivors: Named[];
  container_id: string | null;
  duration_ms: number | null;
  /** All of it as a person would say it. */
  words: string;
}

interface Named {
  name: string;
  pid: number;
}

type Fields = Record<string, unknown>;

/** The newest receipt among `events` (oldest first), joined with the end of its round; null when there is none. */
export function lastReceipt(events: readonly Fields[]): LastReceipt | null {
  const reaped = events.findLast(({ event, round_num }) => event === 'round_reaped' && typeof round_num === 'number');
  if (reaped === undefined) return null;
  const exit = events.findLast(({ event, round_num }) => event === 'agent_exit' && round_num === reaped.round_num);
  const receipt = {
    round_num: reaped.round_num as number,
    round_id: textOf(reaped.round_id),
    outcome: textOf(exit?.outcome),
    exit_cause: textOf(exit?.exit_cause),
    members: namesOf(reaped.members),
    escaped: namesOf(reaped.escaped),
    signalled: namesOf(reaped.signalled),
    survivors: namesOf(reaped.survivors),
    container_id: textOf(reaped.container_id),
    duration_ms: typeof reaped.duration_ms === 'number' ? reaped.duration_ms : null,
  };
  return { ...receipt, words: receiptWords(receipt) };
}

/** `ended by itself; 3 processes cleaned up (1 had left the group), none survived`. */
function receiptWords(receipt: Omit<LastReceipt, 'words'>): string {
  const { members, escaped, signalled, survivors, container_id } = receipt;
  const parts = [howItEnded(receipt)];
  if (signalled.length > 0) {
    const away = escaped.length === 0 ? '' : ` (${escaped.length} had left the group)`;
    parts.push(`${processes(signalled.length)} cleaned up${away}`);
  } else parts.push(members.length > 0 ? `${processes(members.length)} left by themselves` : 'nobody was left behind');
  if (container_id !== null) parts.push(`container ${container_id.slice(0, 12)} ended`);
  parts.push(survivors.length === 0 ? 'none survived' : `${processes(survivors.length)} SURVIVED: ${listOf(survivors)}`);
  return signalled.length === 0 && survivors.length === 0
    ? parts.slice(0, -1).join('; ')
    : `${parts.slice(0, -1).join('; ')}, ${parts.at(-1)}`;
}

function howItEnded({ outcome, exit_cause }: Pick<LastReceipt, 'outcome' | 'exit_cause'>): string {
  if (outcome === 'stopped') return 'ended because we were told to stop';
  if (outcome === 'idle') return 'ended by the idle wall';
  if (outcome === 'mem_terminated') return 'ended for memory';
  if (outcome === 'oom_killed') return 'killed by the kernel for memory';
  if (exit_cause === 'timeout') return 'ended by the time wall';
  if (exit_cause === 'grace_kill') return 'ended by us after its result, with nobody working';
  if (exit_cause === 'clean') return 'ended by itself';
  if (exit_cause === 'error') return 'ended by itself with an error';
  if (exit_cause?.startsWith('signal:')) return `ended by ${exit_cause.slice('signal:'.length)}`;
  return 'ended';
}

function processes(count: number): string {
  return count === 1 ? '1 process' : `${count} processes`;
}

function listOf(named: readonly Named[]): string {
  const shown = named.slice(0, 5).map(({ name, pid }) => `${name} (${pid})`);
  return named.length > 5 ? `${shown.join(', ')} and ${named.length - 5} more` : shown.join(', ');
}

function namesOf(value: unknown): Named[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: Fields | null) =>
    typeof item?.name === 'string' && typeof item.pid === 'number' ? [{ name: item.name, pid: item.pid }] : [],
  );
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
