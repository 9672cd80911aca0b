import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_TURNS } from '../../../../src/observe/peek/away.ts';
import type { Facts } from '../../../../src/observe/peek/facts.ts';
import { sentence } from '../../../../src/observe/peek/sentence.ts';
import { isHealthy, situationOf } from '../../../../src/observe/peek/situation.ts';
import { NO_UNITS } from '../../../../src/service/mode.ts';
import { NO_STREAKS } from '../../../../src/state/serve-state.ts';
import { asked, factsWith, iso, NOW, running, serving, stoppedWith, waiting } from './facts.ts';

const healthy = (facts: Facts) => isHealthy(facts, situationOf(facts, NOW));

test.each<[string, Facts, boolean]>([
  ['a running round', running(), true],
  ['a running round and a person asked', running({ needs: asked('config') }), true],
  ['between two rounds', serving(), true],
  ['a wait with an end, a person asked', { ...waiting('throttled', 600), needs: asked('billing') }, true],
  ['a wait without an end, nobody asked', waiting('survivors', null), true],
  ['a wait without an end, a person asked', { ...waiting('survivors', null), needs: asked('survivors') }, false],
  ['a pause is somebody’s will', { ...waiting('paused', null), needs: asked('config') }, true],
  ['draining', running({ wait: { reason: 'draining', until: null, since: iso(0), source: '', sentence: '' } }), true],
  ['overdue', running({ inFlight: { roundNum: 12, phase: null, startedAt: NOW - 9e6, timeoutS: 60, pid: 1 } }), false],
  ['never started', factsWith(), false],
  ['stopped in order', stoppedWith(0, 'signal'), false],
  ['a breaker', stoppedWith(75, 'crash_loop'), false],
  ['parked', serving({ stopped: stoppedWith(75, 'crash_loop', { parked: { command: 'c' } }).stopped }), false],
  ['died', running({ supervisor: { kind: 'dead', pid: 3 } }), false],
  ['a single round', running({ supervisor: { kind: 'none' }, soloRound: { pid: 9 } }), false],
])('healthy? %s', (_name, facts, expected) => {
  expect(healthy(facts)).toBe(expected);
});

test('until: the wall of the running round, the end of the wait, nothing else', () => {
  expect(situationOf(running(), NOW).until).toBe(NOW + 18 * 60_000);
  expect(situationOf(waiting('throttled', 60), NOW).until).toBe(NOW + 60_000);
  expect(situationOf(serving(), NOW).until).toBeNull();
  expect(situationOf({ ...factsWith(), wait: waiting('throttled', 60).wait }, NOW).until).toBeNull();
});

test('survivors: their round is over although its record is still there', () => {
  expect(situationOf(running({ wait: waiting('survivors', null).wait }), NOW).state).toBe('survivors');
});

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const time = fc.oneof(fc.constant(null), fc.integer({ min: -1e6, max: 1e6 }).map(iso));
const anyFacts: fc.Arbitrary<Facts> = fc.record({
  project: fc.string(),
  configPath: fc.string(),
  configGiven: fc.boolean(),
  configPending: fc.boolean(),
  configProblem: optional(fc.record({ kind: fc.constantFrom('missing', 'unreadable', 'broken'), message: fc.string() })),
  timezone: fc.constantFrom(null, 'Asia/Tokyo', 'no/such/zone'),
  logDir: optional(fc.string()),
  logDirState: fc.constantFrom('ok', 'missing', 'unreadable'),
  supervisor: fc.oneof(
    fc.constant({ kind: 'none' as const }),
    fc.constant({ kind: 'garbled' as const }),
    fc.record({ kind: fc.constant('dead' as const), pid: fc.nat() }),
    fc.record({ kind: fc.constant('alive' as const), pid: fc.nat(), startedAt: optional(fc.integer()) }),
  ),
  units: fc.constant(NO_UNITS),
  soloRound: optional(fc.record({ pid: fc.nat() })),
  status: optional(fc.record({ round_num: fc.nat(), running: fc.boolean(), last_completed_at: fc.string() })),
  inFlight: optional(
    fc.record({
      roundNum: fc.nat(),
      phase: optional(fc.string()),
      startedAt: optional(fc.integer()),
      timeoutS: optional(fc.nat()),
      pid: optional(fc.nat()),
    }),
  ),
  wait: optional(fc.record({ reason: fc.string(), until: time, since: fc.string(), source: fc.string(), sentence: fc.string() })),
  accounts: fc.constant(null),
  turns: fc.constant(NO_TURNS),
  pause: optional(fc.record({ until: time, since: fc.string() })),
  needs: fc.record({
    entries: fc.array(fc.record({ reason: fc.string(), since: fc.string(), message: fc.string(), command: fc.string() })),
  }),
  streaks: fc.constant({ ...NO_STREAKS }),
  stopped: optional(
    fc.record({
      reason: fc.string(),
      exit_code: fc.integer(),
      at: fc.string(),
      sentence: fc.string(),
      remedy: optional(fc.string()),
      log_path: optional(fc.string()),
    }),
  ),
  damaged: fc.array(fc.string()),
  degraded: fc.array(fc.string()),
});

test('any facts give one line that ends in a full stop, and never an exception', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const words = sentence(facts, NOW);
      expect(words).toMatch(/\.$/);
      expect(words).not.toMatch(/\p{Cc}/u);
      expect(words).not.toMatch(/undefined|NaN|\[object/);
    }),
    { numRuns: 500 },
  );
});
