import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ABSENT, type AcceptedRecord, configAfterRound, configAtStart, configBetweenRounds } from '../../../src/config/accept.ts';

const record = (accepted: string, pending: string | null = null, suspect: string | null = null): AcceptedRecord => ({
  accepted_digest: accepted,
  pending_digest: pending,
  suspect_digest: suspect,
});
const seen = (digest: string, acknowledged: string | null = null) => ({ digest, acknowledged });

describe('at a start', () => {
  it.each<[string, AcceptedRecord | null, string, string | null, string | null, 'file' | 'accepted', string | null]>([
    // name, record, file, interrupted round's digest, acknowledged, what is used, suspect afterwards
    ['the first start ever', null, 'A', null, null, 'file', null],
    ['nothing changed', record('A'), 'A', null, null, 'file', null],
    ['edited while nothing ran', record('A'), 'B', null, null, 'file', null],
    ['edited between rounds, then restarted', record('A', 'B'), 'B', null, null, 'file', null],
    ['a round was interrupted, the file is the same', record('A'), 'A', 'A', null, 'file', null],
    ['edited in the round that was interrupted', record('A'), 'B', 'A', null, 'accepted', 'B'],
    ['that, acknowledged', record('A'), 'B', 'A', 'B', 'file', null],
    ['that, but something else was acknowledged', record('A'), 'C', 'A', 'B', 'accepted', 'C'],
    ['suspect since before', record('A', null, 'B'), 'B', null, null, 'accepted', 'B'],
    ['suspect, then put back', record('A', null, 'B'), 'A', null, null, 'file', null],
    ['suspect, then put back to the edit that waited', record('A', 'P', 'B'), 'P', null, null, 'file', null],
    ['suspect, then changed once more', record('A', null, 'B'), 'C', null, null, 'accepted', 'C'],
    ['suspect and acknowledged', record('A', null, 'B'), 'B', null, 'B', 'file', null],
    ['deleted in the round that was interrupted', record('A'), ABSENT, 'A', null, 'accepted', ABSENT],
    ['deleted while nothing ran', record('A'), ABSENT, null, null, 'file', null],
  ])('%s', (_name, before, digest, interrupted, acknowledged, use, suspect) => {
    const verdict = configAtStart(before, seen(digest, acknowledged), interrupted);
    expect(verdict.use).toBe(use);
    expect(verdict.record.suspect_digest).toBe(suspect);
    expect(verdict.changed).toBe(suspect !== null && suspect !== before?.suspect_digest ? 'during_round' : null);
    expect(verdict.record.accepted_digest).toBe(use === 'file' ? digest : before?.accepted_digest);
  });
});

describe('between rounds', () => {
  it.each<
    [string, AcceptedRecord, string, { reload?: boolean; acknowledged?: string }, 'file' | 'accepted', AcceptedRecord, string | null]
  >([
    ['nothing changed', record('A'), 'A', {}, 'accepted', record('A'), null],
    ['a reload of the same file', record('A'), 'A', { reload: true }, 'accepted', record('A'), null],
    ['a new edit waits, and is told once', record('A'), 'B', {}, 'accepted', record('A', 'B'), 'between_rounds'],
    ['it still waits', record('A', 'B'), 'B', {}, 'accepted', record('A', 'B'), null],
    ['it is reloaded', record('A', 'B'), 'B', { reload: true }, 'file', record('B'), null],
    ['it is taken back', record('A', 'B'), 'A', {}, 'accepted', record('A'), null],
    ['suspect: reload does not speak for it', record('A', null, 'B'), 'B', { reload: true }, 'accepted', record('A', null, 'B'), null],
    ['suspect: changed once more', record('A', null, 'B'), 'C', { reload: true }, 'accepted', record('A', null, 'C'), 'during_round'],
    ['suspect: acknowledged', record('A', null, 'B'), 'B', { acknowledged: 'B' }, 'file', record('B'), null],
    [
      'suspect: changed after the acknowledgement',
      record('A', null, 'B'),
      'C',
      { acknowledged: 'B' },
      'accepted',
      record('A', null, 'C'),
      'during_round',
    ],
    ['suspect: put back', record('A', null, 'B'), 'A', {}, 'accepted', record('A'), null],
    ['suspect: put back to the edit that waited', record('A', 'P', 'B'), 'P', {}, 'accepted', record('A', 'P'), null],
  ])('%s', (_name, before, digest, { reload = false, acknowledged = null }, use, after, changed) => {
    expect(configBetweenRounds(before, seen(digest, acknowledged), reload)).toEqual({ use, record: after, changed });
  });
});

describe('after a round', () => {
  it.each<[string, AcceptedRecord, string, string, AcceptedRecord, string | null]>([
    ['nothing changed', record('A'), 'A', 'A', record('A'), null],
    ['the agent changed it', record('A'), 'B', 'A', record('A', null, 'B'), 'during_round'],
    ['an edit waits, the agent left it alone', record('A', 'P'), 'P', 'P', record('A', 'P'), null],
    ['an edit waits, the agent changed it', record('A', 'P'), 'B', 'P', record('A', 'P', 'B'), 'during_round'],
    ['suspect, unchanged in this round', record('A', null, 'B'), 'B', 'B', record('A', null, 'B'), null],
    ['suspect, and put back in this round', record('A', null, 'B'), 'A', 'B', record('A'), null],
    ['deleted', record('A'), ABSENT, 'A', record('A', null, ABSENT), 'during_round'],
  ])('%s', (_name, before, digest, atStart, after, changed) => {
    expect(configAfterRound(before, digest, atStart)).toEqual({ use: 'accepted', record: after, changed });
  });
});

/** A little world: a person, an agent, kills and restarts, in any order. */
it('whatever happens in whatever order, what an agent wrote is never in force before a person acknowledged it', () => {
  const step = fc.oneof(
    fc.constantFrom('round', 'kill in round', 'kill', 'restart', 'reload', 'ack', 'person reverts'),
    fc.nat(3).map((text) => ({ person: `person-${text}` })),
    fc.nat(3).map((text) => ({ agent: `agent-${text}` })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let file = 'first';
      let acknowledged: string | null = null;
      let spokenFor = new Set(['first']);
      let record: AcceptedRecord | null = null;
      let inForce = '';
      let interrupted: string | null = null;
      const start = () => {
        const verdict = configAtStart(record, seen(file, acknowledged), interrupted);
        inForce = verdict.use === 'file' ? file : (record?.accepted_digest ?? file);
        record = verdict.record;
        interrupted = null;
      };
      const between = (reload: boolean) => {
        const verdict = configBetweenRounds(record as AcceptedRecord, seen(file, acknowledged), reload);
        if (verdict.use === 'file') inForce = file;
        record = verdict.record;
      };
      start();
      for (const now of steps) {
        if (typeof now === 'object' && 'person' in now) {
          file = now.person;
          spokenFor = spokenFor.add(file);
        } else if (typeof now === 'object') {
          // Agents write only while a round runs.
          between(false);
          const before = file;
          file = now.agent;
          record = configAfterRound(record as AcceptedRecord, file, before).record;
        } else if (now === 'round') {
          between(false);
          record = configAfterRound(record as AcceptedRecord, file, file).record;
        } else if (now === 'kill in round') {
          between(false);
          interrupted = inForce;
          file = 'agent-killed';
          start();
        } else if (now === 'kill' || now === 'restart') start();
        else if (now === 'reload') between(true);
        else if (now === 'person reverts') file = inForce;
        else {
          acknowledged = file;
          spokenFor = spokenFor.add(file);
          between(false);
        }
        expect(spokenFor).toContain(inForce);
        expect((record as AcceptedRecord).accepted_digest).toBe(inForce);
      }
    }),
    { numRuns: 3000 },
  );
});
