/** How many critical samples in a row there were, and what was told of it. */
export interface FloorState {
  streak: number;
  /** The kernel's OOM killer was told to be the one who decides; once an episode. */
  deferTold: boolean;
}

export interface FloorRules {
  /** `mem_critical_consecutive_samples` */
  consecutive: number;
  /** `in_round_mem_terminate` */
  terminate: boolean;
  /** A control group with plausible bounds of its own holds the agent. */
  defer: boolean;
}

export interface FloorStep {
  state: FloorState;
  /** Tell of this critical sample, `consecutive` in a row; null: nothing to tell. */
  sample: number | null;
  /** Tell that the kernel decides. */
  deferred: boolean;
  /** End the round. */
  end: boolean;
}

export const STEADY: FloorState = { streak: 0, deferTold: false };

/**
 * One sample in the middle of a round. A critical one lengthens the streak, any other ends it: a single spike ends no round. Samples are
 * told up to twice the streak that ends a round, so that a long episode does not fill the log. Pure.
 */
export function nextFloor(state: FloorState, critical: boolean, { consecutive, terminate, defer }: FloorRules): FloorStep {
  if (!critical) return { state: STEADY, sample: null, deferred: false, end: false };
  const streak = state.streak + 1;
  const reached = streak >= consecutive && terminate;
  const deferred = reached && defer && !state.deferTold;
  return {
    state: { streak, deferTold: state.deferTold || deferred },
    sample: streak <= 2 * consecutive ? streak : null,
    deferred,
    end: reached && !defer,
  };
}
