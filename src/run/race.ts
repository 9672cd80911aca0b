import type { Clock } from '../util/clock.ts';
import { elapsed } from './deadlines.ts';
import { graceIsOver } from './grace.ts';
import { idleTooLong } from './idle-watch.ts';
import type { Census } from './members.ts';
import { memoryExceeded } from './memory-watch.ts';
import type { Output } from './output.ts';
import { hostProcesses } from './process-table.ts';
import { named } from './receipt.ts';
import type { Started } from './spawn.ts';
import type { ProcessIdentity, RunEnd, RunSpec } from './types.ts';

/** A run whose leader exists. */
export interface Running {
  spec: RunSpec;
  leader: Started;
  identity: ProcessIdentity;
  output: Output;
  census: Census;
  clock: Clock;
  /** The kernel was told the run's bound on memory. */
  memoryBounded: boolean;
  memoryExceededBytes: number | null;
  /** Folders in which the supervisor itself writes. */
  exclude: readonly string[];
}

/** Resolves with what ends the run; rejects with the error of a callback. Whatever wins, the others are called off. */
export async function firstToEnd(running: Running): Promise<RunEnd> {
  const { spec, leader, identity, output, census, clock, exclude } = running;
  const over = new AbortController();
  const { signal } = over;
  const wins = (end: RunEnd, event: Promise<unknown>) => event.then(() => end);
  const racers = [wins('exit', leader.exited), wins('timeout', elapsed(clock, spec.hardTimeoutMs, signal)), output.fault];
  if (spec.idleTimeoutMs > 0) {
    const idle = {
      timeoutMs: spec.idleTimeoutMs,
      restingCpuMs: spec.restingCpuMs,
      outputBytes: output.bytes,
      census,
      clock,
      folder: spec.cwd,
      exclude,
      signal,
      outsideCpuMs: spec.outsideCpuMs,
    };
    racers.push(wins('idle', idleTooLong(idle)));
  }
  if (spec.graceAfterResultMs > 0) {
    const { graceAfterResultMs: graceMs, ignorePatterns, onGraceExtended } = spec;
    const grace = graceIsOver({
      turn: output.turn,
      graceMs,
      census,
      table: hostProcesses,
      clock,
      ignorePatterns,
      outsideCpuMs: spec.outsideCpuMs,
      onExtended: ({ working, ignored }) =>
        onGraceExtended?.(
          working.map(named),
          ignored.map(({ member, matched }) => ({ ...named(member), matched })),
        ),
      signal,
    });
    racers.push(wins('grace', grace));
  }
  if (spec.memoryMaxBytes !== undefined) {
    const { memoryMaxBytes: maxBytes, leaf } = spec;
    const memory = memoryExceeded({ maxBytes, bounded: running.memoryBounded, leaf, leader: identity, census, clock, signal });
    racers.push(
      wins(
        'memory',
        memory.then((bytes) => {
          running.memoryExceededBytes = bytes;
        }),
      ),
    );
  }
  const { stop } = spec;
  if (stop) racers.push(untilAborted(stop, signal).then(() => stopReason(stop)));
  try {
    const end = await Promise.race(racers);
    // When this process was stalled, its timers fire before it hears of an exit that came first: the exit wins.
    return hostProcesses.isLiving(identity) ? end : 'exit';
  } finally {
    over.abort();
  }
}

export function stopReason(stop: AbortSignal): RunEnd {
  return stop.reason === 'memory' || stop.reason === 'disk' ? stop.reason : 'stopped';
}

function untilAborted(stop: AbortSignal, signal: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => stop.addEventListener('abort', () => resolve(), { once: true, signal }));
}
