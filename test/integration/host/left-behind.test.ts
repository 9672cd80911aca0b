import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { leftBehind } from '../../../src/host/disk/left-behind.ts';
import { testClock } from '../../support/clock.ts';
import { testFolder } from '../../support/folder.ts';

it('folders in folders, deeper than any path may be long, cost no round and hide nothing beside them', () => {
  const cwd = testFolder();
  const name = 'd'.repeat(200);
  execFileSync('sh', ['-c', `for i in $(seq 30); do mkdir ${name} && cd -P ${name} || exit 1; done`], { cwd });
  onTestFinished(() => void execFileSync('rm', ['-rf', name], { cwd }));
  expect(leftBehind(cwd, new Set(), 0, testClock())).toBeNull();
  execFileSync('sh', ['-c', 'mkdir much && cd much && seq 1200 | xargs touch'], { cwd });
  expect(leftBehind(cwd, new Set(), 0, testClock())).toMatchObject({ entries: 2, whole: false });
});
