import { hookName } from '../../config/hook-name.ts';
import type { Located } from '../../config/locate.ts';
import { type ServiceStatus, statusOf } from '../../service/mode.ts';
import { type Layout, layout } from '../../state/layout.ts';
import { lookAtJson } from '../../state/look.ts';
import { isoTime } from '../../util/clock.ts';
import { type BudgetView, budgetView } from './budget.ts';
import type { Facts, Need } from './facts.ts';
import { logTail } from './log-tail.ts';
import { type RateLimit, rateLimit } from './rate-limit.ts';
import { type LastReceipt, lastReceipt } from './receipt.ts';
import { findRoundLog, type RoundView, viewFromEvents } from './round-view.ts';
import { sentence } from './sentence.ts';
import { isHealthy, type PeekState, situationOf } from './situation.ts';
import { orphanStashes } from './stashes.ts';
import { type SystemNumbers, systemNumbers } from './system.ts';

type Fields = Record<string, unknown>;

/** What `peek --json` prints. The keys down to `schedule` are those of the predecessor at schema 1.11; the rest is ours. */
export interface Snapshot {
  schema_version: '1.11';
  project: string;
  status: Fields;
  defenses: unknown[];
  current_round: RoundView | null;
  /** Reserved by the predecessor. */
  recent_rounds: unknown[];
  orphan: Fields | null;
  /** Stashes of earlier rounds that are still in the repository; `orphan` is the one of the last round alone. */
  orphan_stashes: number;
  system: SystemNumbers;
  service: ServiceStatus & { rate_limit: RateLimit | null };
  recent_events: Fields[];
  recent_hook_failures: Fields[];
  recent_blips: Fields[];
  recent_cgroup_growth_warnings: Fields[];
  /** Null without a schedule. */
  schedule: { paused: boolean; resume_at: string | null; active_window: string | null; phase: string | null } | null;
  plugins: Record<string, unknown[]>;
  sentence: string;
  state: PeekState;
  until: string | null;
  needs_human: Need | null;
  healthy: boolean;
  last_receipt: LastReceipt | null;
  readonly budget: BudgetView | null;
  config_path: string;
  log_dir: string | null;
}

export interface Wanted {
  /** `--round`. */
  round: number | 'latest' | null;
  log: boolean;
  /** `--events`. */
  events: number;
}

const LOG_LINES = 50;
/** The predecessor's. */
const MOST_HOOK_FAILURES = 10;
const MOST_BLIPS = 5;

/** The whole answer, from the facts, the newest events (oldest first) and the newest metrics sample. Null `current_round` when a wanted round has no log. */
export function snapshot(located: Located, facts: Facts, events: Fields[], sample: Fields | null, wanted: Wanted, now: number): Snapshot {
  const { supervisor } = facts;
  const paths = facts.logDir === null || facts.logDirState !== 'ok' ? null : layout(facts.logDir);
  const situation = situationOf(facts, now);
  const serve = supervisor.kind === 'alive' ? { pid: supervisor.pid, create_time: inSeconds(supervisor.startedAt) } : null;
  const ofKind = (kind: string, most: number) => events.filter(({ event }) => event === kind).slice(-most);
  return {
    schema_version: '1.11',
    project: facts.project,
    status: (facts.status as Fields | null) ?? {},
    defenses: paths === null ? [] : listIn(paths.defenses),
    current_round: paths === null ? null : currentRound(paths, facts, events, wanted, now),
    recent_rounds: [],
    orphan: paths === null ? null : objectIn(paths.orphanState),
    orphan_stashes: located.workDir === null ? 0 : orphanStashes(located.workDir),
    system: systemNumbers(facts.logDir ?? located.configPath, agentName(located.document), numberOr(sample?.cpu_pct)),
    service: {
      ...statusOf({ ...facts.units, hasPidFile: supervisor.kind !== 'none', serve }, now),
      rate_limit: rateLimit(facts.accounts, events, now),
    },
    recent_events: wanted.events === 0 ? [] : events.slice(-wanted.events),
    recent_hook_failures: ofKind('hook_failed', MOST_HOOK_FAILURES),
    recent_blips: ofKind('agent_network_blip', MOST_BLIPS),
    recent_cgroup_growth_warnings: ofKind('cgroup_growth_rate_warning', MOST_BLIPS),
    schedule: schedule(located.document, facts, situation.state),
    plugins: plugins(located.document),
    sentence: sentence(facts, now),
    state: situation.state,
    until: situation.until === null ? null : isoTime(situation.until),
    needs_human: situation.need,
    healthy: isHealthy(facts, situation),
    last_receipt: lastReceipt(events),
    // Only when it is looked at: the first question about a time zone costs some ten milliseconds.
    get budget() {
      return paths === null ? null : budgetView(paths, located.document, now);
    },
    config_path: facts.configPath,
    log_dir: facts.logDir,
  };
}

function currentRound(paths: Layout, facts: Facts, events: Fields[], wanted: Wanted, now: number): RoundView | null {
  const running = facts.inFlight;
  const found = findRoundLog(paths, wanted.round ?? running?.roundNum ?? facts.status?.round_num ?? 'latest');
  if (found === null) return null;
  const view = viewFromEvents(found.roundNum, found.path, events);
  if (running !== null && running.roundNum === found.roundNum && view.exit_code === null) {
    view.pid = running.pid;
    view.phase ??= running.phase;
    if (running.startedAt !== null) view.duration_so_far_s = Math.max(0, Math.round((now - running.startedAt) / 1000));
  }
  if (wanted.log) view.log_tail = logTail(found.path, LOG_LINES);
  if (wanted.events > 0) view.recent_events = events.filter(({ round_num }) => round_num === found.roundNum).slice(-wanted.events);
  return view;
}

function schedule({ schedule: base, phases }: Fields, { wait }: Facts, state: PeekState): Snapshot['schedule'] {
  if (state === 'schedule' && wait !== null) {
    return { paused: true, resume_at: wait.until, active_window: wait.window?.active_window ?? null, phase: wait.window?.phase ?? null };
  }
  const tables = [base, ...Object.values(fieldsIn(phases)).map((phase) => fieldsIn(phase).schedule)].map(fieldsIn);
  const asks = tables.some((table) => ['run_windows', 'pause_windows', 'cron'].some((key) => (table[key] as { length?: number })?.length));
  return asks ? { paused: false, resume_at: null, active_window: null, phase: null } : null;
}

function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Names of hooks, and what `plugins.disable` says. Python entry points do not load here: their keys stay, empty. */
function plugins(document: Fields): Record<string, unknown[]> {
  const disable = (document.plugins as Fields | undefined)?.disable;
  const disabled: unknown[] = Array.isArray(disable) ? disable : [];
  const hooks = (document.hooks ?? {}) as Fields;
  const names = (kind: string) => {
    const commands = Array.isArray(hooks[kind]) ? hooks[kind].filter(Array.isArray) : [];
    return commands.map(hookName).filter((name) => !disabled.includes(name));
  };
  return {
    event_kinds: [],
    context_enrichers: [],
    serve_start_hooks: names('serve_start'),
    pre_round_hooks: names('pre_round'),
    post_round_hooks: names('post_round'),
    detectors: [],
    owned_paths: [],
    disabled,
  };
}

/** basename of `agent.command[0]`, unchecked. */
function agentName(document: Fields): string | null {
  const command = (document.agent as Fields | undefined)?.command;
  const first = Array.isArray(command) ? command[0] : null;
  return typeof first === 'string' && first !== '' ? (first.split('/').at(-1) ?? null) : null;
}

function listIn(path: string): unknown[] {
  const seen = lookAtJson(path);
  return seen.kind === 'ok' && Array.isArray(seen.value) ? seen.value : [];
}

function objectIn(path: string): Fields | null {
  const seen = lookAtJson(path);
  return seen.kind === 'ok' && typeof seen.value === 'object' && !Array.isArray(seen.value) ? (seen.value as Fields | null) : null;
}

function numberOr(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
