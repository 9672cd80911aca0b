import { describe, expect, it } from 'vitest';
import { cpuBetween, hasSpoken, type IdleSample, INITIAL_IDLE_STATE, idleStep, quietFor } from '../../../src/run/idle.ts';

/** Samples every 30 s; `ticks` of CPU (10 ms each) and bytes of output so far. */
function follow(samples: { bytes: number; ticks: Record<string, number> }[]) {
  let state = INITIAL_IDLE_STATE;
  return samples.map(({ bytes, ticks }, index) => {
    const sample: IdleSample = { at: (index + 1) * 30_000, outputBytes: bytes, cpu: new Map(Object.entries(ticks)) };
    state = idleStep(state, sample, 10);
    return quietFor(state, sample.at) / 1000;
  });
}

describe('silence', () => {
  it.each([
    [
      'without output and CPU grows',
      [
        { bytes: 0, ticks: { a: 5 } },
        { bytes: 0, ticks: { a: 5 } },
        { bytes: 0, ticks: { a: 5 } },
      ],
      [0, 30, 60],
    ],
    [
      'ends with output',
      [
        { bytes: 0, ticks: { a: 5 } },
        { bytes: 0, ticks: { a: 5 } },
        { bytes: 9, ticks: { a: 5 } },
      ],
      [0, 30, 0],
    ],
    [
      'ends with 50 ms of CPU',
      [
        { bytes: 0, ticks: { a: 5 } },
        { bytes: 0, ticks: { a: 5 } },
        { bytes: 0, ticks: { a: 10 } },
      ],
      [0, 30, 0],
    ],
    [
      'goes on with 40 ms',
      [
        { bytes: 0, ticks: { a: 5 } },
        { bytes: 0, ticks: { a: 9 } },
        { bytes: 0, ticks: { a: 13 } },
      ],
      [0, 30, 60],
    ],
    [
      'ends with a new process that worked',
      [
        { bytes: 0, ticks: { a: 5 } },
        { bytes: 0, ticks: { a: 5, b: 20 } },
      ],
      [0, 0],
    ],
    [
      'goes on when a process has left',
      [
        { bytes: 0, ticks: { a: 5, b: 500 } },
        { bytes: 0, ticks: { a: 5 } },
      ],
      [0, 30],
    ],
    [
      'counts the whole tree together',
      [
        { bytes: 0, ticks: { a: 1, b: 1 } },
        { bytes: 0, ticks: { a: 4, b: 3 } },
      ],
      [0, 0],
    ],
  ])('%s', (_, samples, quiet) => {
    expect(follow(samples)).toEqual(quiet);
  });

  it('a CLI that needs more than others while it only waits is quiet below its own mark, and works above it', () => {
    const at = (second: number, ticks: number): IdleSample => ({ at: second * 1000, outputBytes: 0, cpu: new Map([['a', ticks]]) });
    const quiet = (restingMs?: number) => {
      const states = [at(30, 0), at(60, 20), at(90, 40)].reduce(
        (state, sample) => idleStep(state, sample, 10, restingMs),
        INITIAL_IDLE_STATE,
      );
      return quietFor(states, 90_000) / 1000;
    };
    expect(quiet()).toBe(0);
    expect(quiet(200)).toBe(0);
    expect(quiet(300)).toBe(60);
  });

  it('is not known before the first sample', () => {
    expect(quietFor(INITIAL_IDLE_STATE, 99_999)).toBe(0);
    expect(hasSpoken(INITIAL_IDLE_STATE, 0)).toBe(false);
    expect(hasSpoken(INITIAL_IDLE_STATE, 1)).toBe(true);
  });

  it('a process that took over another’s pid starts from nothing', () => {
    expect(cpuBetween(new Map([['7:100', 50]]), new Map([['7:200', 3]]))).toBe(3);
  });
});
