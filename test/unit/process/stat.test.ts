import { describe, expect, it } from 'vitest';
import { isAlive, parseStat } from '../../../src/process/stat.ts';

const rest = 'S 10 20 30 0 -1 4194304 114 0 0 0 7 5 3 2 20 0 4 0 3344556 2715648 382 1844 1 1 0 0';

describe('a line of /proc/<pid>/stat', () => {
  it('is read by its field numbers', () => {
    expect(parseStat(`42 (node) ${rest}\n`)).toEqual({
      pid: 42,
      ppid: 10,
      pgid: 20,
      sid: 30,
      state: 'S',
      startTicks: 3344556,
      cpuTicks: 17,
      threads: 4,
      comm: 'node',
    });
  });

  it.each(['a b', '((sd-pam))', ') S 1 1 1 (', 'two\nlines', '', 'naïve'])('with the name %j', (comm) => {
    expect(parseStat(`42 (${comm}) ${rest}`)).toMatchObject({ comm, ppid: 10, startTicks: 3344556 });
  });

  it.each(['', '42', '42 (', '42 (node', '42 (node) S 1', 'x (node) S 1'])('that is none (%j) gives null', (text) => {
    expect(parseStat(text)).toBeNull();
  });
});

describe('alive', () => {
  const base = parseStat(`42 (node) ${rest}`);
  it.each([
    ['S', 1, true],
    ['R', 1, true],
    ['D', 1, true],
    ['T', 1, true],
    ['t', 1, true],
    ['Z', 1, false],
    ['Z', 0, false],
    ['X', 0, false],
    // The main thread is gone, others run.
    ['Z', 3, true],
  ])('state %s with %i threads: %s', (state, threads, alive) => {
    expect(base && isAlive({ ...base, state, threads })).toBe(alive);
  });
});
