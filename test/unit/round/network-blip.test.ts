import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../../src/events/outcomes.ts';
import { networkBlip } from '../../../src/round/network-blip.ts';

const failed = (tail: string) => networkBlip('crash', { signal: null, exitCode: 1, tail });

describe('network words at the end of a failed round', () => {
  it.each([
    ['Error: connect ECONNREFUSED 127.0.0.1:443', 'ECONNREFUSED'],
    ['curl: (7) Connection refused', 'Connection refused'],
    ['DNS lookup failed', 'DNS'],
    ['ssh: Could not resolve: Name or service not known', 'Name or service not known'],
    ['connect timed out', 'connect timed out'],
    ['Connection timed out', 'Connection timed out'],
    ['nodename nor servname provided', 'nodename nor servname'],
    ['Network unreachable', 'Network unreachable'],
    ['connect: Network is unreachable', 'Network is unreachable'],
    ['HTTP 503 Service Unavailable', '503 Service Unavailable'],
    ['read: Connection reset by peer', 'Connection reset'],
  ])('%s', (tail, words) => {
    expect(failed(tail)).toBe(words);
  });

  it.each(['', 'cannot find module', 'the rednspot', '503 tests passed', `${'connection reset'.padEnd(40_000, '.')}`])(
    'not: %.30s',
    (tail) => {
      expect(failed(tail)).toBeNull();
    },
  );

  it('scar 45: never of a round that a signal ended, whatever its log says', () => {
    const tail = 'connection reset';
    expect(networkBlip('crash', { signal: 'SIGKILL', exitCode: null, tail })).toBeNull();
    expect(networkBlip('agent_error', { signal: null, exitCode: 137, tail })).toBeNull();
    expect(networkBlip('timeout', { signal: null, exitCode: 143, tail })).toBeNull();
  });

  it.each(OUTCOMES)('%s', (outcome) => {
    const well = ['ok', 'ok_leftovers', 'grace_kill', 'stopped', 'mem_terminated', 'oom_killed'].includes(outcome);
    expect(networkBlip(outcome, { signal: null, exitCode: 0, tail: 'connection reset' }) === null).toBe(well);
  });
});
