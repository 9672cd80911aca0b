import { expect, test } from 'vitest';
import { lastReceipt } from '../../../../src/observe/peek/receipt.ts';

const sh = { name: 'sh', pid: 10 };
const sleep = { name: 'sleep', pid: 11 };
const mcp = { name: 'mcp', pid: 12 };

function wordsOf(exit: Record<string, unknown>, reaped: Record<string, unknown>): string | undefined {
  return lastReceipt([
    { event: 'agent_exit', round_num: 3, exit_cause: 'clean', ...exit },
    { event: 'round_reaped', round_num: 3, round_id: 'r', members: [], escaped: [], signalled: [], survivors: [], ...reaped },
  ])?.words;
}

test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
  ['alone', {}, {}, 'ended by itself; nobody was left behind'],
  ['helpers that leave', {}, { members: [mcp] }, 'ended by itself; 1 process left by themselves'],
  ['cleaned up', {}, { members: [sh, sleep, mcp], signalled: [sh, sleep, mcp] }, 'ended by itself; 3 processes cleaned up, none survived'],
  [
    'an escapee',
    { exit_cause: 'timeout', outcome: 'timeout' },
    { members: [sh, sleep], escaped: [sleep], signalled: [sh, sleep] },
    'ended by the time wall; 2 processes cleaned up (1 had left the group), none survived',
  ],
  [
    'a survivor',
    { exit_cause: 'timeout', outcome: 'timeout' },
    { members: [sh, sleep], signalled: [sh, sleep], survivors: [sleep] },
    'ended by the time wall; 2 processes cleaned up, 1 process SURVIVED: sleep (11)',
  ],
  ['an error', { exit_cause: 'error', outcome: 'crash' }, {}, 'ended by itself with an error; nobody was left behind'],
  ['a signal', { exit_cause: 'signal:SIGSEGV', outcome: 'crash' }, {}, 'ended by SIGSEGV; nobody was left behind'],
  [
    'grace',
    { exit_cause: 'grace_kill', outcome: 'grace_kill' },
    { members: [sh], signalled: [sh] },
    'ended by us after its result, with nobody working; 1 process cleaned up, none survived',
  ],
  [
    'idle',
    { exit_cause: 'timeout', outcome: 'idle' },
    { members: [sh], signalled: [sh] },
    'ended by the idle wall; 1 process cleaned up, none survived',
  ],
  ['stopped', { exit_cause: 'signal:SIGTERM', outcome: 'stopped' }, {}, 'ended because we were told to stop; nobody was left behind'],
  ['a container', {}, { container_id: 'ab'.repeat(32) }, 'ended by itself; nobody was left behind; container abababababab ended'],
])('%s', (_name, exit, reaped, words) => {
  expect(wordsOf(exit, reaped)).toBe(words);
});

test('the newest receipt counts, and garbage in it is left out', () => {
  const receipt = lastReceipt([
    { event: 'round_reaped', round_num: 1, signalled: [sh] },
    { event: 'round_reaped', round_num: 2, members: 'x', signalled: [null, 7, { name: 'a' }, sleep], survivors: null },
    { event: 'round_end', round_num: 2 },
  ]);
  expect(receipt).toMatchObject({ round_num: 2, members: [], signalled: [sleep], survivors: [], outcome: null });
  expect(receipt?.words).toBe('ended; 1 process cleaned up, none survived');
});

test('no receipt in sight', () => {
  expect(lastReceipt([{ event: 'round_start', round_num: 1 }])).toBeNull();
});
