import type { ExitName } from '../util/exit-codes.ts';
import type { Outcome } from './outcome.ts';

type StreakChange = 'reset' | 'add' | 'keep';
/** `base`: restart_delay_s; `double`: twice that, flat; `exponential`: times 2^crash streak, capped; `wait`: until the limit ends. */
type DelayKind = 'base' | 'double' | 'exponential' | 'wait' | 'none';

export interface Consequence {
  /** Exit code of `agent-runner round`. */
  exit: ExitName;
  crash: StreakChange;
  /** Rounds in a row that ended well and came to nothing; `reset` only where the round was one that did (src/serve/progress.ts). */
  noProgress: StreakChange;
  /** Rounds in a row that hit a wall; `add` counts only while neither HEAD nor the tree moved. */
  stall: StreakChange;
  auth: StreakChange;
  memory: StreakChange;
  environment: StreakChange;
  /** Whether the dirty tree is dealt with as `vcs.dirty_action` says, or left for the next round. */
  tree: 'resolve' | 'leave';
  delay: DelayKind;
  /** When a person is asked: never, at once, for billing alone, or after ten in a row. */
  person: 'never' | 'always' | 'billing' | 'after_10';
}

const KEEP = { crash: 'keep', noProgress: 'keep', stall: 'keep', auth: 'keep', memory: 'keep', environment: 'keep' } as const;
const WELL = { crash: 'reset', noProgress: 'reset', stall: 'reset', auth: 'reset', memory: 'reset', environment: 'reset' } as const;
/** The agent ran, so the environment and memory were fit, whatever else happened. */
const RAN = { ...KEEP, memory: 'reset', environment: 'reset' } as const;

/** One row per outcome; docs/architecture.md and the tests print it from here. */
export const CONSEQUENCES: Record<Outcome, Consequence> = {
  ok: { exit: 'ok', ...WELL, tree: 'resolve', delay: 'base', person: 'never' },
  ok_leftovers: { exit: 'ok', ...WELL, tree: 'resolve', delay: 'base', person: 'never' },
  grace_kill: { exit: 'ok', ...WELL, tree: 'resolve', delay: 'base', person: 'never' },
  no_output: { exit: 'failure', ...RAN, crash: 'add', noProgress: 'add', tree: 'leave', delay: 'exponential', person: 'never' },
  crash: { exit: 'failure', ...RAN, crash: 'add', noProgress: 'reset', tree: 'leave', delay: 'exponential', person: 'never' },
  agent_error: { exit: 'failure', ...RAN, crash: 'reset', noProgress: 'reset', tree: 'leave', delay: 'double', person: 'never' },
  timeout: { exit: 'ok', ...RAN, crash: 'reset', noProgress: 'reset', stall: 'add', tree: 'leave', delay: 'base', person: 'never' },
  idle: { exit: 'ok', ...RAN, crash: 'reset', noProgress: 'reset', stall: 'add', tree: 'leave', delay: 'base', person: 'never' },
  rate_limited: { exit: 'failure', ...RAN, crash: 'reset', tree: 'leave', delay: 'wait', person: 'never' },
  provider_error: { exit: 'failure', ...RAN, crash: 'reset', tree: 'leave', delay: 'wait', person: 'billing' },
  auth_error: { exit: 'failure', ...RAN, crash: 'reset', auth: 'add', tree: 'leave', delay: 'double', person: 'always' },
  mem_terminated: { exit: 'failure', ...KEEP, memory: 'add', tree: 'leave', delay: 'double', person: 'never' },
  oom_killed: { exit: 'failure', ...KEEP, memory: 'add', tree: 'leave', delay: 'double', person: 'never' },
  container_error: { exit: 'environment', ...KEEP, environment: 'add', tree: 'leave', delay: 'double', person: 'after_10' },
  environment: { exit: 'environment', ...KEEP, environment: 'add', tree: 'leave', delay: 'double', person: 'after_10' },
  stopped: { exit: 'interrupted', ...KEEP, tree: 'leave', delay: 'none', person: 'never' },
  config_broken: { exit: 'config', ...KEEP, tree: 'leave', delay: 'none', person: 'always' },
};
