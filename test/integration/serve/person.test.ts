import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { askPerson, needAfter } from '../../../src/serve/person.ts';
import { layout } from '../../../src/state/layout.ts';
import { NO_STREAKS, readNeedsHuman } from '../../../src/state/serve-state.ts';
import { testFolder } from '../../support/folder.ts';

type Result = Parameters<typeof needAfter>[0];

const refused = (account: string) =>
  ({
    outcome: 'auth_error',
    identity: 'claude',
    account,
    turn: { error: { raw: '401', classification: 'auth' } },
    problems: [],
  }) as unknown as Result;

it('two accounts of one CLI are asked about by name, each once', () => {
  const paths = layout(testFolder());
  mkdirSync(dirname(paths.needsHuman), { recursive: true });
  const told: string[] = [];
  const emit = (_kind: string, fields: object) => void told.push((fields as { message: string }).message);
  for (const account of ['work', 'claude', 'work', 'claude']) {
    const need = needAfter(refused(account), NO_STREAKS);
    if (need !== null) askPerson(paths, emit, 0, need);
  }
  const [work, own] = ['claude (account work) was refused by its provider: 401', 'claude was refused by its provider: 401'];
  expect(told).toEqual([work, own]);
  expect(readNeedsHuman(paths).entries).toMatchObject([{ reason: 'auth', message: `${work}; ${own}`, command: 'agent-runner ack auth' }]);
});
