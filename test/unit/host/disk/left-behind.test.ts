import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { leftBehind, namesIn } from '../../../../src/host/disk/left-behind.ts';
import { testClock } from '../../../support/clock.ts';
import { testFolder } from '../../../support/folder.ts';

const put = (folder: string, count: number) => {
  mkdirSync(folder, { recursive: true });
  for (let n = 0; n < count; n++) writeFileSync(join(folder, `f${n}`), 'x');
};

it('what a round leaves in its temporary folder is told when it is much; links are not followed', () => {
  const folder = testFolder();
  put(join(folder, 'before'), 2_000);
  const there = namesIn(folder) ?? new Set();
  put(join(folder, 'small'), 10);
  symlinkSync(join(folder, 'before'), join(folder, 'link'));
  expect(leftBehind(folder, there, 0, testClock())).toBeNull();
  put(join(folder, 'cache/deep'), 1_200);
  expect(leftBehind(folder, there, 0, testClock())).toMatchObject({ entries: 3, files: 11 + 1 + 1_202, whole: true });
  put(join(folder, 'more'), 5_000);
  expect(leftBehind(folder, there, 0, testClock())).toMatchObject({ files: 5_000, whole: false });
});

it('a folder that is not there is no news', () => {
  expect(namesIn('/no/such/folder')).toBeNull();
  expect(leftBehind('/no/such/folder', new Set(), 0, testClock())).toBeNull();
});

it('what is older than the round, or too much to count in time and still little, is not put on its account', () => {
  const folder = testFolder();
  put(join(folder, 'moved in'), 1_200);
  const last = statSync(join(folder, 'moved in')).ctimeMs;
  expect(leftBehind(folder, new Set(), 0, testClock())).not.toBeNull();
  expect(leftBehind(folder, new Set(), last + 1_000, testClock())).toBeNull();
  let at = 0;
  const slow = { ...testClock(), monotonic: () => (at += 1) };
  expect(leftBehind(folder, new Set(), 0, slow)).toBeNull();
});
