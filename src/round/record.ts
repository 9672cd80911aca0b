import { constants } from 'node:os';
import type { Emit } from '../events/emit.ts';
import { seconds } from '../util/duration.ts';
import type { RoundBodyReport } from './body.ts';
import type { MemoryReport } from './memory.ts';
import { networkBlip } from './network-blip.ts';
import { exitCause, type Outcome } from './outcome.ts';

export interface FinishedRound extends RoundBodyReport {
  roundNum: number;
  roundId: string;
  phase: string | null;
  /** Scope of throttles. */
  account: string;
  outcome: Outcome;
  graceS: number;
  idleS: number;
  memory: MemoryReport;
  memoryMaxMb: number | null;
  logPath: string;
}

/** The agent's exit code as the Python predecessor's events carry it: negative for a signal, -1 when it never started. */
export function legacyExitCode(code: number | null, signal: NodeJS.Signals | null): number {
  if (code !== null) return code;
  return signal === null ? -1 : -(constants.signals[signal] ?? 1);
}

/** The events that tell how the agent's run ended, in the predecessor's order. */
export function recordRun(emit: Emit, round: FinishedRound): void {
  const { run, roundNum, roundId } = round;
  const timedOut = run.end === 'timeout' || run.end === 'idle' || run.end === 'grace';
  emit('agent_exit', {
    round_num: roundNum,
    exit_code: legacyExitCode(run.exitCode, run.signal),
    duration_s: seconds(run.durationMs),
    timed_out: timedOut,
    exit_cause: exitCause(run.end, run.exitCode, run.signal),
    outcome: round.outcome,
  });
  emit('round_reaped', {
    round_num: roundNum,
    round_id: roundId,
    members: run.receipt.members,
    escaped: run.receipt.escaped,
    signalled: run.receipt.signalled,
    survivors: run.receipt.survivors,
    container_id: run.receipt.containerId,
    ...(run.receipt.leaf === null ? {} : { leaf: { killed: run.receipt.leaf.killed, removed: run.receipt.leaf.removed } }),
    duration_ms: Math.round(run.receipt.durationMs),
  });
  recordMemory(emit, round);
  if (run.droppedBytes > 0) emit('round_log_truncated', { round_num: roundNum, dropped_bytes: run.droppedBytes });
}

const MB = 1024 * 1024;

/** What the kernel counted in the round's control group, or in ours while the round was in it, and who ended it for memory. */
function recordMemory(emit: Emit, { run, roundNum, outcome, memory, memoryMaxMb, logPath }: FinishedRound): void {
  const { leafMemory: leaf, memoryExceededBytes: exceeded, receipt } = run;
  // A group that began with the round: its counters are the round's own.
  const own = leaf !== null && leaf.peak !== null ? { ...leaf, folder: receipt.leaf?.folder ?? null } : null;
  const counted = own ?? memory.account;
  if (counted !== null) {
    emit('round_cgroup_memory', {
      round_num: roundNum,
      memory_current_peak: counted.peak ?? 0,
      memory_swap_current_peak: counted.swapPeak ?? 0,
      events_high_delta: counted.high,
      events_max_delta: counted.max,
      events_oom_delta: counted.oom,
      events_oom_kill_delta: counted.oomKills,
      bounding_cgroup_path: counted.folder,
    });
  }
  const pid = run.leader?.pid ?? 0;
  if (exceeded !== null) {
    const measured = Math.round(exceeded / MB);
    emit('round_mem_terminated', {
      pid,
      severity: 'critical',
      signal: 'round_memory_max_mb',
      message: `the round had ${measured} MB of memory, limits.round_memory_max_mb allows ${memoryMaxMb}`,
      consecutive: 1,
      context: { measured_mb: measured, limit_mb: memoryMaxMb },
    });
  } else if (run.end === 'memory' && memory.end !== null) {
    emit('round_mem_terminated', { pid, ...memory.end });
  }
  if (outcome === 'oom_killed') {
    emit('round_oom_killed', {
      round_num: roundNum,
      log_path: logPath,
      log_bytes: run.outputBytes - run.droppedBytes,
      oom_kill_delta: (leaf ?? memory.account)?.oomKills ?? 0,
      partial_log: true,
    });
  }
}

/** What the agent's own records and last words said: usage, refusals, logins, the network. */
export function recordTurn(emit: Emit, round: FinishedRound): void {
  const { turn, run, outcome, roundNum, phase, identity: agent, account } = round;
  const matched = networkBlip(outcome, run);
  if (matched !== null) {
    emit('agent_network_blip', {
      round_num: roundNum,
      phase,
      matched,
      round_duration_s: seconds(run.durationMs),
      exit_code: legacyExitCode(run.exitCode, run.signal),
      timed_out: run.end === 'timeout' || run.end === 'idle',
    });
  }
  if (turn.usage) {
    emit('agent_usage_recorded', {
      agent,
      round_num: roundNum,
      phase,
      success: turn.error === null,
      account,
      ...turn.usage,
    });
  }
  if (turn.error?.kind === 'auth_error') emit('agent_auth_error_detected', { round_num: roundNum, agent, raw: turn.error.raw, account });
  if (turn.error?.kind === 'rate_limited' || turn.error?.kind === 'provider_error') {
    emit('transient_error_detected', {
      round_num: roundNum,
      classification: turn.error.classification,
      agent,
      reset_at_epoch: turn.error.resetAtEpoch ?? 0,
      raw: turn.error.raw,
      phase,
      account,
      stated: turn.error.resetAtEpoch !== null,
    });
  }
}

/** After the tree was dealt with: which of our walls ended the round. */
export function recordWall(emit: Emit, round: FinishedRound): void {
  const { run, roundNum } = round;
  if (run.end === 'grace') emit('round_grace_kill', { round_num: roundNum, grace_s: round.graceS, live_children: [] });
  if (run.end === 'timeout') emit('round_timeout_kill', { round_num: roundNum, reason: 'round_timeout' });
  if (run.end === 'idle') emit('round_idle_kill', { round_num: roundNum, idle_s: round.idleS });
}
