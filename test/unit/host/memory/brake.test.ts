import { describe, expect, it } from 'vitest';
import { brakeHigh, openBrake } from '../../../../src/host/memory/brake.ts';
import type { Severity } from '../../../../src/host/memory/ladder.ts';
import { MB } from './samples.ts';

const RULES = { stepPct: 0, consecutive: 3 };

function scene({ current = 400, high = 'max', refuses = null as string | null, rules = RULES } = {}) {
  const state = { high, refuses };
  const told: string[] = [];
  const leaf = {
    current: () => current * MB,
    high: () => state.high,
    setHigh(token: string) {
      if (state.refuses !== null) return state.refuses;
      state.high = token;
      return null;
    },
  };
  const brake = openBrake(leaf, rules, {
    engaged: () => told.push('engaged'),
    released: (reason) => told.push(`released: ${reason}`),
    failed: (errno) => told.push(`failed: ${errno}`),
  });
  const looks = (...severities: (Severity | null)[]) => severities.forEach(brake.after);
  return { state, told, brake, looks };
}

describe('the soft brake', () => {
  it('is put on by three warnings in a row, and taken off by the first healthy look', () => {
    const { state, told, looks } = scene();
    looks('warning', 'critical');
    expect(state.high).toBe('max');
    looks('warning');
    expect(state.high).toBe(String(400 * MB));
    looks('critical', 'warning');
    looks('healthy');
    expect(state.high).toBe('max');
    expect(told).toEqual(['engaged', 'released: recovered']);
  });

  it('gives back what stood there before, to the letter', () => {
    const { state, looks, brake } = scene({ high: String(900 * MB), rules: { stepPct: 50, consecutive: 1 } });
    looks('warning');
    expect(state.high).toBe(String(200 * MB));
    brake.release('round ended');
    expect(state.high).toBe(String(900 * MB));
    brake.release('round ended');
  });

  it('a kernel that refuses costs the brake, not the round', () => {
    const { state, told, looks } = scene({ refuses: 'EACCES' });
    looks('warning', 'warning', 'warning', 'warning', 'warning');
    expect(told).toEqual(['failed: EACCES']);
    expect(state.high).toBe('max');
  });

  it('an interrupted streak begins anew', () => {
    const { told, looks } = scene();
    looks('warning', 'warning', 'healthy', 'warning', 'warning', null, 'warning', 'warning');
    expect(told).toEqual([]);
  });

  it.each([
    ['a step of 25 %', 400, 'max', 25, 300],
    ['never below 64 MB', 130, 'max', 51, 64],
    ['not below 128 MB in use', 127, 'max', 0, null],
    ['128 MB in use', 128, 'max', 0, 128],
    ['never loosens what is tighter', 400, String(300 * MB), 0, null],
    ['tightens what is looser', 400, String(500 * MB), 0, 400],
    ['not without the memory controller', null, 'max', 0, null],
    ['not what nobody understands', 400, 'what', 0, null],
  ])('%s', (_name, current, high, stepPct, expected) => {
    const bytes = brakeHigh(current === null ? null : current * MB, high, { stepPct, consecutive: 3 });
    expect(bytes).toBe(expected === null ? null : expected * MB);
  });
});
