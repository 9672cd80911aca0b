import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
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
  expect(leftBehind(folder, there, testClock())).toBeNull();
  put(join(folder, 'cache/deep'), 1_200);
  expect(leftBehind(folder, there, testClock())).toMatchObject({ entries: 3, files: 11 + 1 + 1_202, whole: true });
  put(join(folder, 'more'), 5_000);
  expect(leftBehind(folder, there, testClock())).toMatchObject({ files: 5_000, whole: false });
});

it('a folder that is not there is no news', () => {
  expect(namesIn('/no/such/folder')).toBeNull();
  expect(leftBehind('/no/such/folder', new Set(), testClock())).toBeNull();
});
