import { stripVTControlCharacters } from 'node:util';
import { humanDuration } from '../../util/duration.ts';
import type { RoundView } from './round-view.ts';
import type { Snapshot } from './snapshot.ts';
import { agoWords } from './times.ts';

type Fields = Record<string, unknown>;
type Style = (format: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;

/** `peek` for a person: the sentence, then what it rests on, one fact a line; absent facts have no line. */
export function peekText(view: Snapshot, now: number, style: Style): string {
  const label = (name: string) => style('dim', name.padEnd(8));
  // `--round N` shows an older round, and what later ones left is no news of it.
  const isLater = (of: { round_num?: unknown } | null) => of === null || Number(of.round_num) > (view.current_round?.round_num ?? Infinity);
  const rows: [string, string][] = [
    ['project', `${view.project}  ${style('dim', view.config_path)}`],
    ['state in', view.log_dir ?? ''],
    ['serve', serveWords(view)],
    ['round', roundWords(view, now)],
    ['receipt', isLater(view.last_receipt) ? '' : `round ${view.last_receipt?.round_num}: ${view.last_receipt?.words}`],
    ['limits', budgetWords(view)],
    ['orphan', isLater(view.orphan) ? '' : orphanWords(view.orphan)],
    ['stashes', stashWords(view)],
    ['guards', guardWords(view.defenses)],
    ['host', hostWords(view)],
  ];
  const facts = rows.filter(([, words]) => words !== '').map(([name, words]) => `${label(name)} ${harmless(words)}`);
  const parts = [style(view.healthy ? 'bold' : 'yellow', view.sentence), facts.join('\n')];
  const round = view.current_round;
  if (round?.log_tail != null) parts.push(`${style('dim', `--- end of ${round.log_path}`)}\n${harmless(round.log_tail)}`);
  if (view.recent_events.length > 0) parts.push(view.recent_events.map((event) => harmless(JSON.stringify(event))).join('\n'));
  return parts.join('\n\n');
}

function serveWords({ service: { active, pid, uptime_s, mode } }: Snapshot): string {
  if (!active) return 'not running';
  return `running, pid ${pid}${uptime_s === null ? '' : `, up for ${humanDuration(uptime_s * 1000)}`} (${mode})`;
}

function roundWords({ current_round: round, status, state }: Snapshot, now: number): string {
  if (round === null) return '';
  const phase = `${round.phase === null ? '' : ` (${round.phase})`}${standInWords(round)}`;
  const duration = round.duration_so_far_s === null ? '' : ` after ${humanDuration(round.duration_so_far_s * 1000)}`;
  const running = state === 'round_running' || state === 'draining' || state === 'overdue';
  if (round.exit_code === null) return `${round.round_num}${phase}, ${running ? 'running' : 'without an end on record'}; ${round.log_path}`;
  const ago = status.round_num === round.round_num ? agoWords(String(status.last_completed_at ?? ''), now) : '';
  return `${round.round_num}${phase}, ${round.outcome ?? `exit ${round.exit_code}`}${duration}${ago === '' ? '' : `, ${ago}`}; ${round.log_path}`;
}

/** Only where it is not the first choice. */
function standInWords({ agent, account, fallback }: RoundView): string {
  if (!fallback || agent === null) return '';
  return ` by fallback ${agent}${account === null || account === agent ? '' : ` (account ${account})`}`;
}

/** How far each limit is used up; the question costs nothing where none is set. */
function budgetWords({ budget }: Snapshot): string {
  return budget?.limits.map(({ words }) => words).join('; ') ?? '';
}

function orphanWords(orphan: Fields | null): string {
  if (orphan === null || typeof orphan.stashed_ref !== 'string') return '';
  return `round ${orphan.round_num} left changes; \`git stash apply ${orphan.stashed_ref.slice(0, 12)}\` brings them back`;
}

/** The one of the last round has a line of its own. */
function stashWords({ orphan, orphan_stashes: count }: Snapshot): string {
  const others = orphan === null ? count : count - 1;
  if (others < 1) return '';
  return `${others} ${others === 1 ? 'stash' : 'stashes'} of earlier rounds ${others === 1 ? 'waits' : 'wait'}: \`git stash list\``;
}

function guardWords(defenses: readonly unknown[]): string {
  const guards = defenses as { name?: unknown; current_state?: unknown }[];
  const named = (state: string) => guards.filter((guard) => guard?.current_state === state).map((guard) => String(guard.name));
  if (guards.length === 0) return '';
  const degraded = named('degraded');
  return `${named('active').length} active${degraded.length === 0 ? '' : `, degraded: ${degraded.join(', ')}`}, ${named('off').length} off`;
}

function hostWords({ system: { mem_available_mb, mem_total_mb, disk_used_pct, disk_free_gb, load_1m } }: Snapshot): string {
  const load = load_1m === null ? '' : `; load ${load_1m.toFixed(2)}`;
  return `${gb(mem_available_mb)} of ${gb(mem_total_mb)} GB memory available; disk ${disk_used_pct} % used, ${disk_free_gb} GB free${load}`;
}

function gb(mb: number): string {
  return (mb / 1024).toFixed(1);
}

/** Agents' logs and their state may hold escape codes: the reader's terminal must not obey them. Newlines and tabs stay. */
function harmless(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '');
}
