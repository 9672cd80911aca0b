import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { leftBehind } from '../../../src/host/disk/left-behind.ts';
import { testClock } from '../../support/clock.ts';
import { testFolder } from '../../support/folder.ts';

it('folders in folders, deeper than any path may be long, are told and cost no round', () => {
  const cwd = testFolder();
  const name = 'd'.repeat(200);
  execFileSync('sh', ['-c', `for i in $(seq 30); do mkdir ${name} && cd -P ${name} || exit 1; done`], { cwd });
  onTestFinished(() => void execFileSync('rm', ['-rf', name], { cwd }));
  const left = leftBehind(cwd, new Set(), testClock());
  expect(left).toMatchObject({ entries: 1, whole: false });
  expect(left?.files).toBeGreaterThan(10);
});
