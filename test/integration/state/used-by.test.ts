import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { layout } from '../../../src/state/layout.ts';
import { otherUser } from '../../../src/state/used-by.ts';
import { testFolder } from '../../support/folder.ts';

it('tells of another work tree once, and never of the first or the same', () => {
  const paths = layout(testFolder());
  mkdirSync(paths.state);
  expect(otherUser(paths, '/home/a/shop')).toBeNull();
  expect(otherUser(paths, '/home/a/shop')).toBeNull();
  expect(otherUser(paths, '/home/b/shop')).toBe('/home/a/shop');
  expect(otherUser(paths, '/home/b/shop')).toBeNull();
});

it('says nothing where nothing can be kept', () => {
  const paths = layout(testFolder());
  writeFileSync(paths.state, 'a file in the place of the folder');
  expect(otherUser(paths, '/home/a/shop')).toBeNull();
  expect(otherUser({ state: join(paths.state, 'gone') }, '/home/a/shop')).toBeNull();
});
