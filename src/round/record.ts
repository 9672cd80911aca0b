import { constants } from 'node:os';
import type { Emit } from '../events/emit.ts';
import { seconds } from '../util/duration.ts';
import type { RoundBodyReport } from './body.ts';
import { exitCause, type Outcome } from './outcome.ts';

export interface FinishedRound extends RoundBodyReport {
  roundNum: number;
  roundId: string;
  phase: string | null;
  outcome: Outcome;
  graceS: number;
  idleS: number;
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
    duration_ms: Math.round(run.receipt.durationMs),
  });
  if (run.droppedBytes > 0) emit('round_log_truncated', { round_num: roundNum, dropped_bytes: run.droppedBytes });
}

/** What the agent's own records said: usage, refusals, logins. */
export function recordTurn(emit: Emit, round: FinishedRound): void {
  const { turn, roundNum, phase, identity: agent } = round;
  if (turn.usage) {
    emit('agent_usage_recorded', {
      agent,
      round_num: roundNum,
      phase,
      success: turn.error === null,
      ...turn.usage,
    });
  }
  if (turn.error?.kind === 'auth_error') emit('agent_auth_error_detected', { round_num: roundNum, agent, raw: turn.error.raw });
  if (turn.error?.kind === 'rate_limited' || turn.error?.kind === 'provider_error') {
    emit('transient_error_detected', {
      round_num: roundNum,
      classification: turn.error.classification,
      agent,
      reset_at_epoch: turn.error.resetAtEpoch ?? 0,
      raw: turn.error.raw,
      phase,
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
