import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../../src/events/outcomes.ts';
import { CONSEQUENCES } from '../../../src/round/consequences.ts';
import { exitCause, type Outcome, outcomeOf, type RoundFacts } from '../../../src/round/outcome.ts';
import { exitCode } from '../../../src/util/exit-codes.ts';

const FINE: RoundFacts = {
  end: 'exit',
  exitCode: 0,
  durationMs: 120_000,
  outputBytes: 500,
  leftovers: false,
  moved: true,
  turn: { finished: true, error: null, usage: null },
  oomKilled: false,
  containerFailed: false,
};
const error = (kind: 'rate_limited' | 'provider_error' | 'auth_error' | 'agent_error') => ({
  finished: true,
  usage: null,
  error: { kind, classification: 'x', resetAtEpoch: null, raw: '' },
});
const UNKNOWN_CLI = { finished: null, error: null, usage: null };
const UNFINISHED = { finished: false, error: null, usage: null };

const ROWS: [string, Partial<RoundFacts>, Outcome][] = [
  ['finished turn, exit 0', {}, 'ok'],
  ['unknown CLI, exit 0, output', { turn: UNKNOWN_CLI }, 'ok'],
  ['unknown CLI, exit 0, silent but the tree moved', { turn: UNKNOWN_CLI, outputBytes: 0 }, 'ok'],
  ['finished turn, somebody had to be ended', { leftovers: true }, 'ok_leftovers'],
  ['unknown CLI, exit 0, somebody had to be ended', { turn: UNKNOWN_CLI, leftovers: true }, 'ok_leftovers'],
  ['result seen, nobody working, ended by us', { end: 'grace', exitCode: null }, 'grace_kill'],
  ['exit 0, no byte, nothing moved', { turn: UNKNOWN_CLI, outputBytes: 0, moved: false }, 'no_output'],
  ['exit 0, no byte, nothing moved, CLI that always reports', { turn: UNFINISHED, outputBytes: 0, moved: false }, 'no_output'],
  ['exit 1 within a minute, unknown cause', { exitCode: 1, turn: UNKNOWN_CLI, durationMs: 59_999 }, 'crash'],
  ['exit 1 after a minute', { exitCode: 1, turn: UNKNOWN_CLI, durationMs: 60_000 }, 'agent_error'],
  ['hard wall', { end: 'timeout', exitCode: null }, 'timeout'],
  ['idle wall', { end: 'idle', exitCode: null }, 'idle'],
  ['structured limit', { exitCode: 1, turn: error('rate_limited') }, 'rate_limited'],
  ['provider overloaded', { exitCode: 1, turn: error('provider_error') }, 'provider_error'],
  ['login refused', { exitCode: 1, turn: error('auth_error') }, 'auth_error'],
  ['our memory floor', { end: 'memory', exitCode: null }, 'mem_terminated'],
  ['the kernel killed the main process', { exitCode: 137, oomKilled: true, turn: UNFINISHED }, 'oom_killed'],
  ['engine could not start the container', { exitCode: 125, containerFailed: true, turn: UNFINISHED }, 'container_error'],
  ['the agent could not be started', { end: 'spawn_failed', exitCode: null, turn: UNFINISHED }, 'environment'],
  ['ended by a signal to us', { end: 'stopped', exitCode: null }, 'stopped'],
  // Contradictions.
  ['exit 0 + is_error (limit)', { turn: error('rate_limited') }, 'rate_limited'],
  ['exit 0 + is_error (agent), long', { turn: error('agent_error') }, 'agent_error'],
  ['exit 0 + is_error (agent), short', { turn: error('agent_error'), durationMs: 900 }, 'crash'],
  ['exit 1 + success result', { exitCode: 1 }, 'ok'],
  ['exit 0 + no result, short, CLI that always reports', { turn: UNFINISHED, durationMs: 4_000 }, 'crash'],
  ['exit 0 + no result, long, CLI that always reports', { turn: UNFINISHED }, 'agent_error'],
  ['exit code = HTTP status mod 256 (401 -> 145), unknown CLI, short', { exitCode: 145, turn: UNKNOWN_CLI, durationMs: 1_000 }, 'crash'],
  ['exit code = HTTP status mod 256 (401 -> 145), structured', { exitCode: 145, turn: error('auth_error') }, 'auth_error'],
  ['137 by us at the wall', { end: 'timeout', exitCode: 137 }, 'timeout'],
  ['137 by the kernel', { exitCode: 137, oomKilled: true, turn: UNKNOWN_CLI }, 'oom_killed'],
  ['137 by someone else, long', { exitCode: 137, turn: UNFINISHED }, 'agent_error'],
  ['137 by someone else, short', { exitCode: 137, turn: UNFINISHED, durationMs: 5_000 }, 'crash'],
  ['an API error as the whole text of a "successful" result', { turn: error('provider_error') }, 'provider_error'],
  ['wall hit while a limit was being retried', { end: 'timeout', turn: error('rate_limited') }, 'timeout'],
  ['grace kill after a refused turn', { end: 'grace', turn: error('rate_limited') }, 'rate_limited'],
  ['exit 0 while leftovers live and the turn failed', { leftovers: true, turn: error('provider_error') }, 'provider_error'],
  ['exit 0, silent, unmoved, but the CLI said that it finished', { outputBytes: 0, moved: false }, 'ok'],
];

describe('field bug 37, reference case 12: the outcome of a round', () => {
  it.each(ROWS)('%s', (_name, facts, outcome) => {
    expect(outcomeOf({ ...FINE, ...facts })).toBe(outcome);
  });

  it('always names an outcome of the catalogue', () => {
    const facts = fc.record({
      end: fc.constantFrom('exit', 'timeout', 'idle', 'grace', 'stopped', 'memory', 'spawn_failed') as fc.Arbitrary<RoundFacts['end']>,
      exitCode: fc.option(fc.integer({ min: 0, max: 255 })),
      durationMs: fc.nat(10_000_000),
      outputBytes: fc.nat(),
      leftovers: fc.boolean(),
      moved: fc.boolean(),
      turn: fc.record({
        finished: fc.option(fc.boolean()),
        usage: fc.constant(null),
        error: fc.option(
          fc.record({
            kind: fc.constantFrom('rate_limited', 'provider_error', 'auth_error', 'agent_error') as fc.Arbitrary<'auth_error'>,
            classification: fc.string(),
            resetAtEpoch: fc.option(fc.double()),
            raw: fc.string(),
          }),
        ),
      }),
      oomKilled: fc.boolean(),
      containerFailed: fc.boolean(),
    });
    fc.assert(
      fc.property(facts, (input) => {
        const outcome = outcomeOf(input);
        expect(OUTCOMES).toContain(outcome);
        // A refused turn is never called well, and our own wall is never blamed on the agent.
        if (input.turn.error) expect(['ok', 'ok_leftovers', 'grace_kill']).not.toContain(outcome);
        if (input.end === 'timeout') expect(outcome).toBe('timeout');
      }),
    );
  });
});

/** The table of the contract, written down a second time: exit of `round`, crash streak, tree, delay, person. */
const TABLE: [Outcome, number, string, string, string, string][] = [
  ['ok', 0, 'reset', 'resolve', 'base', 'never'],
  ['ok_leftovers', 0, 'reset', 'resolve', 'base', 'never'],
  ['grace_kill', 0, 'reset', 'resolve', 'base', 'never'],
  ['no_output', 1, 'add', 'leave', 'exponential', 'never'],
  ['crash', 1, 'add', 'leave', 'exponential', 'never'],
  ['agent_error', 1, 'reset', 'leave', 'double', 'never'],
  ['timeout', 0, 'reset', 'leave', 'base', 'never'],
  ['idle', 0, 'reset', 'leave', 'base', 'never'],
  ['rate_limited', 1, 'reset', 'leave', 'wait', 'never'],
  ['provider_error', 1, 'reset', 'leave', 'wait', 'billing'],
  ['auth_error', 1, 'reset', 'leave', 'double', 'always'],
  ['mem_terminated', 1, 'keep', 'leave', 'double', 'never'],
  ['oom_killed', 1, 'keep', 'leave', 'double', 'never'],
  ['container_error', 76, 'keep', 'leave', 'double', 'after_10'],
  ['environment', 76, 'keep', 'leave', 'double', 'after_10'],
  ['stopped', 130, 'keep', 'leave', 'none', 'never'],
  ['config_broken', 78, 'keep', 'leave', 'none', 'always'],
];

describe('the consequences of an outcome', () => {
  it('has a row for each outcome and none besides', () => {
    expect(TABLE.map(([outcome]) => outcome).sort()).toEqual([...OUTCOMES].sort());
    expect(Object.keys(CONSEQUENCES).sort()).toEqual([...OUTCOMES].sort());
  });

  it.each(TABLE)('%s', (outcome, exit, crash, tree, delay, person) => {
    const row = CONSEQUENCES[outcome];
    expect({ exit: exitCode(row.exit), crash: row.crash, tree: row.tree, delay: row.delay, person: row.person }).toEqual({
      exit,
      crash,
      tree,
      delay,
      person,
    });
  });
});

describe('exit_cause, as the Python predecessor orders it', () => {
  it.each([
    ['grace', null, 'SIGTERM', 'grace_kill'],
    ['timeout', null, 'SIGKILL', 'timeout'],
    ['idle', null, 'SIGTERM', 'timeout'],
    ['exit', null, 'SIGSEGV', 'signal:SIGSEGV'],
    ['exit', 0, null, 'clean'],
    ['exit', 3, null, 'error'],
    ['spawn_failed', null, null, 'error'],
  ] as const)('%s, exit %s, signal %s: %s', (end, code, signal, cause) => {
    expect(exitCause(end, code, signal)).toBe(cause);
  });
});
