import type { Emit } from '../../events/emit.ts';
import type { Clock } from '../../util/clock.ts';
import type { GroupMeter } from './account.ts';
import type { MemoryBound } from './bounds.ts';
import type { Brake } from './brake.ts';
import { type Fall, fallOf, type Glance, pauseAfter, recent } from './exhaustion.ts';
import { type FloorRules, nextFloor, STEADY } from './floor.ts';
import { type MemoryThresholds, type MemoryVerdict, memoryVerdict } from './ladder.ts';
import { type LargestProcess, largestOf } from './largest.ts';
import { headroom, type MemorySample, sampleMemory } from './sample.ts';

/** Between two samples of the ladder (the predecessor's): pressure is an average over as long. */
const SAMPLE_EVERY_MS = 10_000;

const MB = 1024 * 1024;

export interface MemoryWatchOptions {
  limits: MemoryThresholds;
  rules: FloorRules;
  /** The control group that is tighter than the machine. */
  bound: MemoryBound | null;
  clock: Clock;
  emit: Emit;
  roundNum: number;
  /** The agent. */
  pid: number;
  /** Everybody of the round that can be seen from here. */
  pids: () => Promise<readonly number[]>;
  brake: Brake | null;
  meter: GroupMeter | null;
  sources?: MemorySources;
}

/** What is read; tests give their own. */
interface MemorySources {
  sample(at: number, bound: MemoryBound | null): MemorySample;
  headroom(bound: MemoryBound | null): { bytes: number; total: number } | null;
  largest(pids: readonly number[]): LargestProcess | null;
}

const REAL: MemorySources = { sample: sampleMemory, headroom, largest: largestOf };

/** Why the floor ended a round; the fields of `round_mem_terminated`. */
export interface MemoryEnd extends MemoryVerdict {
  consecutive: number;
  context: Record<string, number | string | null>;
  /** `floor`: the ladder's verdict held; `exhaustion`: memory ran out faster than the ladder looks. */
  tier: 'floor' | 'exhaustion';
}

export interface MemoryWatch {
  /** Aborts with 'memory' when the round is to be ended. */
  stop: AbortSignal;
  /** Aborts when there is no time left for a grace. */
  hurry: AbortSignal;
  end(): MemoryEnd | null;
  close(): Promise<void>;
}

/**
 * Watches the machine's memory beside a round. Two looks at two paces: the ladder every 10 s, and a glance at what is left as often as it
 * could run out (every 2 s on a machine with room, every 100 ms in a fall). Each ends the round only after so many
 * critical looks in a row. Never throws, never waits for anybody.
 */
export function watchMemory(options: MemoryWatchOptions): MemoryWatch {
  const { clock, emit, roundNum, pid, rules, bound, sources = REAL } = options;
  const [closed, stop, hurry] = [new AbortController(), new AbortController(), new AbortController()];
  let end: MemoryEnd | null = null;
  let slow = STEADY;
  let fast = STEADY;
  let glances: Glance[] = [];
  let lateMs = 0;

  let largest: LargestProcess | null = null;

  const step = async (tier: MemoryEnd['tier'], verdict: MemoryVerdict, context: MemoryEnd['context'], due = true) => {
    const next = nextFloor(tier === 'floor' ? slow : fast, true, rules);
    if (tier === 'floor') slow = next.state;
    else fast = next.state;
    // On a machine that chokes, looking through the process table once more could take what is left.
    if (!next.end || largest === null) largest = sources.largest(await options.pids().catch(() => []));
    const told = { ...context, signal: verdict.signal, ...largestIn(largest) };
    if (closed.signal.aborted || end !== null) return;
    if (next.sample !== null) emit('round_mem_critical_sample', { round_num: roundNum, consecutive: next.sample, context: told });
    if (next.deferred) emit('mem_pressure_deferred_to_cgroup', { pid, signal: verdict.signal, message: verdict.message });
    if (!next.end || !due) return;
    end = { ...verdict, consecutive: next.state.streak, context: told, tier };
    stop.abort('memory');
  };

  /** Milliseconds until the next one. */
  const glance = async (): Promise<number> => {
    const left = sources.headroom(bound);
    if (left === null) return SAMPLE_EVERY_MS;
    const now = { at: clock.monotonic(), ...left };
    glances = recent(glances, now);
    const fall = fallOf(glances, lateMs);
    // A bound that the kernel keeps exhausts nothing but itself.
    if (rules.terminate && !rules.defer) {
      if (fall.critical) await step('exhaustion', exhausted(now, fall), fallContext(now, fall), fall.due);
      else fast = STEADY;
    }
    if (end !== null && (fall.noTimeLeft || left.bytes === 0)) hurry.abort();
    return pauseAfter(now, { ...fall, critical: fall.critical || end !== null });
  };

  const tick = async (sample: MemorySample, before: MemorySample) => {
    options.meter?.look();
    const verdict = memoryVerdict(sample, before, options.limits);
    options.brake?.after(verdict?.severity ?? null);
    if (verdict?.severity === 'critical') await step('floor', verdict, contextOf(sample, before));
    else slow = STEADY;
  };

  const watching = async () => {
    let before = sources.sample(clock.monotonic(), bound);
    let nextTick = before.at + SAMPLE_EVERY_MS;
    let pause = await glance();
    for (;;) {
      const asked = clock.monotonic();
      const wanted = Math.min(pause, Math.max(0, nextTick - asked));
      await clock.sleep(wanted, closed.signal);
      if (closed.signal.aborted) return;
      // Forgotten by half with each look, so that one late moment of long ago counts no more.
      lateMs = Math.max(clock.monotonic() - asked - wanted, lateMs / 2);
      pause = await glance();
      const now = clock.monotonic();
      if (now < nextTick) continue;
      const sample = sources.sample(now, bound);
      await tick(sample, before);
      before = sample;
      nextTick = now + SAMPLE_EVERY_MS;
    }
  };
  // Whatever goes wrong here costs the watch, not the round.
  const running = watching().catch(() => {});

  return {
    stop: stop.signal,
    hurry: hurry.signal,
    end: () => end,
    async close() {
      closed.abort();
      await running;
      options.brake?.release('round ended');
    },
  };
}

function exhausted({ bytes, total }: Glance, { rate, leftMs }: Fall): MemoryVerdict {
  const perSecond = Math.round((rate * 1000) / MB);
  const message = `${mb(bytes)} of ${mb(total)} MB are left, ${perSecond} MB less each second: gone in ${(leftMs / 1000).toFixed(1)} s`;
  return { severity: 'critical', signal: 'exhaustion', message };
}

function fallContext({ bytes }: Glance, { rate, leftMs }: Fall): MemoryEnd['context'] {
  return { headroom_mb: mb(bytes), fall_mb_per_s: Math.round((rate * 1000) / MB), left_s: Math.round(leftMs / 100) / 10 };
}

/** The figures behind a verdict of the ladder. */
function contextOf(sample: MemorySample, before: MemorySample | null): MemoryEnd['context'] {
  const { pressure, group, free, available, swappedOut } = sample;
  const delta = swappedOut === null || before?.swappedOut == null ? null : swappedOut - before.swappedOut;
  return {
    psi_some_avg10: pressure?.some ?? null,
    psi_full_avg10: pressure?.full ?? null,
    ...(group?.pressure == null ? {} : { group_psi_some_avg10: group.pressure.some, group_psi_full_avg10: group.pressure.full }),
    mem_free_mb: free === null ? null : mb(free),
    mem_available_mb: available === null ? null : mb(available),
    swap_out_delta_mb: delta === null ? null : mb(delta),
  };
}

function largestIn(largest: LargestProcess | null): MemoryEnd['context'] {
  if (largest === null) return { largest_pid: null };
  const { pid, name, bytes, together } = largest;
  return { largest_pid: pid, largest_name: name, largest_mb: mb(bytes), round_mb: mb(together) };
}

function mb(bytes: number): number {
  return Math.round(bytes / MB);
}
