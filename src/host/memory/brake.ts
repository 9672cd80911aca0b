import type { Leaf } from '../../process/cgroup-leaf.ts';
import type { Severity } from './ladder.ts';

const MB = 1024 * 1024;
/** A group that is smaller is not what presses the machine (the predecessor's number). */
const LEAST_CURRENT_BYTES = 128 * MB;
/** Below this an agent could not even end in order (the predecessor's number). */
const LEAST_HIGH_BYTES = 64 * MB;

export interface BrakeRules {
  /** `brake_memory_high_step_pct`: so far below what the round uses now. */
  stepPct: number;
  /** `brake_warning_consecutive_samples` */
  consecutive: number;
}

interface BrakeState {
  /** Samples in a row that were a warning or worse. */
  streak: number;
  /** What stood in memory.high before; null while the brake is off. */
  restore: string | null;
}

type BrakeStep = 'engage' | 'release' | null;

const BRAKE_OFF: BrakeState = { streak: 0, restore: null };

/** What to do after a sample. Engaged once, released at the first healthy sample. Pure. */
function nextBrake(state: BrakeState, severity: Severity | null, { consecutive }: BrakeRules): { state: BrakeState; step: BrakeStep } {
  const streak = severity === 'warning' || severity === 'critical' ? state.streak + 1 : 0;
  const engaged = state.restore !== null;
  const step = !engaged && streak >= consecutive ? 'engage' : engaged && streak === 0 ? 'release' : null;
  return { state: { ...state, streak }, step };
}

/** The bound to write into memory.high, bytes; null: leave it. It never loosens a bound that is there. Pure. */
export function brakeHigh(current: number | null, inForce: string | null, { stepPct }: BrakeRules): number | null {
  if (current === null || inForce === null || current < LEAST_CURRENT_BYTES) return null;
  const wanted = Math.floor(Math.max(current * (1 - stepPct / 100), LEAST_HIGH_BYTES));
  const before = inForce.trim() === 'max' ? Number.POSITIVE_INFINITY : Number(inForce);
  return Number.isNaN(before) || before <= wanted ? null : wanted;
}

export interface BrakeTold {
  engaged(): void;
  released(reason: string): void;
  failed(errno: string): void;
}

export interface Brake {
  after(severity: Severity | null): void;
  /** Takes the foot off, whatever happens. */
  release(reason: string): void;
}

/** The soft brake on a round's own control group: its memory is reclaimed and its allocations slow down, nobody is killed. Fails open. */
export function openBrake(leaf: Pick<Leaf, 'current' | 'high' | 'setHigh'>, rules: BrakeRules, told: BrakeTold): Brake {
  let state = BRAKE_OFF;
  const release = (reason: string) => {
    if (state.restore === null) return;
    const errno = leaf.setHigh(state.restore);
    state = BRAKE_OFF;
    // A group that is gone has taken its bound along.
    if (errno === null || errno === 'ENOENT') told.released(reason);
    else told.failed(errno);
  };
  const engage = () => {
    const inForce = leaf.high();
    const bytes = brakeHigh(leaf.current(), inForce, rules);
    if (bytes === null || inForce === null) return;
    const errno = leaf.setHigh(String(bytes));
    if (errno === null) {
      state = { ...state, restore: inForce };
      told.engaged();
    } else {
      told.failed(errno);
      // Not again with each sample: the next try comes after as many as the first.
      state = BRAKE_OFF;
    }
  };
  return {
    after(severity) {
      const next = nextBrake(state, severity, rules);
      state = next.state;
      if (next.step === 'engage') engage();
      if (next.step === 'release') release('recovered');
    },
    release,
  };
}
