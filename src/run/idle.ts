/** CPU ticks per process (`pid:start time`, or a word for what works outside the process tree), at one moment. */
export type CpuSample = ReadonlyMap<string, number>;

/** What is remembered between two samples. */
export interface IdleState {
  outputBytes: number;
  /** The last CPU sample and when it was taken; null while output flows, because then nobody needs one. */
  cpu: { at: number; ticks: CpuSample } | null;
  /** Since when (monotonic ms) both output and CPU are silent. */
  quietSince: number | null;
}

export const INITIAL_IDLE_STATE: IdleState = { outputBytes: 0, cpu: null, quietSince: null };

export interface IdleSample {
  at: number;
  outputBytes: number;
  cpu: CpuSample;
}

/** Less CPU than this is what a waiting runtime uses for its timers: 50 ms per 30 s, measured over the whole tree. Some CLIs need more. */
const RESTING_CPU_MS = 50;
const QUIET_CPU_WINDOW_MS = 30_000;

/** True when output came since the last sample: then no CPU sample is needed and the silence begins anew. */
export function hasSpoken(state: IdleState, outputBytes: number): boolean {
  return outputBytes !== state.outputBytes;
}

/** The state after a sample. `tickMs` is the length of a CPU tick, `restingMs` the CPU per 30 s below which nothing is done. */
export function idleStep(state: IdleState, sample: IdleSample, tickMs: number, restingMs = RESTING_CPU_MS): IdleState {
  const { at, outputBytes } = sample;
  const cpu = { at, ticks: sample.cpu };
  if (state.cpu === null || state.quietSince === null || hasSpoken(state, outputBytes)) return { outputBytes, cpu, quietSince: at };
  const allowedMs = (restingMs * (at - state.cpu.at)) / QUIET_CPU_WINDOW_MS;
  const worked = cpuBetween(state.cpu.ticks, sample.cpu) * tickMs >= Math.max(allowedMs, tickMs);
  return { outputBytes, cpu, quietSince: worked ? at : state.quietSince };
}

/** Ticks that were used between two samples; a process that is new in the second one has used all of its own since the first. */
export function cpuBetween(before: CpuSample, after: CpuSample): number {
  let ticks = 0;
  for (const [process, used] of after) ticks += Math.max(0, used - (before.get(process) ?? 0));
  return ticks;
}

/** How long it has been silent, milliseconds. */
export function quietFor(state: IdleState, at: number): number {
  return state.quietSince === null ? 0 : at - state.quietSince;
}
