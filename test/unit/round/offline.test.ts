import { expect, it } from 'vitest';
import { OUTCOMES } from '../../../src/events/outcomes.ts';
import { seenOffline } from '../../../src/round/offline.ts';

const turn = { finished: null, error: null, usage: null };

it('without a way out a crash, an error, a silence and a refused login are network failures, and nothing else is', () => {
  const changed = OUTCOMES.filter((outcome) => seenOffline(outcome, turn, () => true).outcome !== outcome);
  expect([...changed].sort()).toEqual(['agent_error', 'auth_error', 'crash', 'no_output']);
  expect(seenOffline('crash', turn, () => true)).toMatchObject({
    outcome: 'provider_error',
    turn: { error: { kind: 'provider_error', classification: 'network', resetAtEpoch: null } },
  });
  const refused = {
    ...turn,
    error: { kind: 'auth_error' as const, classification: 'auth', resetAtEpoch: null, raw: 'token could not be refreshed' },
  };
  expect(seenOffline('auth_error', refused, () => true).turn.error?.raw).toContain('token could not be refreshed');
});

it('with one, everything stays as it was told', () => {
  for (const outcome of OUTCOMES) expect(seenOffline(outcome, turn, () => false)).toEqual({ outcome, turn });
});
