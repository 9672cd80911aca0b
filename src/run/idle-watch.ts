import { TICK_MS } from '../process/stat.ts';
import type { Clock } from '../util/clock.ts';
import { findChange } from './changed-files.ts';
import { elapsed } from './deadlines.ts';
import { type CpuSample, hasSpoken, INITIAL_IDLE_STATE, idleStep, quietFor } from './idle.ts';
import type { Census } from './members.ts';

export interface IdleOptions {
  timeoutMs: number;
  restingCpuMs?: number | undefined;
  outputBytes: () => number;
  census: Census;
  clock: Clock;
  /** Where the agent works: a changed file there is a sign of life. */
  folder: string;
  exclude: readonly string[];
  outsideCpuMs?: (() => Promise<number | null>) | undefined;
  signal: AbortSignal;
}

const SAMPLE_EVERY_MS = 30_000;
const SAMPLES_PER_TIMEOUT = 4;

/**
 * Resolves when nothing has happened for `timeoutMs`: no output, next to no CPU in the whole tree, no file changed. The process table
 * is read only while output is silent, the folder only when the other two have been silent for the whole time.
 */
export async function idleTooLong(options: IdleOptions): Promise<void> {
  const { timeoutMs, restingCpuMs, outputBytes, clock, folder, exclude, signal } = options;
  const interval = Math.min(SAMPLE_EVERY_MS, timeoutMs / SAMPLES_PER_TIMEOUT);
  let state = INITIAL_IDLE_STATE;
  while (await elapsed(clock, interval, signal)) {
    const bytes = outputBytes();
    if (hasSpoken(state, bytes)) {
      state = { ...INITIAL_IDLE_STATE, outputBytes: bytes };
      continue;
    }
    const cpu = await sampleCpu(options);
    state = idleStep(state, { at: clock.monotonic(), outputBytes: bytes, cpu }, TICK_MS, restingCpuMs);
    const quietMs = quietFor(state, clock.monotonic());
    if (quietMs < timeoutMs) continue;
    const changed = await findChange(folder, clock.now() - quietMs, exclude, signal);
    if (changed === null) return;
    state = { ...state, quietSince: clock.monotonic() - Math.max(0, clock.now() - changed.atMs) };
  }
}

async function sampleCpu({ census, outsideCpuMs }: IdleOptions): Promise<CpuSample> {
  const members = await census.take();
  const sample = new Map(members.map((member) => [`${member.pid}:${member.startTicks}`, member.cpuTicks]));
  const outside = (await outsideCpuMs?.()) ?? null;
  return outside === null ? sample : sample.set('outside', outside / TICK_MS);
}
