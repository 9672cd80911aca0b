import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentDone } from '../../../src/serve/stop-conditions.ts';
import { layout } from '../../../src/state/layout.ts';
import { removeFile } from '../../../src/state/remove.ts';
import { setAside } from '../../../src/state/set-aside.ts';
import { lstatOrNull, statOrNull } from '../../../src/util/stat.ts';
import { testFolder } from '../../support/folder.ts';

const PLACES: [name: string, make: (path: string) => void][] = [
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a file', (path) => writeFileSync(path, '')],
  ['a link to nowhere', (path) => symlinkSync('/nowhere', path)],
  ['nothing', () => {}],
  ['a name that is too long', () => {}],
];

it.each(PLACES)('below %s there is nothing, and nobody throws', (name, make) => {
  const folder = join(testFolder(), name.includes('long') ? 'x'.repeat(300) : 'logs');
  make(folder);
  const below = join(folder, 'file');
  expect([statOrNull(below), lstatOrNull(below), removeFile(below), setAside(below)]).toEqual([null, null, true, null]);
  const told: string[] = [];
  expect(agentDone(layout(folder), (kind) => told.push(kind))).toBeNull();
  expect(told).toEqual([]);
});

it('a link to itself in the place of .agent-done is the word of an agent all the same', () => {
  const paths = layout(testFolder());
  mkdirSync(paths.rounds);
  symlinkSync(paths.agentDone, paths.agentDone);
  expect(agentDone(paths, () => {})?.reason).toBe('agent_done');
  expect(lstatOrNull(paths.agentDone)).toBeNull();
});
