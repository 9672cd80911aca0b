import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memLoop } from '../../../src/serve/breakers/mem-loop.ts';
import { memLoopsBefore } from '../../../src/serve/mem-loops.ts';
import { nextStreaks } from '../../../src/serve/streaks.ts';
import { NO_STREAKS } from '../../../src/state/serve-state.ts';
import { isoTime } from '../../../src/util/clock.ts';
import { exitCode, isFinal } from '../../../src/util/exit-codes.ts';
import { testFolder } from '../../support/folder.ts';

const NOW = Date.UTC(2026, 11, 1, 0, 30);
const MINUTE = 60_000;
const stop = (memory: number, loops: number) => memLoop({ ...NO_STREAKS, memory }, {} as never, { memLoops: () => loops });

describe('reference case 13: memory loops', () => {
  it('five rounds in a row that were ended for memory stop with 71, four do not', () => {
    expect(stop(4, 9)).toBeNull();
    const five = stop(5, 0);
    expect(five).toMatchObject({ event: 'mem_loop', exit: 'memLoop', consecutive: 5 });
    expect([exitCode('memLoop'), isFinal(71)]).toEqual([71, false]);
  });

  it('scar 55: the third within two hours stays down with 70; it counts loops', () => {
    expect(stop(5, 1)).toMatchObject({ event: 'mem_loop', exit: 'memLoop' });
    expect(stop(5, 2)).toMatchObject({ event: 'mem_loop_persistent', exit: 'memLoopPersistent', consecutive: 3 });
    expect([exitCode('memLoopPersistent'), isFinal(70)]).toEqual([70, true]);
  });

  it('nothing is read before there is a loop', () => {
    const memLoops = () => {
      throw new Error('read');
    };
    expect(memLoop({ ...NO_STREAKS, memory: 4 }, {} as never, { memLoops })).toBeNull();
  });

  it.each([
    ['ok', 0],
    ['crash', 0],
    ['timeout', 0],
    ['rate_limited', 0],
    ['environment', 3],
    ['stopped', 3],
    ['oom_killed', 4],
    ['mem_terminated', 4],
  ] as const)('a round that ended as %s leaves a streak of three at %i', (outcome, memory) => {
    expect(nextStreaks({ ...NO_STREAKS, memory: 3 }, outcome, false).memory).toBe(memory);
  });

  it('scar 55: loops are counted from the event files, over the months, and age out', () => {
    const logDir = testFolder();
    const write = (minutesAgo: number, event: string) => {
      const at = NOW - minutesAgo * MINUTE;
      appendFileSync(join(logDir, `events-${isoTime(at).slice(0, 7)}.jsonl`), `${JSON.stringify({ ts: isoTime(at), event })}\n`);
    };
    expect(memLoopsBefore(logDir, NOW)).toBe(0);
    write(121, 'mem_loop');
    write(119, 'mem_loop');
    write(60, 'mem_loop_persistent');
    write(40, 'round_mem_terminated');
    write(10, 'mem_loop');
    write(5, 'serve_started');
    expect(memLoopsBefore(logDir, NOW)).toBe(2);
    expect(memLoopsBefore(logDir, NOW + 10 * MINUTE)).toBe(1);
    expect(memLoopsBefore(logDir, NOW + 24 * 60 * MINUTE)).toBe(0);
  });
});
