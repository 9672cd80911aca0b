import type { TurnVerdict } from '../agents/adapter.ts';
import type { OUTCOMES } from '../events/outcomes.ts';
import type { RunEnd } from '../run/types.ts';

/** What a finished round was. One word, one row of `CONSEQUENCES`. */
export type Outcome = (typeof OUTCOMES)[number];

/** Everything that decides about a round whose agent was started, or tried to be. */
export interface RoundFacts {
  end: RunEnd;
  exitCode: number | null;
  durationMs: number;
  outputBytes: number;
  /** Somebody outside the ignore patterns had to be ended after the agent. */
  leftovers: boolean;
  /** HEAD or the work tree changed during the round. */
  moved: boolean;
  turn: TurnVerdict;
  /** The kernel's own record says that this round's main process was killed for memory. */
  oomKilled: boolean;
  /** The engine could not start the container (125/126/127 and no `start` event). */
  containerFailed: boolean;
}

/** Below this a failing round is a crash, above it an error of the agent: from the predecessor (its crash-loop rule). */
const CRASH_BELOW_MS = 60_000;

/**
 * The outcome of a round, by the first rule that holds. Our own ends come before the agent's words (a wall that was hit is a
 * time-out whatever was printed), structured errors before exit codes (a CLI may exit 0 on a refusal), a finished turn before the exit
 * code (a CLI may exit 1 after success), and only then the exit code speaks.
 */
export function outcomeOf(facts: RoundFacts): Outcome {
  if (facts.end === 'spawn_failed' || facts.end === 'disk') return 'environment';
  if (facts.end === 'stopped') return 'stopped';
  if (facts.end === 'memory') return 'mem_terminated';
  if (facts.end === 'timeout') return 'timeout';
  if (facts.end === 'idle') return 'idle';
  if (facts.oomKilled) return 'oom_killed';
  if (facts.containerFailed) return 'container_error';
  if (facts.turn.error) return failureOf(facts, facts.turn.error.kind);
  if (facts.end === 'grace') return 'grace_kill';
  if (facts.turn.finished === true) return facts.leftovers ? 'ok_leftovers' : 'ok';
  if (facts.exitCode === 0 && facts.outputBytes === 0 && !facts.moved) return 'no_output';
  if (facts.exitCode === 0 && facts.turn.finished === null) return facts.leftovers ? 'ok_leftovers' : 'ok';
  // What is left: an exit code or a signal that nobody explained, or exit 0 from a CLI that never said that its turn ended.
  return failureOf(facts, 'agent_error');
}

/** A turn that failed for a reason of its own within a minute counts as a crash; a provider's refusal never does. */
function failureOf(facts: RoundFacts, kind: Outcome): Outcome {
  return kind === 'agent_error' && facts.durationMs < CRASH_BELOW_MS ? 'crash' : kind;
}

/** `exit_cause` of `agent_exit`, as the Python predecessor names it: grace_kill > timeout > signal:<NAME> > clean > error. */
export function exitCause(end: RunEnd, exitCode: number | null, signal: string | null): string {
  if (end === 'grace') return 'grace_kill';
  if (end === 'timeout' || end === 'idle') return 'timeout';
  if (signal !== null) return `signal:${signal}`;
  return exitCode === 0 ? 'clean' : 'error';
}
